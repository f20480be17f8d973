import type { Db, Document, Filter, UpdateFilter } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type AddedBy, additionsOf } from '../../../domain/oauth-clients/added-by.ts';
import { type ClientRecord, MAX_LIVE_SECRETS } from '../../../domain/oauth-clients/client.ts';
import { clientExists, secretsFull, sharingChanged } from '../../../domain/oauth-clients/client-errors.ts';
import type { ClientAdditions, ClientChanges, ClientFilter, ClientStore } from '../../../domain/oauth-clients/ports.ts';
import type { PassportConfig } from '../../../domain/passport-config.ts';
import { storedMailTemplates, WHITE_LABEL_PARTS } from '../appearance-fields.ts';
import { mongoCall } from '../connect.ts';
import { insertNew } from '../insert-new.ts';
import { pageById } from '../page-by-id.ts';
import { pickChanges, pickParts } from '../pick-changes.ts';
import { type ClientDocument, clientDocument, readClient } from './client-document.ts';
import { COLLECTIONS } from './indexes.ts';

/** Changed part by part: the parts that are not given stay as they are. */
const PASSPORT_PARTS: Readonly<Record<keyof PassportConfig, true>> = {
  includeBranding: true,
  includeEntityHash: true,
  headless: true,
  allowedEmbedOrigins: true,
};

/** Changed as a whole. */
const CHANGEABLE: Readonly<
  Record<Exclude<keyof ClientChanges, 'passportConfig' | 'whiteLabel' | 'mailTemplates'>, true>
> = {
  name: true,
  description: true,
  redirectUris: true,
  postLogoutRedirectUris: true,
  allowedScopes: true,
  allowedGrantTypes: true,
  trustedClient: true,
  autoApproveScopes: true,
  headlessEnabled: true,
  selfServiceEmail: true,
  trustedInviteSignup: true,
  llmAccessEnabled: true,
  customDomains: true,
  accessTokenTtlSeconds: true,
  refreshTokenTtlSeconds: true,
  defaultAudience: true,
  service: true,
  environment: true,
};

const GROWING = ['redirectUris', 'allowedScopes', 'allowedGrantTypes'] as const satisfies (keyof ClientAdditions)[];

const TOUCH_INTERVAL_MS = 60_000;

/** OAuth clients in MongoDB: one document each, its secrets inside, so that their limit is held by one update. */
export function createClientStore(deps: { db: Db; now: Clock }): ClientStore {
  const collection = deps.db.collection<ClientDocument>(COLLECTIONS.clients);

  async function changed(clientId: string, update: UpdateFilter<ClientDocument>): Promise<ClientRecord | null> {
    // What it answers may already hold a later writer's change: it is the client as it is afterwards all the same.
    const options = { returnDocument: 'after' } as const;
    const document = await mongoCall(() => collection.findOneAndUpdate({ _id: clientId }, update, options));
    return document === null ? null : readClient(document);
  }

  async function matches(
    filter: Filter<ClientDocument>,
    update: UpdateFilter<ClientDocument>,
    arrayFilters: Document[] = [],
  ): Promise<boolean> {
    const options = arrayFilters.length === 0 ? {} : { arrayFilters };
    const { matchedCount } = await mongoCall(() => collection.updateOne(filter, update, options));
    return matchedCount === 1;
  }

  /** Why a write that depends on `taking` matched nothing. @throws CLIENT_NOT_FOUND, CONFLICT */
  async function requireTaking(clientId: string, by: AddedBy | null): Promise<void> {
    const count = (filter: Filter<ClientDocument>) =>
      mongoCall(() => collection.countDocuments({ _id: clientId, ...filter }, { limit: 1 }));
    if ((await count({})) === 0) throw notFound(clientId);
    if ((await count(taking(by))) === 0) throw sharingChanged(clientId);
  }

  return {
    async insert(client) {
      await insertNew(collection, clientDocument(client), () => clientExists(client.clientId));
    },
    async find(clientId) {
      const document = await mongoCall(() => collection.findOne({ _id: clientId }));
      return document === null ? null : readClient(document);
    },
    list: (filter, page) => pageById(collection, { page, filter: ownedBy(filter), read: readClient, longestId: 200 }),
    async update(clientId, changes, additions = {}) {
      return changed(clientId, updateOf(changes, additions, deps.now()));
    },
    async setSignIn(clientId, { signIn, epoch }) {
      const notNewer = { _id: clientId, signInEpoch: { $not: { $gt: epoch } } };
      return matches(notNewer, { $set: { signIn, signInEpoch: epoch, updatedAt: deps.now() } });
    },
    async addEntry(clientId, { list, value }, by) {
      const entry = { list, value, ...by };
      const at = { updatedAt: deps.now() };
      const lacks = { _id: clientId, [list]: { $ne: value }, ...taking(by) };
      const push = { $push: { [list]: value, addedEntries: entry }, $set: at } as UpdateFilter<ClientDocument>;
      if (await matches(lacks, push)) return true;
      const has = { _id: clientId, [list]: value };
      if (by.sharingRevision === null) {
        const shared = { addedEntries: { $elemMatch: { list, value, sharingRevision: { $ne: null } } } };
        const pass = { $set: { 'addedEntries.$[it]': entry, ...at } };
        await matches({ ...has, ...shared }, pass, [{ 'it.list': list, 'it.value': value }]);
      }
      return (await mongoCall(() => collection.countDocuments(has, { limit: 1 }))) === 1;
    },
    async removeEntry(clientId, { list, value }) {
      const pull = { $pull: { [list]: value, addedEntries: { list, value } }, $set: { updatedAt: deps.now() } };
      return changed(clientId, pull as UpdateFilter<ClientDocument>);
    },
    async addSecret(clientId, secret) {
      const room = { [`secrets.${MAX_LIVE_SECRETS - 1}`]: { $exists: false } };
      const hasRoom = { _id: clientId, ...room, ...taking(secret.addedBy) };
      if (await matches(hasRoom, { $push: { secrets: secret }, $set: { updatedAt: deps.now() } })) return;
      await requireTaking(clientId, secret.addedBy);
      throw secretsFull(clientId);
    },
    async replaceSecrets(clientId, secret) {
      const takes = { _id: clientId, ...taking(secret.addedBy) };
      if (await matches(takes, { $set: { secrets: [secret], updatedAt: deps.now() } })) return;
      await requireTaking(clientId, secret.addedBy);
      throw sharingChanged(clientId);
    },
    async putSecretOfKey(clientId, secret, replaces) {
      const key = secret.issuedFor;
      const at = { updatedAt: deps.now() };
      if (replaces !== null) {
        const seen = { _id: clientId, secrets: { $elemMatch: { id: replaces, issuedFor: key } } };
        return matches(seen, { $set: { 'secrets.$[seen]': secret, ...at } }, [{ 'seen.id': replaces }]);
      }
      const last = `secrets.${MAX_LIVE_SECRETS - 1}`;
      const without = { _id: clientId, 'secrets.issuedFor': { $ne: key } };
      const added = await matches({ ...without, [last]: { $exists: false } }, { $push: { secrets: secret }, $set: at });
      return added || matches({ ...without, [last]: { $exists: true } }, { $set: { secrets: [secret], ...at } });
    },
    async removeSecret(clientId, secretId) {
      const update = { $pull: { secrets: { id: secretId } }, $set: { updatedAt: deps.now() } };
      return matches({ _id: clientId, 'secrets.id': secretId }, update);
    },
    async touchSecret(clientId, secretId, at) {
      const longAgo = new Date(at.getTime() - TOUCH_INTERVAL_MS);
      const used = { $elemMatch: { id: secretId, lastUsedAt: { $not: { $gt: longAgo } } } };
      await mongoCall(() =>
        collection.updateOne(
          { _id: clientId, secrets: used },
          { $set: { 'secrets.$[used].lastUsedAt': at } },
          { arrayFilters: [{ 'used.id': secretId }] },
        ),
      );
    },
    async withScopesOf(service) {
      // Names of services have no characters that mean something in a pattern.
      const ofService = new RegExp(`^${service}:`);
      return (await mongoCall(() => collection.find({ allowedScopes: ofService }).toArray())).map(readClient);
    },
    async removeScopes(clientId, scopes) {
      const has = { _id: clientId, allowedScopes: { $in: [...scopes] } };
      const update = { $pull: { allowedScopes: { $in: [...scopes] } }, $set: { updatedAt: deps.now() } };
      await mongoCall(() => collection.updateOne(has, update));
    },
    async remove(clientId) {
      const { deletedCount } = await mongoCall(() => collection.deleteOne({ _id: clientId }));
      return deletedCount === 1;
    },
    async raiseSharingRevision(clientId, revision) {
      return changed(clientId, { $max: { sharingRevision: revision }, $set: { updatedAt: deps.now() } });
    },
    async removeAdditions(clientId, taken) {
      const { org, revision } = taken;
      const added = { 'addedBy.org': org, 'addedBy.sharingRevision': { $lt: revision } };
      const pull = { $pull: { secrets: added }, $set: { updatedAt: deps.now() } } as UpdateFilter<ClientDocument>;
      const client = await changed(clientId, pull);
      if (client === null) return;
      for (const { list, value, actor, sharingRevision } of additionsOf(client, taken).entries) {
        // Unless it passed to somebody else meanwhile.
        const entry = { list, value, org, actor, sharingRevision };
        const remove = { $pull: { [list]: value, addedEntries: entry }, $set: { updatedAt: deps.now() } };
        const is = { _id: clientId, addedEntries: { $elemMatch: entry } };
        await matches(is, remove as UpdateFilter<ClientDocument>);
      }
    },
  };
}

/** The rule `takesAddition`, as a condition of the write. */
function taking(by: AddedBy | null): Filter<ClientDocument> {
  if (by === null || by.sharingRevision === null) return {};
  return { sharingRevision: { $not: { $gt: by.sharingRevision } } };
}

function notFound(clientId: string): FairleadError {
  return new FairleadError('CLIENT_NOT_FOUND', `No client has the id ${clientId}`);
}

function ownedBy({ orgSlug, clientIds }: ClientFilter): Filter<ClientDocument> {
  if (orgSlug === null) return {};
  return { $or: [{ orgSlug }, { _id: { $in: [...clientIds] } }] };
}

/** A list that is replaced and added to at once is set to both together: one field takes one operator. */
function updateOf(changes: ClientChanges, additions: ClientAdditions, now: Date): Document {
  const set: Record<string, unknown> = {
    ...pickChanges(changes, CHANGEABLE),
    ...pickParts('passportConfig', changes.passportConfig, PASSPORT_PARTS),
    ...pickParts('whiteLabel', changes.whiteLabel, WHITE_LABEL_PARTS),
    updatedAt: now,
  };
  if (changes.mailTemplates !== undefined) set.mailTemplates = storedMailTemplates(changes.mailTemplates);
  const add: Record<string, { $each: readonly string[] }> = {};
  for (const field of GROWING) {
    const added: readonly string[] = additions[field] ?? [];
    const replaced: readonly string[] | undefined = changes[field];
    if (replaced !== undefined) set[field] = [...new Set([...replaced, ...added])];
    else if (added.length > 0) add[field] = { $each: added };
  }
  const uris = additions.redirectUris ?? [];
  return {
    $set: set,
    ...(Object.keys(add).length === 0 ? {} : { $addToSet: add }),
    ...(uris.length === 0 ? {} : { $pull: { addedEntries: { list: 'redirectUris', value: { $in: uris } } } }),
  } as Document;
}
