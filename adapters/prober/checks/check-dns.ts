import type { MxRecord } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { MonitorCheck } from '../../../domain/monitors/check-kinds.ts';
import { type Finding, failed, OK } from '../finding.ts';
import { isNoSuchName } from '../no-such-name.ts';
import type { Probe } from '../probe.ts';

type DnsCheck = Extract<MonitorCheck, { readonly kind: 'dns' }>;

const TIMEOUT_MS = 4_000;
const TRIES = 2;

/** What a name that leads to a host leads to as a port of it: the web's. */
const PORT = 443;

export interface DnsMeans {
  readonly probe: Probe;
  /** None: those of the machine. */
  readonly nameServers: readonly string[];
}

/**
 * A question to the DNS servers of the operator, or of the machine. These may know names that are told to nobody outside:
 * nothing is said of a name that has an address to which the check could not connect, nor of one whose addresses nobody can tell.
 */
export async function checkDns(
  { name, type, expect }: DnsCheck,
  { probe, nameServers: servers }: DnsMeans,
  signal: AbortSignal,
): Promise<Finding> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const stop = (): void => resolver.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const records = (await resolver.resolve(name, type)) as readonly Answered[];
    const addresses = isAddressType(type) ? (records as readonly string[]) : await addressesOf(name, resolver);
    if (addresses === null) return untold(name);
    if (!(await areReached(addresses, probe))) return inner(name);
    const found = records.flatMap(textsOf);
    if (found.length === 0) return failed('dns', `there is no ${type} record`);
    if (expect === null || found.includes(normal(expect))) return OK;
    return failed('dns', `no ${type} record is the expected one`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function areReached(addresses: readonly string[], probe: Probe): Promise<boolean> {
  const judged = await Promise.allSettled(addresses.map((address) => probe.addressesOf(address, PORT)));
  return judged.every(({ status }) => status === 'fulfilled');
}

function inner(name: string): Finding {
  return { ...failed('blocked-address', `${name} has an address that its monitor may not reach`), outcome: 'unknown' };
}

function isAddressType(type: DnsCheck['type']): boolean {
  return type === 'A' || type === 'AAAA';
}

function untold(name: string): Finding {
  return { ...failed('dns', `the DNS servers do not tell whether ${name} has an address`), outcome: 'unknown' };
}

/** Null where the servers do not tell those of each family. */
async function addressesOf(name: string, resolver: Resolver): Promise<readonly string[] | null> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  if (answers.some((answer) => answer.status === 'rejected' && !isNoSuchName(answer.reason))) return null;
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/** A name or an address; the parts of a text; a mail server. */
type Answered = string | readonly string[] | MxRecord;

/** Forms in which people write a record. */
function textsOf(record: Answered): readonly string[] {
  if (typeof record === 'string') return [normal(record)];
  // The strings of one record are one text (RFC 7208, 3.3).
  if (Array.isArray(record)) return [normal(record.join(''))];
  const { priority, exchange } = record as MxRecord;
  return [normal(exchange), normal(`${priority} ${exchange}`)];
}

function normal(text: string): string {
  return text.toLowerCase().replace(/\.$/, '');
}
