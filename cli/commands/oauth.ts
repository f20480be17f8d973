import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { type Consequence, confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { requireChanges } from '../option-values.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { type ClientReply, clientReply, type NewSecretReply, newSecretReply } from '../replies.ts';
import { printFields } from '../terminal/fields.ts';
import { formatAge } from '../terminal/times.ts';

const clientPath = (clientId: string, ...rest: readonly string[]): string =>
  pathOf('oauth', 'clients', clientId, ...rest);

/** `fairlead oauth list`: the clients of the caller's org. */
export async function listClients(context: CliContext, options: { limit: number }): Promise<number> {
  const { output, now } = context;
  const page = await readPages(context.api, clientReply, { path: pathOf('oauth', 'clients'), limit: options.limit });
  output.document(page);
  if (output.quiet) for (const client of page.items) output.print(client.clientId);
  else if (page.items.length === 0)
    output.print('No OAuth clients. A deploy creates one for a service that declares spec.auth.');
  else {
    output.table(
      [{ title: 'CLIENT' }, { title: 'NAME', shrinks: true }, { title: 'ORG' }, { title: 'FOR' }, { title: 'CHANGED' }],
      page.items.map((client) => [
        { text: client.clientId, tone: 'bold' },
        { text: client.name },
        { text: client.orgSlug ?? '' },
        { text: client.service == null ? (client.clientType ?? '') : `${client.service} ${client.environment ?? ''}` },
        { text: formatAge(client.updatedAt, now()), tone: 'dim' },
      ]),
    );
  }
  noteMore(output, page, options.limit);
  return exitCode('ok');
}

/** `fairlead oauth get <client>`. */
export async function getClient(context: CliContext, clientId: string): Promise<number> {
  const client = await context.api.call(clientReply, { method: 'GET', path: clientPath(clientId) });
  showClient(context, client);
  return exitCode('ok');
}

/** `fairlead oauth create <name>`: prints the client and, this once, its secret. */
export async function createClient(context: CliContext, fields: Readonly<Record<string, unknown>>): Promise<number> {
  const path = pathOf('oauth', 'clients');
  const client = await context.api.call(newSecretReply, { method: 'POST', path, body: fields });
  const { output } = context;
  if (output.quiet) output.print(client.clientId);
  else output.print(`Created ${output.paint('bold', client.clientId)}`);
  showSecret(context, client);
  return exitCode('ok');
}

/** `fairlead oauth update <client>`: only what was given changes. */
export async function updateClient(
  context: CliContext,
  clientId: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<number> {
  requireChanges(fields, 'oauth update');
  const client = await context.api.call(clientReply, { method: 'PATCH', path: clientPath(clientId), body: fields });
  showClient(context, client);
  return exitCode('ok');
}

/** `fairlead oauth add-uri` and `remove-uri`. */
export async function changeUri(
  context: CliContext,
  method: 'POST' | 'DELETE',
  given: { readonly clientId: string; readonly redirectUri: string },
): Promise<number> {
  const { clientId, redirectUri } = given;
  const path = clientPath(clientId, 'redirect-uris');
  const client = await context.api.call(clientReply, { method, path, body: { redirectUri } });
  const { output } = context;
  output.document(client);
  for (const uri of client.redirectUris) output.print(uri);
  output.note(method === 'POST' ? `${clientId} may redirect to these now` : `${clientId} may still redirect to these`);
  return exitCode('ok');
}

/** `fairlead oauth add-secret <client>`: a second one; what uses the first goes on. */
export async function addSecret(context: CliContext, clientId: string): Promise<number> {
  const client = await context.api.call(newSecretReply, { method: 'POST', path: clientPath(clientId, 'secrets') });
  showSecret(context, client);
  context.output.note('The other secret works until it is removed: `fairlead oauth remove-secret`');
  return exitCode('ok');
}

/** `fairlead oauth remove-secret <client> <secret>`. */
export async function removeSecret(
  context: CliContext,
  given: { readonly clientId: string; readonly secretId: string },
  options: { yes?: boolean },
): Promise<number> {
  const { clientId, secretId } = given;
  await confirm(context, options, {
    text: 'Clients that still use this secret stop working.',
    command: `oauth remove-secret ${clientId} ${secretId}`,
  });
  const path = clientPath(clientId, 'secrets', secretId);
  const client = await context.api.call(clientReply, { method: 'DELETE', path });
  context.output.document(client);
  context.output.print(context.output.quiet ? secretId : `Removed ${secretId} from ${clientId}`);
  return exitCode('ok');
}

/**
 * `fairlead oauth regenerate-secret <client>`: one new secret in the place of all. A deployed service is cut off until
 * its next deploy, so it is said before it is done, with the way that has no gap.
 */
export async function regenerateSecret(
  context: CliContext,
  clientId: string,
  options: { yes?: boolean },
): Promise<number> {
  const before = await context.api.call(clientReply, { method: 'GET', path: clientPath(clientId) });
  await confirm(context, options, regenerating(before));
  const path = clientPath(clientId, 'regenerate-secret');
  const client = await context.api.call(newSecretReply, { method: 'POST', path });
  showSecret(context, client);
  if (client.service != null) context.output.note(`Until then it is refused with invalid_client: deploy it now.`);
  return exitCode('ok');
}

function regenerating({ clientId, service, environment, secrets }: ClientReply): Consequence {
  const command = `oauth regenerate-secret ${clientId}`;
  const [only, second] = secrets;
  const text =
    service == null
      ? 'Clients that use a current secret are refused immediately.'
      : `${service} in ${environment} uses the current secret: it is refused until its next deploy.`;
  if (only === undefined || second !== undefined) return { text, command };
  const deploy = service == null ? 'put the new one in place' : `deploy ${service}`;
  const [add, remove] = [
    `fairlead oauth add-secret ${clientId}`,
    `fairlead oauth remove-secret ${clientId} ${only.id}`,
  ];
  return { text, command, instead: `Without downtime: \`${add}\`, ${deploy}, \`${remove}\`` };
}

/** `fairlead oauth delete <client>`. */
export async function deleteClient(context: CliContext, clientId: string, options: { yes?: boolean }): Promise<number> {
  await confirm(context, options, {
    text: `Deleting ${clientId} logs its people out and revokes its tokens permanently.`,
    command: `oauth delete ${clientId}`,
  });
  const data = await context.api.call(z.unknown(), { method: 'DELETE', path: clientPath(clientId) });
  context.output.document(data);
  context.output.print(context.output.quiet ? clientId : `Deleted ${clientId}`);
  return exitCode('ok');
}

/** The one time a secret is shown: on stdout, so that it can be piped to where it is kept. */
function showSecret({ output }: CliContext, client: NewSecretReply): void {
  output.document(client);
  if (client.clientSecret == null) return;
  output.print(output.quiet ? client.clientSecret : `Client secret: ${client.clientSecret}`);
  output.note('Save it now: it is shown only once.');
  if (client.service != null) output.note(`The next deploy of ${client.service} injects it automatically.`);
}

/** What a client may do besides, where it is switched on. */
function switchedOn(client: ClientReply): readonly (readonly [string, string])[] {
  const names = [
    client.headlessEnabled === true ? 'headless' : null,
    client.selfServiceEmail === true ? 'self-service e-mail' : null,
    client.trustedInviteSignup === true ? 'trusted sign-up' : null,
    client.trustedClient === true ? 'trusted: no consent' : null,
  ].filter((name) => name !== null);
  return names.length === 0 ? [] : [['Also', names.join(', ')]];
}

function showClient({ output, now }: CliContext, client: ClientReply): void {
  output.document(client);
  if (output.quiet) {
    output.print(client.clientId);
    return;
  }
  const rows: readonly (readonly [string, string])[] = [
    ['Client', `${client.clientId} (${client.name})`],
    ['Org', client.orgSlug ?? ''],
    ...(client.service == null ? [] : [['Service', `${client.service} in ${client.environment ?? ''}`] as const]),
    ['Type', client.clientType ?? ''],
    ['Scopes', client.allowedScopes.join(' ')],
    ['Grants', client.allowedGrantTypes.join(' ')],
    ...switchedOn(client),
    ...client.redirectUris.map((uri) => {
      const entry = client.addedEntries.find(({ list, value }) => list === 'redirectUris' && value === uri);
      return ['Redirect', `${uri}${addedFor(entry)}`] as const;
    }),
    ...client.secrets.map(({ id, lastUsedAt, addedBy }) => {
      const used = lastUsedAt == null ? 'never used' : `used ${formatAge(lastUsedAt, now())}`;
      return ['Secret', `${id}, ${used}${addedFor(addedBy)}`] as const;
    }),
  ];
  printFields(output, rows);
}

/** Who added it by hand, where that is known. */
function addedFor(by: { readonly org?: string | null | undefined; readonly actor: string } | null | undefined): string {
  return by == null ? '' : `, added by ${by.actor}${by.org == null ? '' : ` of ${by.org}`}`;
}
