import { z } from 'zod';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { additionsOf, ENTRY_LISTS, takesAddition } from '../../../domain/oauth-clients/added-by.ts';
import { type ClientRecord, MAX_LIVE_SECRETS } from '../../../domain/oauth-clients/client.ts';
import { sharingChanged } from '../../../domain/oauth-clients/client-errors.ts';
import type { ClientAdditions, ClientChanges, ClientStore } from '../../../domain/oauth-clients/ports.ts';
import { keepRecord } from './keep-record.ts';
import { byText, pageOf } from './page-of.ts';

const BY_ID = {
  cursor: z.tuple([z.string().max(200)]),
  keyOf: ({ clientId }: ClientRecord) => [clientId] as [string],
  compare: byText,
};

const CHANGEABLE: Readonly<Record<keyof ClientChanges, 'whole' | 'parts'>> = {
  name: 'whole',
  description: 'whole',
  redirectUris: 'whole',
  postLogoutRedirectUris: 'whole',
  allowedScopes: 'whole',
  allowedGrantTypes: 'whole',
  trustedClient: 'whole',
  autoApproveScopes: 'whole',
  headlessEnabled: 'whole',
  selfServiceEmail: 'whole',
  trustedInviteSignup: 'whole',
  llmAccessEnabled: 'whole',
  mailTemplates: 'whole',
  customDomains: 'whole',
  accessTokenTtlSeconds: 'whole',
  refreshTokenTtlSeconds: 'whole',
  defaultAudience: 'whole',
  service: 'whole',
  environment: 'whole',
  passportConfig: 'parts',
  whiteLabel: 'parts',
};

const GROWING = ['redirectUris', 'allowedScopes', 'allowedGrantTypes'] as const;
const TOUCH_INTERVAL_MS = 60_000;

/** OAuth clients in this process. What is put in is frozen; what is given out is what is stored. */
export function createInMemoryClientStore({ now }: { readonly now: Clock }): ClientStore {
  const clients = new Map<string, ClientRecord>();
  const found = (clientId: string) => clients.get(clientId) ?? null;
  /** False when there is no such client, or nothing to write. */
  const write = (clientId: string, make: (client: ClientRecord) => Partial<ClientRecord> | null): boolean => {
    const client = clients.get(clientId);
    const changes = client === undefined ? null : make(client);
    if (client === undefined || changes === null) return false;
    clients.set(clientId, keepRecord({ ...client, updatedAt: now(), ...changes }));
    return true;
  };
  const requireTaking = (clientId: string, { addedBy }: ClientRecord['secrets'][number]): void => {
    const client = found(clientId);
    if (client === null) throw new FairleadError('CLIENT_NOT_FOUND', `No client has the id ${clientId}`);
    if (!takesAddition(client, addedBy)) throw sharingChanged(clientId);
  };
  return {
    async insert(client) {
      if (clients.has(client.clientId)) throw new FairleadError('CLIENT_EXISTS', `${client.clientId} exists already`);
      clients.set(client.clientId, keepRecord(client));
    },
    find: async (clientId) => found(clientId),
    async list({ orgSlug, clientIds }, page) {
      const seen = [...clients.values()].filter(
        (client) => orgSlug === null || client.orgSlug === orgSlug || clientIds.includes(client.clientId),
      );
      return pageOf(seen, page, BY_ID);
    },
    async update(clientId, changes, additions = {}) {
      write(clientId, (client) => ({
        ...grown({ ...client, ...changed(client, changes) }, additions),
        updatedAt: now(),
      }));
      return found(clientId);
    },
    setSignIn: async (clientId, { signIn, epoch }) =>
      write(clientId, ({ signInEpoch }) => (signInEpoch > epoch ? null : { signIn, signInEpoch: epoch })),
    async addEntry(clientId, { list, value }, by) {
      const entry = { list, value, ...by };
      const isIt = (known: { list: string; value: string }) => known.list === list && known.value === value;
      write(clientId, (client) => {
        const { addedEntries } = client;
        if (!client[list].includes(value)) {
          if (!takesAddition(client, by)) return null;
          return { [list]: [...client[list], value], addedEntries: [...addedEntries, entry] };
        }
        const passes = addedEntries.some((known) => isIt(known) && known.sharingRevision !== null);
        if (by.sharingRevision !== null || !passes) return null;
        return { addedEntries: addedEntries.map((known) => (isIt(known) ? entry : known)) };
      });
      return found(clientId)?.[list].includes(value) ?? false;
    },
    async removeEntry(clientId, { list, value }) {
      write(clientId, (client) => ({
        [list]: client[list].filter((known) => known !== value),
        addedEntries: client.addedEntries.filter((known) => known.list !== list || known.value !== value),
      }));
      return found(clientId);
    },
    async addSecret(clientId, secret) {
      requireTaking(clientId, secret);
      const added = write(clientId, ({ secrets }) =>
        secrets.length < MAX_LIVE_SECRETS ? { secrets: [...secrets, secret] } : null,
      );
      if (!added) throw new FairleadError('CLIENT_SECRETS_FULL', `Client ${clientId} has its secrets already`);
    },
    async replaceSecrets(clientId, secret) {
      requireTaking(clientId, secret);
      write(clientId, () => ({ secrets: [secret] }));
    },
    putSecretOfKey: async (clientId, secret, replaces) =>
      write(clientId, ({ secrets }) => {
        const known = secrets.find(({ issuedFor }) => issuedFor === secret.issuedFor);
        if ((known?.id ?? null) !== replaces) return null;
        if (known !== undefined) return { secrets: secrets.map((one) => (one === known ? secret : one)) };
        return { secrets: secrets.length < MAX_LIVE_SECRETS ? [...secrets, secret] : [secret] };
      }),
    removeSecret: async (clientId, secretId) =>
      write(clientId, ({ secrets }) => {
        const left = secrets.filter(({ id }) => id !== secretId);
        return left.length === secrets.length ? null : { secrets: left };
      }),
    async touchSecret(clientId, secretId, at) {
      write(clientId, ({ secrets, updatedAt }) => ({ secrets: secrets.map(touched(secretId, at)), updatedAt }));
    },
    withScopesOf: async (service) =>
      [...clients.values()].filter(({ allowedScopes }) =>
        allowedScopes.some((scope) => scope.startsWith(`${service}:`)),
      ),
    async removeScopes(clientId, scopes) {
      write(clientId, ({ allowedScopes }) => {
        const left = allowedScopes.filter((scope) => !scopes.includes(scope));
        return left.length === allowedScopes.length ? null : { allowedScopes: left };
      });
    },
    remove: async (clientId) => clients.delete(clientId),
    async raiseSharingRevision(clientId, revision) {
      write(clientId, ({ sharingRevision }) => ({ sharingRevision: Math.max(sharingRevision, revision) }));
      return found(clientId);
    },
    async removeAdditions(clientId, taken) {
      write(clientId, (client) => {
        const { secretIds, entries } = additionsOf(client, taken);
        const gone = (list: string) => entries.filter((entry) => entry.list === list).map(({ value }) => value);
        const lists = ENTRY_LISTS.map((list) => [list, client[list].filter((value) => !gone(list).includes(value))]);
        return {
          ...Object.fromEntries(lists),
          addedEntries: client.addedEntries.filter((entry) => !entries.includes(entry)),
          secrets: client.secrets.filter(({ id }) => !secretIds.includes(id)),
        };
      });
    },
  };
}

/** The fields that may change; of objects, the parts that they have. */
function changed(client: ClientRecord, changes: ClientChanges): Partial<ClientRecord> {
  const rows = (Object.keys(CHANGEABLE) as (keyof ClientChanges)[]).flatMap((field) => {
    const value = changes[field];
    if (value === undefined) return [];
    return [[field, CHANGEABLE[field] === 'whole' ? value : withParts(client[field], value)] as const];
  });
  return Object.fromEntries(rows);
}

function withParts(whole: unknown, parts: unknown): unknown {
  const known = Object.entries(parts as object).filter(([part]) => Object.hasOwn(whole as object, part));
  return { ...(whole as object), ...Object.fromEntries(known) };
}

function grown(client: ClientRecord, additions: ClientAdditions): ClientRecord {
  const lists = GROWING.map((field) => [field, [...new Set([...client[field], ...(additions[field] ?? [])])]] as const);
  const deploys = additions.redirectUris ?? [];
  const addedEntries = client.addedEntries.filter(
    ({ list, value }) => list !== 'redirectUris' || !deploys.includes(value),
  );
  return { ...client, ...Object.fromEntries(lists), addedEntries };
}

const touched =
  (secretId: string, at: Date) =>
  (secret: ClientRecord['secrets'][number]): ClientRecord['secrets'][number] => {
    const { id, lastUsedAt } = secret;
    const isDue = lastUsedAt === null || at.getTime() - lastUsedAt.getTime() >= TOUCH_INTERVAL_MS;
    return id === secretId && isDue ? { ...secret, lastUsedAt: at } : secret;
  };
