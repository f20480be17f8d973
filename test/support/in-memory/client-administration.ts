import type { z } from 'zod';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createTokens } from '../../../adapters/crypto/tokens.ts';
import { NO_WHITE_LABEL } from '../../../domain/branding/white-label.ts';
import type { Clock } from '../../../domain/clock.ts';
import { epochIsOver } from '../../../domain/deploys/epoch.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type AddedBy, additionsOf } from '../../../domain/oauth-clients/added-by.ts';
import { decideClientPatch } from '../../../domain/oauth-clients/administration.ts';
import type { ActingFor, ClientAdministration } from '../../../domain/oauth-clients/administration-port.ts';
import { type ClientRecord, MAX_LIVE_SECRETS } from '../../../domain/oauth-clients/client.ts';
import {
  type ClientWithSecret,
  clientPatchSchema,
  clientView,
  type NewClient,
  newClientSchema,
  type ProvisionReply,
  type ProvisionRequest,
  provisionBodySchema,
} from '../../../domain/oauth-clients/client-schema.ts';
import { NEW_CLIENT, refusedInCreation } from '../../../domain/oauth-clients/creation.ts';
import { mergeClient } from '../../../domain/oauth-clients/merge-client.ts';
import { serviceClientId } from '../../../domain/oauth-clients/ownership.ts';
import { refusePlatformClient } from '../../../domain/oauth-clients/platform-client.ts';
import { refuseGrantedByAdmin } from '../../../domain/oauth-clients/platform-scopes.ts';
import type { ClientStore } from '../../../domain/oauth-clients/ports.ts';
import { checkRedirectUri, checkRedirectUris } from '../../../domain/oauth-clients/redirect-uri.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';
import { addEntry, addedBy, withEntries } from './client-entries.ts';

export interface InMemoryProvider {
  readonly clients: ClientStore;
  readonly now: Clock;
  /** Slugs of the orgs there are. */
  readonly orgs: ReadonlySet<string>;
}

const tokens = createTokens([Buffer.alloc(32, 3)]);

/** What a provider in this process keeps of a secret. */
export const hashOfSecret = tokens.hash;

/** The identity provider's clients in this process, by the same rules. */
export function createInMemoryClientAdministration(provider: InMemoryProvider): ClientAdministration {
  const { clients } = provider;
  const changed = async (clientId: string, change: Promise<ClientRecord | null>) =>
    clientView(requireFound(await change, clientId));
  return {
    async provision(request, signal) {
      signal.throwIfAborted();
      return await provision(provider, request);
    },
    async setSignIn({ signIn, epoch, ...of }, signal) {
      signal.throwIfAborted();
      const clientId = serviceClientId(of.service, of.environment);
      const client = requireFound(await clients.find(clientId), clientId);
      requireSameOwner(client, of);
      if (!(await clients.setSignIn(clientId, { signIn, epoch }))) throw epochIsOver(of, epoch);
      return { clientId, changed: client.signIn !== signIn };
    },
    async find(clientId) {
      const client = await clients.find(clientId);
      return client === null ? null : clientView(client);
    },
    async list(filter, page) {
      const { items, nextCursor } = await clients.list(filter, page);
      return { items: items.map(clientView), nextCursor };
    },
    create: (client, by) => create(provider, client, by),
    async update(clientId, patch, by) {
      const before = requireFound(await clients.find(clientId), clientId);
      const wanted = checked(clientPatchSchema, patch);
      const { changes, fields, refused } = decideClientPatch(before, withCheckedUris(before, wanted), 'super_admin');
      refuse(refused);
      if (fields.length === 0) return clientView(before);
      refuseSecretGrants({ ...before, ...changes } as ClientRecord);
      const rest = await withEntries(clients, before, changes, by);
      return await changed(clientId, clients.update(clientId, rest));
    },
    async addScopes({ clientId, scopes }) {
      refusePlatformClient(clientId);
      const { allowedScopes } = requireFound(await clients.find(clientId), clientId);
      await clients.update(clientId, {}, { allowedScopes: scopes });
      return { added: scopes.filter((scope) => !allowedScopes.includes(scope)) };
    },
    async revokeScopes({ service, clientId: only }) {
      const all = await clients.withScopesOf(service);
      const holders = all.filter(({ clientId }) => only === undefined || clientId === only);
      for (const { clientId, allowedScopes } of holders) {
        const ofService = allowedScopes.filter((scope) => scope.startsWith(`${service}:`));
        await clients.removeScopes(clientId, ofService);
      }
      return holders.map(({ clientId }) => clientId);
    },
    async removeAdditions({ clientId, ...taken }) {
      refusePlatformClient(clientId);
      const client = await clients.raiseSharingRevision(clientId, taken.revision);
      if (client === null) return { secretIds: [], entries: [] };
      await clients.removeAdditions(clientId, taken);
      const { secretIds, entries } = additionsOf(client, taken);
      return { secretIds: [...secretIds], entries: entries.map(({ list, value }) => ({ list, value })) };
    },
    async remove(clientId) {
      refusePlatformClient(clientId);
      return await clients.remove(clientId);
    },
    async addRedirectUri(clientId, uri, by) {
      const before = requireFound(await clients.find(clientId), clientId);
      const redirectUri = checkRedirectUri(uri, before);
      await addEntry(clients, clientId, { list: 'redirectUris', value: redirectUri }, by);
      return await changed(clientId, clients.find(clientId));
    },
    async removeRedirectUri(clientId, uri) {
      const { redirectUris } = requireFound(await clients.find(clientId), clientId);
      if (!redirectUris.includes(uri)) throw new FairleadError('NOT_FOUND', `${clientId} has no such redirect URI`);
      return await changed(clientId, clients.removeEntry(clientId, { list: 'redirectUris', value: uri }));
    },
    regenerateSecret: (clientId, by) => giveSecret(provider, clientId, 'replaceSecrets', addedBy(by)),
    addSecret: (clientId, by) => giveSecret(provider, clientId, 'addSecret', addedBy(by)),
    async removeSecret(clientId, secretId) {
      requireFound(await clients.find(clientId), clientId);
      if (!(await clients.removeSecret(clientId, secretId))) {
        throw new FairleadError('NOT_FOUND', `Client ${clientId} has no such secret`);
      }
      return await changed(clientId, clients.find(clientId));
    },
  };
}

const away = async (): Promise<never> => {
  const options = { system: 'identity-provider', retryable: true };
  throw new FairleadError('UNAVAILABLE', 'The identity provider cannot be reached.', options);
};

/** The clients of a provider that does not answer. */
export const providerAway: ClientAdministration = {
  provision: away,
  setSignIn: away,
  find: away,
  list: away,
  create: away,
  update: away,
  addScopes: away,
  revokeScopes: away,
  removeAdditions: away,
  remove: away,
  addRedirectUri: away,
  removeRedirectUri: away,
  regenerateSecret: away,
  addSecret: away,
  removeSecret: away,
};

async function provision(provider: InMemoryProvider, request: ProvisionRequest): Promise<ProvisionReply> {
  const wanted = checked(provisionBodySchema, request);
  const clientId = serviceClientId(wanted.service, wanted.environment);
  refuseGrantedByAdmin(wanted.scopes);
  const redirectUris = checkRedirectUris(wanted.redirectUris, { service: wanted.service });
  const existing = await provider.clients.find(clientId);
  if (existing !== null) return await extend(provider, existing, { ...wanted, redirectUris });
  if (!wanted.create) requireFound(null, clientId);
  const { service, environment, orgSlug, scopes, grantTypes, passportConfig = NO_PASSPORT } = wanted;
  const secret = newClientSecret(provider.now(), { issuedFor: wanted.secretFor?.key ?? null });
  const lists = { redirectUris, allowedScopes: scopes, allowedGrantTypes: grantTypes, passportConfig };
  const fields = { clientId, name: service, orgSlug, service, environment, ...lists };
  try {
    await provider.clients.insert(newRecord(provider, { ...fields, secrets: [secret.record], createdBy: 'internal' }));
  } catch (error) {
    // Another call made it in between: then it is there to be extended.
    if (error instanceof FairleadError && error.code === 'CLIENT_EXISTS') return await provision(provider, request);
    throw error;
  }
  const preserved = { redirectUris: [], scopes: [], grantTypes: [] };
  return { clientId, created: true, clientSecret: secret.text, preserved };
}

async function extend(
  provider: InMemoryProvider,
  existing: ClientRecord,
  wanted: z.output<typeof provisionBodySchema>,
): Promise<ProvisionReply> {
  const { clientId } = existing;
  const { service, environment, passportConfig } = wanted;
  requireSameOwner(existing, wanted);
  const merged = mergeClient(existing, wanted);
  const adopted = existing.service === null ? { service, environment } : {};
  const changes = { ...(passportConfig && { passportConfig }), ...adopted };
  await provider.clients.update(clientId, changes, merged.additions);
  const clientSecret = wanted.newSecret ? await secretOf(provider, existing, wanted) : null;
  const { redirectUris, scopes, grantTypes } = merged.preserved;
  const preserved = { redirectUris: [...redirectUris], scopes: [...scopes], grantTypes: [...grantTypes] };
  return { clientId, created: false, clientSecret, preserved };
}

async function secretOf(
  provider: InMemoryProvider,
  { clientId, secrets }: ClientRecord,
  { secretFor }: z.output<typeof provisionBodySchema>,
): Promise<string | null> {
  if (secretFor === undefined) {
    const place = secrets.length < MAX_LIVE_SECRETS ? 'addSecret' : 'replaceSecrets';
    return (await giveSecret(provider, clientId, place, null)).clientSecret;
  }
  const { text, record } = newClientSecret(provider.now());
  const ofKey = { ...record, issuedFor: secretFor.key };
  if (await provider.clients.putSecretOfKey(clientId, ofKey, secretFor.replaces)) return text;
  throw new FairleadError('CONFLICT', `Another secret of ${clientId} was made meanwhile`, { retryable: true });
}

async function create(
  provider: InMemoryProvider,
  given: NewClient & { readonly orgSlug: string },
  by: ActingFor,
): Promise<ClientWithSecret> {
  const wanted = { ...checked(newClientSchema, given), orgSlug: given.orgSlug };
  refuse(refusedInCreation(wanted, 'super_admin', wanted.orgSlug));
  if (!provider.orgs.has(wanted.orgSlug))
    throw new FairleadError('ORG_NOT_FOUND', `No org is called ${wanted.orgSlug}`);
  const secret = wanted.clientType === 'public' ? null : newClientSecret(provider.now(), { addedBy: addedBy(by) });
  const { clientId = `${wanted.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${newId('token').slice(-6)}` } = wanted;
  const uris = withCheckedUris({ service: null }, wanted);
  const objects = {
    passportConfig: { ...NO_PASSPORT, ...wanted.passportConfig },
    whiteLabel: { ...NO_WHITE_LABEL, ...wanted.whiteLabel },
  };
  const secrets = secret === null ? [] : [secret.record];
  const client = newRecord(provider, { ...wanted, ...uris, ...objects, clientId, secrets, createdBy: by.actor });
  refuseSecretGrants(client);
  await provider.clients.insert(client);
  return { ...clientView(client), clientSecret: secret?.text ?? null, secretId: secret?.record.id ?? null };
}

async function giveSecret(
  provider: InMemoryProvider,
  clientId: string,
  how: 'addSecret' | 'replaceSecrets',
  by: AddedBy | null,
): Promise<ClientWithSecret> {
  const client = requireFound(await provider.clients.find(clientId), clientId);
  if (client.clientType === 'public') throw new FairleadError('CONFLICT', `${clientId} is a public client`);
  const { text, record } = newClientSecret(provider.now(), { addedBy: by });
  await provider.clients[how](clientId, record);
  const after = requireFound(await provider.clients.find(clientId), clientId);
  return { ...clientView(after), clientSecret: text, secretId: record.id };
}

/** A secret, and what is kept of it. */
export function newClientSecret(
  createdAt: Date,
  { issuedFor = null, addedBy = null }: { issuedFor?: string | null; addedBy?: AddedBy | null } = {},
) {
  const text = tokens.create('flcs_');
  const record = {
    id: newId('clientSecret'),
    hash: tokens.hash(text),
    issuedFor,
    addedBy,
    createdAt,
    lastUsedAt: null,
  };
  return { text, record };
}

type Required = 'clientId' | 'name' | 'orgSlug' | 'secrets' | 'createdBy';

function newRecord(
  { now }: InMemoryProvider,
  given: Partial<ClientRecord> & Pick<ClientRecord, Required>,
): ClientRecord {
  return { ...NEW_CLIENT, createdAt: now(), updatedAt: now(), ...given };
}

function requireSameOwner(existing: ClientRecord, wanted: Pick<ClientRecord, 'service' | 'environment' | 'orgSlug'>) {
  const { service, environment, orgSlug, clientType, clientId } = existing;
  const isSame = service === null || (service === wanted.service && environment === wanted.environment);
  if (isSame && orgSlug === wanted.orgSlug && clientType === 'confidential') return;
  throw new FairleadError('CLIENT_EXISTS', `The client ${clientId} exists and belongs to someone else`);
}

type Uris = Partial<Pick<ClientRecord, 'redirectUris' | 'postLogoutRedirectUris'>>;

function withCheckedUris<T extends Uris>(client: Pick<ClientRecord, 'service'>, given: T): T {
  const { redirectUris, postLogoutRedirectUris } = given;
  return {
    ...given,
    ...(redirectUris && { redirectUris: checkRedirectUris(redirectUris, client) }),
    ...(postLogoutRedirectUris && {
      postLogoutRedirectUris: checkRedirectUris(postLogoutRedirectUris, { service: null }),
    }),
  };
}

function refuseSecretGrants({ clientType, allowedGrantTypes }: ClientRecord): void {
  if (clientType === 'confidential' || !allowedGrantTypes.includes('client_credentials')) return;
  throw new FairleadError('VALIDATION_FAILED', 'A public client cannot have the grant client_credentials');
}

function refuse(fields: readonly string[]): void {
  if (fields.length > 0) throw forbidden(`You may not set this: ${fields.join(', ')}`);
}

const forbidden = (message: string) => new FairleadError('FORBIDDEN', message);

function checked<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new FairleadError('VALIDATION_FAILED', result.error.message);
}

function requireFound(client: ClientRecord | null, clientId: string): ClientRecord {
  if (client !== null) return client;
  throw new FairleadError('CLIENT_NOT_FOUND', `No client has the id ${clientId}`);
}
