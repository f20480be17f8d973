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
  const { monitors, notes } = await withoutUnset(api, read, org);
  for (const note of notes) output.note(printable(note));
  const { items } = await readPages(api, monitorReply, { path: MONITORS, query: { org }, limit: MOST });
  const known = new Set(items.map(keyOf));
  const added: MonitorReply[] = [];
  for (const { headers, secretHeaders, ...wanted } of monitors) {
    const body = { environment, ...wanted, org };
    if (known.has(keyOf(body))) continue;
    known.add(keyOf(body));
    const sent = [...(headers ?? []), ...(await setSecrets(context, api, body, secretHeaders ?? []))];
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

/** Leaves out, with a note, what sends a secret that is not set here: an export has names alone. */
async function withoutUnset(api: ApiClient, read: ReadMonitors, org: string | undefined): Promise<ReadMonitors> {
  const named = read.monitors.map(({ check }) => secretsIn(check));
  if (named.flat().length === 0) return read;
  const reply = z.looseObject({ items: z.array(checkSecretReply) });
  const { items } = await api.call(reply, { method: 'GET', path: SECRETS, query: { org } });
  const set = new Set(items.map(({ name }) => name));
  const unsetOf = (index: number) => (named[index] ?? []).find((secret) => !set.has(secret));
  const left = read.monitors.flatMap(({ name, check }, index) => {
    const secret = unsetOf(index);
    if (secret === undefined) return [];
    const host = URL.parse(String(check.url))?.host ?? '<host>';
    const remedy = `\`fairlead monitors set-secret ${secret} --host ${host}\``;
    return [`${name}: it sends the secret ${secret}, which is not set: ${remedy}. It is left out.`];
  });
  return {
    monitors: read.monitors.filter((_, index) => unsetOf(index) === undefined),
    notes: [...read.notes, ...left],
  };
}

/** Values of a file become secrets, for the host of their check alone. @returns the headers that name them */
async function setSecrets(
  { output }: CliContext,
  api: ApiClient,
  { name, environment, check, org }: Pick<WantedMonitor, 'name' | 'check'> & { environment: string } & OrgOption,
  headers: NonNullable<WantedMonitor['secretHeaders']>,
): Promise<readonly { readonly name: string; readonly secret: string }[]> {
  const named: { readonly name: string; readonly secret: string }[] = [];
  for (const { name: header, value } of headers) {
    const secret = secretNameOf(name, environment, header);
    await putCheckSecret(api, secret, { value, hosts: [new URL(String(check.url)).host], org });
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
