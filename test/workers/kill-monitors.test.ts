import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createIncidentStore } from '../../adapters/mongo/incidents/incidents.ts';
import { createMonitorIndexes } from '../../adapters/mongo/monitor-database.ts';
import { createConditionStore } from '../../adapters/mongo/monitors/conditions.ts';
import { createMonitorStore } from '../../adapters/mongo/monitors/monitors.ts';
import { createChannelStore } from '../../adapters/mongo/notifications/channels.ts';
import { registerMonitor } from '../../domain/monitors/register-monitor.ts';
import { registrationSchema } from '../../domain/monitors/schema.ts';
import { formatWebhookSecret, webhookSecretContext } from '../../domain/notifications/webhook-secret.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';
import { startTemporal, type TestTemporal } from '../support/start-temporal.ts';
import { startWorker, type WorkerProcess } from '../support/start-worker.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const KEY = randomBytes(32);
const ORG = 'acme';

/** A service that answers as it is told, and counts who asks. */
async function startTarget() {
  const target = { status: 200, asked: 0, url: '' };
  const server = createServer((_request, response) => {
    target.asked += 1;
    response.writeHead(target.status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  target.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`;
  return { target, stop: () => server.close().closeAllConnections() };
}

describe('a worker that is killed between a failed check and its notice', { timeout: 280_000 }, () => {
  let [mongo, temporal]: [TestMongo?, TestTemporal?] = [];
  let receiver: WebhookReceiver;
  let service: Awaited<ReturnType<typeof startTarget>>;
  let worker: WorkerProcess | null = null;
  before(async () => {
    [mongo, temporal, receiver, service] = await Promise.all([
      ...([startMongo(), startTemporal()] as const),
      ...([startWebhookReceiver(), startTarget()] as const),
    ]);
    await createMonitorIndexes(mongo.connection.db);
  });
  after(async () => {
    await worker?.kill('SIGKILL');
    receiver.stop();
    service.stop();
    await Promise.all([temporal?.stop(), mongo?.stop()]);
  });

  const start = async (): Promise<void> => {
    assert.ok(mongo && temporal);
    worker = await startWorker({
      ...{ MONGODB_URI: mongo.uri, MONITOR_MONGODB_URI: mongo.uri, TEMPORAL_ADDRESS: temporal.address },
      ...{ LOG_LEVEL: 'silent', MONITOR_URL: 'http://monitor.example.org' },
      MONITOR_ENCRYPTION_KEY: KEY.toString('base64'),
      MONITOR_ALLOWED_NETWORKS: `${ORG}=127.0.0.0/8`,
      WEBHOOK_TRUSTED_ORIGINS: `${ORG}=${receiver.origin}`,
    });
  };
  const restart = async (): Promise<void> => {
    await worker?.kill('SIGKILL');
    await start();
  };

  async function addMonitor(): Promise<string> {
    assert.ok(mongo);
    const { db } = mongo.connection;
    const channelId = newId('channel');
    const secret = formatWebhookSecret(randomBytes(32).toString('base64'));
    const sealed = createSecretCipher([KEY]).seal(secret, webhookSecretContext(channelId));
    const target = { kind: 'webhook', url: `${receiver.origin}/hook`, secrets: [sealed] } as const;
    const createdAt = new Date();
    const channel = { id: channelId, org: ORG, target, createdAt, createdBy: 'usr_ada' } as const;
    await createChannelStore({ db }).insert({ ...channel, state: 'active', confirmation: null });
    const monitors = createMonitorStore({ db });
    const registration = registrationSchema.parse({
      ...{ serviceName: 'shop', org: ORG, environment: 'prod', url: service.target.url, interval: 5 },
    });
    const deps = { monitors, newId, now: () => new Date(), isPlatformHost: () => false };
    return (await registerMonitor(deps, registration)).id;
  }

  /** The kinds of notices that came, each as often as it has an id of its own. */
  const notices = () => [...receiver.notices.values()].toSorted();
  const told = (kind: string, count: number) =>
    waitUntil(`${kind} is told`, () => notices().filter((each) => each === kind).length >= count, {
      ...{ withinMs: 90_000, everyMs: 100 },
    });
  const askedAgain = async (): Promise<void> => {
    const { asked } = service.target;
    await waitUntil('it is checked', () => service.target.asked > asked, { withinMs: 60_000, everyMs: 5 });
  };

  it('leaves one incident and one notice of each outage, and says nothing of the restarts', async () => {
    assert.ok(mongo);
    const { db } = mongo.connection;
    const id = await addMonitor();
    await start();
    const verdict = async () => (await createConditionStore({ db }).find([id])).get(id)?.verdict.verdict;
    await waitUntil('it is up', async () => (await verdict()) === 'up', { withinMs: 60_000, everyMs: 100 });

    service.target.status = 503;
    await askedAgain();
    await restart();
    await told('incident.opened', 1);
    await restart();
    await askedAgain();
    await askedAgain();

    service.target.status = 200;
    await askedAgain();
    await restart();
    await told('incident.resolved', 1);

    await restart();
    await askedAgain();
    assert.deepEqual(notices(), ['incident.opened', 'incident.resolved']);
    const { items } = await createIncidentStore({ db }).list({ org: ORG }, { cursor: null, limit: 10 });
    assert.deepEqual(
      items.map(({ state, monitorId, sequence }) => ({ state, monitorId, sequence })),
      [{ state: 'resolved', monitorId: id, sequence: 1 }],
    );
  });
});
