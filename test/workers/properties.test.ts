import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { PropertiesActivities } from '../../activities/properties/index.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { followDatabaseClock } from '../../adapters/mongo/database-clock.ts';
import { COLLECTIONS } from '../../adapters/mongo/properties/indexes.ts';
import { createPropertyStore } from '../../adapters/mongo/properties/properties.ts';
import { properties } from '../../workers/properties.ts';
import { property } from '../ports/properties/property-store.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';

const AHEAD_MS = 3 * 3_600_000;

let mongo: TestMongo;
let folder: string;
before(async () => {
  mongo = await startMongo();
  folder = await mkdtemp(join(tmpdir(), 'fairlead-worker-properties-'));
});
after(async () => {
  await mongo?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('counts calls of vendors by the clock of the database, also on a machine that is three hours ahead', async (t) => {
  const { db } = mongo.connection;
  await createPropertyStore({ db }).insert(property({ domain: 'clock.com' }));
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const credentials = join(folder, 'key.json');
  const key = { type: 'service_account', client_email: 'a@b.iam.gserviceaccount.com', private_key: privateKey };
  await writeFile(credentials, JSON.stringify(key));
  t.mock.method(globalThis, 'fetch', async (input: string | URL | Request) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    return Response.json(pathname === '/token' ? { access_token: 'a', expires_in: 3_600 } : { token: 'text' });
  });
  await using opened = new AsyncDisposableStack();
  const clock = await followDatabaseClock({ db, onFailure: () => undefined });
  opened.defer(clock.close);
  const parts = {
    ...{ settings: {}, connect: async () => mongo.connection, client: {}, subprocessEnv: {}, opened },
    env: {
      ...{ GOOGLE_APPLICATION_CREDENTIALS: credentials, WEBMASTER_OWNER_EMAILS: [], DNS_RESOLVERS: ['192.0.2.1'] },
      STACK_ID: 'test',
    },
    logger: createLogger({ name: 'test', level: 'silent' }),
  } as unknown as Parameters<typeof properties.compose>[0];
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + AHEAD_MS });
  const activities = (await properties.compose(parts)) as PropertiesActivities;
  assert.equal(await activities.requestToken({ domain: 'clock.com', jobId: 'job_1' }), 'requested');
  t.mock.timers.reset();
  const counted = await db.collection<{ _id: string }>(COLLECTIONS.quotaSlots).find().toArray();
  const slots = counted.map(({ _id }) => Date.parse(_id.slice(_id.lastIndexOf('/') + 1)));
  assert.equal(slots.length, 1);
  assert.ok(Math.abs((slots[0] ?? 0) - clock.now().getTime()) < 60_000, counted[0]?._id);
});
