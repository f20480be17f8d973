import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { COLLECTIONS as AUDIT } from '../../../../adapters/mongo/audit/indexes.ts';
import { COLLECTIONS as IDENTITY } from '../../../../adapters/mongo/identity/indexes.ts';
import { createIdentityIndexes, createIdentityStores } from '../../../../adapters/mongo/identity-database.ts';
import { COLLECTIONS as CLIENTS } from '../../../../adapters/mongo/oauth-clients/indexes.ts';
import { COLLECTIONS as ORGS } from '../../../../adapters/mongo/orgs/indexes.ts';
import { at } from '../../../ports/identity/records.ts';
import { startMongo } from '../../../support/start-mongo.ts';

const mongo = await startMongo();
after(() => mongo.stop());
const { db } = mongo.connection;
await createIdentityIndexes(db);
const stores = createIdentityStores({ db, now: () => at(10) });

const page = { cursor: null, limit: 10 };
const claims = { jti: 'x', sub: 'x', client_id: 'x', iat: 0 };
const alive = { expiresAt: at(100), revokedAt: null };
const invite = { tokenHash: 'x', orgId: 'x', acceptedAt: null, ...alive };
const link = { tokenHash: 'x', purpose: 'magic_link', consumedAt: null, ...alive };

const COLLECTIONS = { ...IDENTITY, ...ORGS, ...CLIENTS, ...AUDIT };

/** What something else wrote into a collection, just enough of it to be found, and every way to read it. */
const FOREIGN: Readonly<Record<keyof typeof COLLECTIONS, [object, Record<string, () => Promise<unknown>>]>> = {
  users: [
    { email: 'x', platformRoles: [], passkeys: [{ credentialId: 'x' }] },
    {
      find: () => stores.users.find('x'),
      findByEmail: () => stores.users.findByEmail('x'),
      findByPasskey: () => stores.users.findByPasskey('x'),
      list: () => stores.users.list({ query: null }, page),
      update: () => stores.users.update('x', { firstName: 'A' }),
    },
  ],
  // Only ever asked whether a document matches, never read.
  passkeyOwners: [{}, {}],
  sessions: [
    { secretHash: 'x', userId: 'x', ...alive },
    {
      find: () => stores.sessions.find('x'),
      findBySecretHash: () => stores.sessions.findBySecretHash('x'),
      listOfUser: () => stores.sessions.listOfUser('x', at(10)),
    },
  ],
  grants: [
    { userId: 'x', ...alive },
    { find: () => stores.grants.find('x'), listOfUser: () => stores.grants.listOfUser('x', at(10)) },
  ],
  codes: [{ expiresAt: at(100), redeemedFor: null }, { find: () => stores.codes.find('x') }],
  devices: [
    { userCode: 'x', expiresAt: at(100) },
    {
      findByUserCode: () => stores.devices.findByUserCode('x', at(10)),
      findByDeviceCodeHash: () => stores.devices.findByDeviceCodeHash('x'),
      poll: () => stores.devices.poll('x', at(10)),
    },
  ],
  consents: [{ userId: 'x', clientId: 'x', scopes: [1] }, { find: () => stores.consents.find('x', 'x') }],
  links: [
    link,
    {
      find: () => stores.links.find('x', 'magic_link'),
      consume: () => stores.links.consume('x', 'magic_link', at(10)),
    },
  ],
  attempts: [
    { until: at(100) },
    { read: () => stores.attempts.read('x', at(10)), count: () => stores.attempts.count('x', 60, at(10)) },
  ],
  revocations: [
    { _id: 'token:x', ...alive, revokedAt: at(5) },
    { since: () => stores.revocations.since(at(0)), isRevoked: () => stores.revocations.isRevoked(claims) },
  ],
  signingKeys: [{ _id: 'key-set', version: 0, keys: [] }, { read: () => stores.signingKeys.read() }],
  orgs: [
    { _id: 'ORG-x', slug: 'x', onlyOne: 'platform' },
    {
      findById: () => stores.orgs.find('ORG-x'),
      findBySlug: () => stores.orgs.find('x'),
      findPlatformOrg: () => stores.orgs.findPlatformOrg(),
      findMany: () => stores.orgs.findMany(['ORG-x']),
      list: () => stores.orgs.list(page),
      update: () => stores.orgs.update('ORG-x', { name: 'A' }),
    },
  ],
  memberships: [
    { userId: 'x', orgId: 'x' },
    {
      find: () => stores.memberships.find('x', 'x'),
      listOfUser: () => stores.memberships.listOfUser('x'),
      listOfOrg: () => stores.memberships.listOfOrg('x', page),
    },
  ],
  invites: [
    invite,
    {
      findByTokenHash: () => stores.invites.findByTokenHash('x'),
      listOpen: () => stores.invites.listOpen('x', at(10)),
      consume: () => stores.invites.consume('x', 'usr_1', at(10)),
    },
  ],
  orgGrants: [
    { clientId: 'x', orgSlug: 'x', grant: 'org:everything' },
    { find: () => stores.orgGrants.find('x', 'x'), listOfOrg: () => stores.orgGrants.listOfOrg('x') },
  ],
  clients: [
    { orgSlug: 'x' },
    {
      find: () => stores.clients.find('x'),
      list: () => stores.clients.list({ orgSlug: null, clientIds: [] }, page),
      update: () => stores.clients.update('x', { name: 'A' }),
      removeEntry: () => stores.clients.removeEntry('x', { list: 'redirectUris', value: 'x' }),
    },
  ],
  events: [{ subject: 'x' }, { list: () => stores.audit.list({ subject: 'x' }, page) }],
};

describe('a document that another program wrote is refused without showing its content', () => {
  for (const [name, [document, reads]] of Object.entries(FOREIGN)) {
    for (const [method, read] of Object.entries(reads)) {
      it(`${name}.${method}`, async () => {
        const collection = db.collection<{ _id: string }>(COLLECTIONS[name as keyof typeof FOREIGN]);
        await collection.deleteMany({});
        const stored = { _id: 'x', ...document, passwordHash: ['canary'], secrets: 'canary', privateKey: 'canary' };
        await collection.insertOne(stored);
        await assert.rejects(read, (error: { code?: string }) => {
          assert.equal(error.code, 'INTERNAL');
          assert.doesNotMatch(inspect(error, { depth: 9 }), /canary/);
          return true;
        });
      });
    }
  }
});
