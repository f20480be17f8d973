import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { COLLECTIONS } from '../../adapters/mongo/incidents/indexes.ts';
import { createMonitorIndexes } from '../../adapters/mongo/monitor-database.ts';
import { createConditionStore } from '../../adapters/mongo/monitors/conditions.ts';
import { createChannelStore } from '../../adapters/mongo/notifications/channels.ts';
import { formatWebhookSecret, webhookSecretContext } from '../../domain/notifications/webhook-secret.ts';
import { channelRecord } from '../ports/notifications/notification-stores.ts';
import { registerServices } from '../support/register-services.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';
import { startTemporal, type TestTemporal } from '../support/start-temporal.ts';
import { startWorker, type WorkerProcess } from '../support/start-worker.ts';
import { waitUntil } from '../support/wait-until.ts';

/** The whole proof is of 5,000 services that are checked every 30 seconds: FAIRLEAD_TEST_MANY_DOWN=5000. A few are checked more often. */
const MONITORS = Number(process.env.FAIRLEAD_TEST_MANY_DOWN ?? 60);
const IS_WHOLE = process.env.FAIRLEAD_TEST_MANY_DOWN !== undefined;
const INTERVAL_SECONDS = IS_WHOLE ? 30 : 5;
/** An outage of all is told within its interval and 15 seconds; a machine that does other work besides takes longer. */
const TOLD_WITHIN_MS = IS_WHOLE ? 45_000 : 90_000;
const KEY = randomBytes(32);
const ORG = 'acme';

/** Services on one port, which answer as they are told. */
async function startServices() {
  const services = { status: 200, port: 0 };
  const server = createServer((_request, response) => response.writeHead(services.status).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  services.port = (server.address() as AddressInfo).port;
  return { services, stop: () => server.close().closeAllConnections() };
}

/** Counts what is said to be down. */
async function startReceiver() {
  const told: { readonly count: number; readonly kind: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { type, data } = JSON.parse(body);
    told.push({ kind: type, count: data.count ?? 1 });
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { told, origin, stop: () => server.close().closeAllConnections() };
}

describe('services that are all down at once', { timeout: 280_000 }, () => {
  let [mongo, temporal]: [TestMongo?, TestTemporal?] = [];
  let site: Awaited<ReturnType<typeof startServices>>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let worker: WorkerProcess | null = null;
  before(async () => {
    [mongo, temporal, site, receiver] = await Promise.all([
      ...([startMongo(), startTemporal(), startServices(), startReceiver()] as const),
    ]);
    await createMonitorIndexes(mongo.connection.db);
  });
  after(async () => {
    await worker?.kill('SIGKILL');
    for (const part of [site, receiver]) part.stop();
    await Promise.all([temporal?.stop(), mongo?.stop()]);
  });

  async function addMonitors(): Promise<readonly string[]> {
    assert.ok(mongo);
    const { db } = mongo.connection;
    const id = newId('channel');
    const secret = formatWebhookSecret(randomBytes(32).toString('base64'));
    const sealed = createSecretCipher([KEY]).seal(secret, webhookSecretContext(id));
    const target = { kind: 'webhook', url: `${receiver.origin}/hook`, secrets: [sealed] } as const;
    await createChannelStore({ db }).insert(channelRecord({ id, org: ORG, target }));
    return await registerServices(db, MONITORS, {
      ...{ org: ORG, intervalSeconds: INTERVAL_SECONDS },
      urlOf: (name) => `http://${name}.localhost:${site.services.port}/health`,
    });
  }

  async function start(): Promise<void> {
    assert.ok(mongo && temporal);
    worker = await startWorker({
      ...{ MONGODB_URI: mongo.uri, MONITOR_MONGODB_URI: mongo.uri, TEMPORAL_ADDRESS: temporal.address },
      ...{ LOG_LEVEL: 'silent', MONITOR_URL: 'http://monitor.example.org' },
      ...{ PLATFORM_DOMAIN: 'localhost', EDGE_PORT: String(site.services.port) },
      MONITOR_ENCRYPTION_KEY: KEY.toString('base64'),
      WEBHOOK_TRUSTED_ORIGINS: `${ORG}=${receiver.origin}`,
    });
  }

  it('are told as one, and all on record before the workflows of their incidents have begun', async (context) => {
    assert.ok(mongo);
    const { db } = mongo.connection;
    const ids = await addMonitors();
    await start();
    const conditions = createConditionStore({ db });
    const areUp = async () => {
      const found = [...(await conditions.find(ids)).values()];
      return found.filter(({ verdict }) => verdict.verdict === 'up').length === MONITORS;
    };
    await waitUntil('all are up', areUp, { withinMs: 120_000, everyMs: 500 });

    site.services.status = 503;
    const began = performance.now();
    const seconds = () => `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    const toldDown = () =>
      receiver.told.filter(({ kind }) => kind === 'incident.opened').reduce((sum, { count }) => sum + count, 0);
    await waitUntil('all are told', () => toldDown() === MONITORS, { withinMs: TOLD_WITHIN_MS, everyMs: 50 });
    context.diagnostic(`${MONITORS} told after ${seconds()}`);
    const collection = db.collection(COLLECTIONS.incidents);
    assert.equal(await collection.countDocuments({ org: ORG, resolvedAt: null }), MONITORS, `on record, ${seconds()}`);
    const begun = await collection.countDocuments({ begun: true });
    context.diagnostic(`the workflows of ${begun} have begun by then`);
    assert.ok(receiver.told.length <= 4, `${receiver.told.length} notices`);
  });
});
