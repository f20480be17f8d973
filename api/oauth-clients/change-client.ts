import { FairleadError } from '../../domain/errors.ts';
import { type AddedBy, ENTRY_LISTS } from '../../domain/oauth-clients/added-by.ts';
import { type Administrator, type ClientPatch, decideClientPatch } from '../../domain/oauth-clients/administration.ts';
import type { ClientRecord } from '../../domain/oauth-clients/client.ts';
import { sharingChanged } from '../../domain/oauth-clients/client-errors.ts';
import type { ClientChanges, ListEntry } from '../../domain/oauth-clients/ports.ts';
import { checkRedirectUri, checkRedirectUris } from '../../domain/oauth-clients/redirect-uri.ts';
import type { AdministratorCaller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import { idBeforeChange } from '../identity/audit.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { refuseForeignAddresses } from '../identity/mail/registered-hosts.ts';
import { revokeClient } from '../identity/revocation/revoke.ts';
import { refuseFields } from './administrator.ts';
import { actorOf, addedByOf, auditClient, changedFields } from './client-audit.ts';
import { requireChangeable, requireFound } from './require-client.ts';
import { voidingTokensOfClient } from './void-client-tokens.ts';

type Deps = Pick<IdentityDeps, 'clients'>;

/**
 * Every change of a client is told in the audit trail before it is made: an event that cannot be kept changes nothing. A
 * process that ends in between leaves an event of a change that was not made, and whoever repeats it makes another.
 *
 * Changes a client as far as the table of domain/oauth-clients/administration.ts lets `by`; whatever is outside the
 * table is dropped. A scope that is taken away voids the access tokens of the client: services get new ones without it,
 * and people by refreshing.
 *
 * To the lists of `ENTRY_LISTS` the entries that are new are added one by one, each with who added it, and those that are
 * gone are taken away: of two changes at once neither loses what the other adds.
 * @throws CLIENT_NOT_FOUND, FORBIDDEN, INVALID_REDIRECT_URI, VALIDATION_FAILED; CONFLICT as `takesAddition`
 */
export async function changeClient(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  change: { readonly clientId: string; readonly patch: ClientPatch; readonly by: Administrator },
): Promise<ClientRecord> {
  const before = await requireChangeable(deps.clients, change.clientId);
  const { changes, fields, refused } = decideClientPatch(before, withCheckedUris(before, change.patch), change.by);
  refuseFields(refused);
  if (fields.length === 0) return before;
  const wanted = withChanges(before, changes);
  refuseSecretGrants(wanted);
  await refuseForeignAddresses(deps, before.orgSlug, changes.mailTemplates, [wanted]);
  const data = changedFields(before, wanted, fields);
  await auditClient(deps, context, { type: 'oauth.client_updated', client: before, data });
  const write = () => writeChanges(deps, before, changes, addedByOf(context));
  const narrows = before.allowedScopes.some((scope) => !wanted.allowedScopes.includes(scope));
  return narrows ? voidingTokensOfClient(deps, before.clientId, write) : write();
}

/**
 * Registers one more redirect URI. Idempotent.
 * @throws CLIENT_NOT_FOUND, FORBIDDEN, INVALID_REDIRECT_URI; CONFLICT as `takesAddition`
 */
export async function addRedirectUri(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  clientId: string,
  uri: string,
): Promise<ClientRecord> {
  const before = await requireChangeable(deps.clients, clientId);
  const redirectUri = checkRedirectUri(uri, before);
  const by = addedByOf(context);
  const entry = { list: 'redirectUris', value: redirectUri } as const;
  if (before.redirectUris.includes(redirectUri) && !passesTo(before, entry, by)) return before;
  const data = { redirectUri };
  await auditClient(deps, context, { type: 'oauth.client_redirect_uri_added', client: before, data });
  await addEntry(deps, clientId, entry, by);
  return requireFound(await deps.clients.find(clientId), clientId);
}

/** What an org added that shares the service becomes the owner's who adds it as well. */
function passesTo({ addedEntries }: ClientRecord, { list, value }: ListEntry, by: AddedBy): boolean {
  const known = addedEntries.find((entry) => entry.list === list && entry.value === value);
  return by.sharingRevision === null && known !== undefined && known.sharingRevision !== null;
}

/** @throws CLIENT_NOT_FOUND; CONFLICT as `takesAddition` */
async function addEntry({ clients }: Deps, clientId: string, entry: ListEntry, by: AddedBy): Promise<void> {
  if (await clients.addEntry(clientId, entry, by)) return;
  requireFound(await clients.find(clientId), clientId);
  throw sharingChanged(clientId);
}

async function writeChanges(
  deps: Deps,
  before: ClientRecord,
  changes: ClientChanges,
  by: AddedBy,
): Promise<ClientRecord> {
  const { clientId } = before;
  const { redirectUris, postLogoutRedirectUris, customDomains, ...rest } = changes;
  const lists = { redirectUris, postLogoutRedirectUris, customDomains };
  const entriesOf = (values: readonly string[], list: ListEntry['list']) => values.map((value) => ({ list, value }));
  const added = ENTRY_LISTS.flatMap((list) => entriesOf(without(lists[list] ?? [], before[list]), list));
  const removed = ENTRY_LISTS.flatMap((list) => entriesOf(without(before[list], lists[list] ?? before[list]), list));
  for (const entry of added) await addEntry(deps, clientId, entry, by);
  for (const entry of removed) await deps.clients.removeEntry(clientId, entry);
  return requireFound(await deps.clients.update(clientId, rest), clientId);
}

function without(values: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => !others.includes(value));
}

/** Takes a redirect URI away, as it is stored or as it was once given. @throws CLIENT_NOT_FOUND, FORBIDDEN, NOT_FOUND */
export async function removeRedirectUri(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  clientId: string,
  uri: string,
): Promise<ClientRecord> {
  const before = await requireChangeable(deps.clients, clientId);
  const redirectUri = before.redirectUris.find((known) => known === uri || known === normalized(uri));
  if (redirectUri === undefined) throw new FairleadError('NOT_FOUND', `${clientId} has no such redirect URI`);
  const data = { redirectUri };
  await auditClient(deps, context, { type: 'oauth.client_redirect_uri_removed', client: before, data });
  const entry = { list: 'redirectUris', value: redirectUri } as const;
  return requireFound(await deps.clients.removeEntry(clientId, entry), clientId);
}

/**
 * Removes a client, ends its tokens, and forgets what people agreed to for it, so that a later client of its id inherits
 * nothing: before, so that a failure leaves nothing behind without its client, and after, for what came in between. @throws CLIENT_NOT_FOUND, FORBIDDEN for a client of the platform
 */
export async function deleteClient(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  clientId: string,
): Promise<void> {
  const client = await requireChangeable(deps.clients, clientId);
  const options = { actor: actorOf(context), reason: 'client deleted' };
  await revokeClient(deps, context, clientId, options);
  await deps.consents.removeAllOfClient(clientId);
  const type = 'oauth.client_deleted';
  await auditClient(deps, context, { type, client, id: idBeforeChange(type, client) });
  if (!(await deps.clients.remove(clientId))) return;
  await revokeClient(deps, context, clientId, options);
  await deps.consents.removeAllOfClient(clientId);
}

/** The client as it will be: of objects the given parts change. */
function withChanges(client: ClientRecord, { passportConfig, whiteLabel, ...changes }: ClientChanges): ClientRecord {
  return {
    ...client,
    ...changes,
    passportConfig: { ...client.passportConfig, ...passportConfig },
    whiteLabel: { ...client.whiteLabel, ...whiteLabel },
  };
}

/** A public client has nothing to prove itself with where no person is. @throws VALIDATION_FAILED */
export function refuseSecretGrants(client: Pick<ClientRecord, 'clientType' | 'allowedGrantTypes'>): void {
  if (client.clientType === 'confidential' || !client.allowedGrantTypes.includes('client_credentials')) return;
  const details = [{ field: 'allowedGrantTypes', message: 'client_credentials is for confidential clients' }];
  throw new FairleadError('VALIDATION_FAILED', 'A public client cannot have the grant client_credentials', { details });
}

function withCheckedUris(client: ClientRecord, patch: ClientPatch): ClientPatch {
  const { redirectUris, postLogoutRedirectUris } = patch;
  return {
    ...patch,
    ...(redirectUris === undefined ? {} : { redirectUris: checkRedirectUris(redirectUris, client) }),
    // After a log-out people may be sent to any page of the client, not to its callback.
    ...(postLogoutRedirectUris === undefined
      ? {}
      : { postLogoutRedirectUris: checkRedirectUris(postLogoutRedirectUris, { service: null }) }),
  };
}

function normalized(uri: string): string | null {
  try {
    return checkRedirectUri(uri, { service: null });
  } catch {
    return null; // then only the exact text can be one of the client's
  }
}
