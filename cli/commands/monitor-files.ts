import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { ApiClient } from '../api-client.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToMonitor } from '../monitor-api.ts';
import { readMonitorFile } from '../monitor-files/read-monitor-file.ts';
import { type ReadMonitors, secretNameOf, type WantedMonitor } from '../monitor-files/wanted-monitor.ts';
import { checkSecretReply, createdMonitorReply, type MonitorReply, monitorReply } from '../monitor-replies.ts';
import { orgText } from '../org-text.ts';
import { MOST, readPages } from '../read-pages.ts';
import { secretsIn } from '../request-headers.ts';
import { printable } from '../terminal/style.ts';
import { writeDocument } from '../write-document.ts';
import { putCheckSecret, SECRETS } from './monitor-secrets.ts';
import { MONITORS } from './monitors.ts';

interface OrgOption {
  readonly org?: string | undefined;
}

/**
 * `fairlead monitors import <file>`: adds what is not there yet. A monitor of the same name, environment and kind counts as
 * there, so that a file may be imported again.
 */
export async function importMonitors(context: CliContext, file: string, { org }: OrgOption): Promise<number> {
  const { output, environment } = context;
  const path = resolve(context.cwd, file);
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw usageFailure(`${file} cannot be read: ${error.message}`);
  });
  const read = readMonitorFile(text, file);
  const api = connectToMonitor(context);
  const set = await setSecrets(api, read, org);
  const { monitors, notes } = withoutUnset(read, set, org);
  for (const note of notes) output.note(printable(note));
  const { items } = await readPages(api, monitorReply, { path: MONITORS, query: { org }, limit: MOST });
  const known = new Set(items.map(keyOf));
  const added: MonitorReply[] = [];
  const secrets = createSecretNames(set);
  for (const { headers, secretHeaders, ...wanted } of monitors) {
    const body = { environment, ...wanted, org };
    if (known.has(keyOf(body))) continue;
    known.add(keyOf(body));
    const sent = [
      ...(headers ?? []),
      ...(await keepSecrets(context, api, body, { headers: secretHeaders ?? [], secrets })),
    ];
    const check = sent.length === 0 ? body.check : { ...body.check, headers: sent };
    const made = await add(context, api, { ...body, check });
    added.push(made);
    if (output.quiet) output.print(made.id);
    else output.print(`Added ${made.name}: ${printable(made.target)}`);
    if (made.heartbeatUrl != null) output.note(`The job of ${made.name} calls ${printable(made.heartbeatUrl)}`);
  }
  output.document({ added, known: monitors.length - added.length, leftOut: notes });
  if (!output.quiet) output.print(`${added.length} added, ${monitors.length - added.length} there already`);
  return exitCode('ok');
}

/** Names of the secrets that are set here; not asked for where the file needs none. */
async function setSecrets(
  api: ApiClient,
  { monitors }: ReadMonitors,
  org: string | undefined,
): Promise<ReadonlySet<string>> {
  const needs = ({ check, secretHeaders = [] }: WantedMonitor) =>
    secretHeaders.length > 0 || secretsIn(check).length > 0;
  if (!monitors.some(needs)) return new Set();
  const reply = z.looseObject({ items: z.array(checkSecretReply) });
  const { items } = await api.call(reply, { method: 'GET', path: SECRETS, query: { org } });
  return new Set(items.map(({ name }) => name));
}

/** Leaves out, with a note, what sends a secret that is not set here: an export has names alone. */
function withoutUnset(read: ReadMonitors, set: ReadonlySet<string>, org: string | undefined): ReadMonitors {
  const unsetOf = ({ check }: WantedMonitor) => secretsIn(check).find((secret) => !set.has(secret));
  const left = read.monitors.flatMap((monitor) => {
    const secret = unsetOf(monitor);
    if (secret === undefined) return [];
    const host = URL.parse(String(monitor.check.url))?.host ?? '<host>';
    const remedy = `\`fairlead monitors set-secret ${secret} --host ${host}${orgText(org)}\``;
    return [`${monitor.name}: it sends the secret ${secret}, which is not set: ${remedy}. It is left out.`];
  });
  return {
    monitors: read.monitors.filter((monitor) => unsetOf(monitor) === undefined),
    notes: [...read.notes, ...left],
  };
}

/** The secrets that an import makes. */
interface SecretNames {
  /** One that this import made of the same value for the same host; undefined where there is none. */
  known(value: string, host: string): string | undefined;
  /** A name that no secret has: what somebody set is never replaced, for nobody could read it again. */
  make(wanted: string, value: string, host: string): string;
}

function createSecretNames(set: ReadonlySet<string>): SecretNames {
  const taken = new Set(set);
  const made = new Map<string, string>();
  const keyOf = (value: string, host: string): string => JSON.stringify([host, value]);
  return {
    known: (value, host) => made.get(keyOf(value, host)),
    make(wanted, value, host) {
      let name = wanted;
      for (let number = 2; taken.has(name); number += 1) name = `${wanted}-${number}`;
      taken.add(name);
      made.set(keyOf(value, host), name);
      return name;
    },
  };
}

/** Values of a file become secrets, for the host of their check alone. @returns the headers that name them */
async function keepSecrets(
  { output }: CliContext,
  api: ApiClient,
  { name, environment, check, org }: Pick<WantedMonitor, 'name' | 'check'> & { environment: string } & OrgOption,
  { headers, secrets }: { headers: NonNullable<WantedMonitor['secretHeaders']>; secrets: SecretNames },
): Promise<readonly { readonly name: string; readonly secret: string }[]> {
  const named: { readonly name: string; readonly secret: string }[] = [];
  for (const { name: header, value } of headers) {
    const { host } = new URL(String(check.url));
    let secret = secrets.known(value, host);
    if (secret === undefined) {
      secret = secrets.make(secretNameOf(name, environment, header), value, host);
      await putCheckSecret(api, secret, { value, hosts: [host], org });
    }
    named.push({ name: header, secret });
    output.note(`The header ${header} of ${name} is kept as the secret ${secret}`);
  }
  return named;
}

/** So long a long import waits once the uptime monitor has taken as many as it takes in a minute. */
const WAIT_MS = 10_000;
const MOST_WAITS = 60;

async function add(
  { output }: CliContext,
  api: ApiClient,
  body: object,
): Promise<z.output<typeof createdMonitorReply>> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await api.call(createdMonitorReply, { method: 'POST', path: MONITORS, body });
    } catch (error) {
      if (!(error instanceof CliFailure) || error.code !== 'RATE_LIMITED' || waits === MOST_WAITS) throw error;
      if (waits === 0)
        output.note('The uptime monitor takes no more in this minute: the import goes on in the next one.');
      await delay(WAIT_MS);
    }
  }
}

function keyOf({ name, environment, check }: Pick<WantedMonitor, 'name' | 'check'> & { environment: string }): string {
  return `${name}/${environment}/${check.kind}`;
}

/** `fairlead monitors export [file]`: the monitors that were added by hand; a deploy registers the others itself. */
export async function exportMonitors(
  context: CliContext,
  file: string | undefined,
  { org }: OrgOption,
): Promise<number> {
  const { output, cwd } = context;
  const { items } = await readPages(connectToMonitor(context), monitorReply, {
    ...{ path: MONITORS, query: { org }, limit: MOST },
  });
  const monitors = items
    .filter(({ unmanaged }) => unmanaged)
    .map(({ name, environment, check, intervalSeconds, isPublic }) => ({
      ...{ name, environment, check, intervalSeconds, isPublic },
    }));
  const document = { version: 1, monitors };
  output.document(document);
  if (file !== undefined) {
    await writeDocument(file, cwd, document);
    if (!output.quiet) output.print(`Wrote ${monitors.length} monitors to ${file}`);
  } else if (!output.json) output.print(JSON.stringify(document, null, 2));
  return exitCode('ok');
}
