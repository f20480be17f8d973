import { z } from 'zod';
import { type ApiClient, pathOf } from '../api-client.ts';
import { usageFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToMonitor } from '../monitor-api.ts';
import { checkSecretReply, monitorReply } from '../monitor-replies.ts';
import { orgText } from '../org-text.ts';
import { type HeaderOptions, headersOfOptions, headersText } from '../request-headers.ts';
import { readSecrets } from '../secret-input.ts';
import { printable } from '../terminal/style.ts';
import { formatAge } from '../terminal/times.ts';
import { findMonitor } from './monitors.ts';

export const SECRETS = pathOf('api', 'monitor-secrets');

interface OrgOption {
  readonly org?: string | undefined;
}

/** `fairlead monitors secrets`. */
export async function listCheckSecrets(context: CliContext, { org }: OrgOption): Promise<number> {
  const { output, now } = context;
  const reply = z.looseObject({ items: z.array(checkSecretReply) });
  const page = await connectToMonitor(context).call(reply, { method: 'GET', path: SECRETS, query: { org } });
  output.document(page);
  if (output.quiet) for (const { name } of page.items) output.print(name);
  else if (page.items.length === 0) {
    output.print('There is none. Set one: `fairlead monitors set-secret <name> --host <host>`');
  } else {
    output.table(
      [
        { title: 'SECRET' },
        { title: 'HOSTS', shrinks: true },
        { title: 'MONITORS' },
        { title: 'SET' },
        { title: 'BY' },
      ],
      page.items.map(({ name, hosts, usedBy, setAt, setBy }) => [
        { text: name, tone: 'bold' },
        { text: hosts.join(', ') },
        { text: String(usedBy) },
        { text: formatAge(setAt, now()), tone: 'dim' },
        { text: setBy, tone: 'dim' },
      ]),
    );
  }
  return exitCode('ok');
}

export interface SetSecretOptions extends OrgOption {
  readonly host: readonly string[];
}

/** `fairlead monitors set-secret <name>`: the value is prompted for, or read from stdin. */
export async function setCheckSecret(
  context: CliContext,
  name: string,
  { host: hosts, org }: SetSecretOptions,
): Promise<number> {
  const { output } = context;
  const { [name]: value = '' } = await readSecrets([name], context.terminal);
  const made = await putCheckSecret(connectToMonitor(context), name, { value, hosts, org });
  output.document(made);
  if (!output.quiet) output.print(`Set ${printable(made.name)}: checks send it to ${printable(made.hosts.join(', '))}`);
  return exitCode('ok');
}

export async function putCheckSecret(
  api: ApiClient,
  name: string,
  { value, hosts, org }: { readonly value: string; readonly hosts: readonly string[] } & OrgOption,
): Promise<z.output<typeof checkSecretReply>> {
  const path = pathOf('api', 'monitor-secrets', name);
  return await api.call(checkSecretReply, { method: 'PUT', path, query: { org }, body: { value, hosts } });
}

/** `fairlead monitors remove-secret <name>`. */
export async function removeCheckSecret(
  context: CliContext,
  name: string,
  { org, ...options }: OrgOption & { readonly yes?: boolean },
): Promise<number> {
  const { output } = context;
  await confirm(context, options, {
    text: `Nobody can read the value of ${name} again: it is gone.`,
    command: `monitors remove-secret ${name}${orgText(org)}`,
  });
  const path = pathOf('api', 'monitor-secrets', name);
  const removed = await connectToMonitor(context).call(checkSecretReply, { method: 'DELETE', path, query: { org } });
  output.document(removed);
  if (!output.quiet) output.print(`Removed ${printable(removed.name)}`);
  return exitCode('ok');
}

/** `fairlead monitors headers <monitor>`: all that its check sends from now on. */
export async function setHeaders(
  context: CliContext,
  given: string,
  { none = false, ...options }: HeaderOptions & { readonly none?: boolean },
): Promise<number> {
  const { output } = context;
  const headers = headersOfOptions(options) ?? [];
  if ((headers.length === 0) !== none) {
    const wrong = none ? 'Headers were given, and --none as well.' : 'No header was given.';
    throw usageFailure(wrong, 'Name all that it sends, by --header and --header-secret, or --none.');
  }
  const api = connectToMonitor(context);
  const { id, name } = await findMonitor(context, api, given);
  const path = pathOf('api', 'monitors', id);
  const monitor = await api.call(monitorReply, { method: 'PATCH', path, body: { headers } });
  output.document(monitor);
  if (!output.quiet) {
    const sent = headersText(monitor.check);
    output.print(
      sent === null ? `${name} is checked without headers of its own` : `${name} is sent ${printable(sent)}`,
    );
  }
  return exitCode('ok');
}
