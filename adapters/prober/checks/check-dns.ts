import type { MxRecord } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { MonitorCheck } from '../../../domain/monitors/check-kinds.ts';
import { type Finding, failed, OK } from '../finding.ts';

type DnsCheck = Extract<MonitorCheck, { readonly kind: 'dns' }>;

const TIMEOUT_MS = 4_000;
const TRIES = 2;

/**
 * One question to the DNS servers of the operator, or of the machine. Addresses that it finds are not connected to.
 * @param servers none: those of the machine
 */
export async function checkDns(
  { name, type, expect }: DnsCheck,
  servers: readonly string[],
  signal: AbortSignal,
): Promise<Finding> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const stop = (): void => resolver.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const records = (await resolver.resolve(name, type)) as readonly Answered[];
    const found = records.flatMap(textsOf);
    if (found.length === 0) return failed('dns', `there is no ${type} record`);
    if (expect === null || found.includes(normal(expect))) return OK;
    return failed('dns', `no ${type} record is the expected one`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
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
