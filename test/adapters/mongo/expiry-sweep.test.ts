import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import * as identity from '../../../adapters/mongo/identity/indexes.ts';
import { createIdentityIndexes, createIdentityStores } from '../../../adapters/mongo/identity-database.ts';
import * as orgs from '../../../adapters/mongo/orgs/indexes.ts';
import {
  at,
  authorizationCode,
  deviceAuthorization,
  grantRecord,
  inviteRecord,
  oneTimeLink,
  revocation,
  sessionRecord,
} from '../../ports/identity/records.ts';
import { startMongo } from '../../support/start-mongo.ts';

const mongo = await startMongo();
after(() => mongo.stop());
const { db } = mongo.connection;
await createIdentityIndexes(db);

const DAY = 86_400;
const YEAR = 365 * DAY;
let seconds = YEAR;
const stores = createIdentityStores({ db, now: () => at(seconds) });

const COLLECTIONS = { ...identity.COLLECTIONS, ...orgs.COLLECTIONS };
const EXPIRIES = { ...identity.EXPIRIES, ...orgs.EXPIRIES };
type Expiring = keyof typeof EXPIRIES;

/** How each collection that expires gets another document; the number makes it a new one. */
const INSERTS: Readonly<Record<Expiring, (n: number) => Promise<unknown>>> = {
  sessions: (n) => stores.sessions.insert(sessionRecord({ id: `ses_${n}`, expiresAt: at(YEAR) })),
  grants: (n) => stores.grants.insert(grantRecord({ id: `grt_${n}`, expiresAt: at(YEAR) })),
  codes: (n) => stores.codes.insert(authorizationCode(`code ${n}`, { expiresAt: at(YEAR - DAY) })),
  devices: (n) => {
    const names = { deviceCodeHash: `dev ${n}`, userCode: `${n}` };
    return stores.devices.insert(deviceAuthorization({ ...names, expiresAt: at(YEAR - DAY) }));
  },
  links: (n) => stores.links.insert(oneTimeLink(`link ${n}`, { userId: `${n}`, expiresAt: at(YEAR) })),
  attempts: (n) => stores.attempts.count(`key ${n}`, DAY, at(YEAR - DAY)),
  revocations: (n) => stores.revocations.add(revocation({ value: `${n}`, expiresAt: at(YEAR) })),
  invites: (n) => {
    return stores.invites.insert(inviteRecord({ id: `inv_${n}`, orgId: `ORG-${n}`, expiresAt: at(YEAR) }));
  },
};

describe('a collection stays as small as what has not expired, without help of the server', () => {
  for (const [name, insert] of Object.entries(INSERTS)) {
    it(`${name}: an insert deletes what is due, at most once a minute, and nothing before it is due`, async () => {
      const count = () => db.collection(COLLECTIONS[name as Expiring]).countDocuments();
      seconds = YEAR - 1;
      await insert(1);
      await insert(2);
      assert.equal(await count(), 2);
      // Due by now, but the last sweep is not a minute ago.
      seconds = YEAR + 58;
      await insert(3);
      assert.equal(await count(), 3);
      seconds = YEAR + 59;
      await insert(4);
      assert.equal(await count(), 1);
    });
  }
});

it('every collection that expires has a TTL index, and making the indexes again changes nothing', async () => {
  await createIdentityIndexes(db);
  for (const [name, { field, keptSeconds }] of Object.entries(EXPIRIES)) {
    const indexes = await db.collection(COLLECTIONS[name as Expiring]).indexes();
    const ttl = indexes.filter((index) => index.expireAfterSeconds !== undefined);
    assert.deepEqual(
      ttl.map(({ key, expireAfterSeconds }) => ({ key, expireAfterSeconds })),
      [{ key: { [field]: 1 }, expireAfterSeconds: keptSeconds }],
      name,
    );
  }
});
