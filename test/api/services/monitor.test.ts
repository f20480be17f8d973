import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { readSection, readServiceEnv } from '../../../adapters/env.ts';
import { createLogger } from '../../../adapters/logging/logger.ts';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { createChannelStore } from '../../../adapters/mongo/notifications/channels.ts';
import type { RunningService } from '../../../api/http/server.ts';
import { monitor } from '../../../api/services/monitor.ts';
import { startService } from '../../../api/start-service.ts';
import { webhookSecretContext } from '../../../domain/notifications/webhook-secret.ts';
import { serviceRow } from '../../../domain/services.ts';
import { freePort } from '../../support/free-port.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { waitUntil } from '../../support/wait-until.ts';

const KEY = 'internal-key-of-this-test-0123456789';
const sealing = randomBytes(32);

let mongo: TestMongo;
let service: RunningService;
let folder: string;
before(async () => {
  mongo = await startMongo();
  folder = await mkdtemp(join(tmpdir(), 'fairlead-monitor-service-'));
  const port = await freePort();
  const env = {
    ...{ INTERNAL_SERVICE_KEY: KEY, MONITOR_ENCRYPTION_KEY: sealing.toString('base64'), DATA_DIR: folder },
    ...{
      MONITOR_PORT: String(port),
      MONITOR_URL: `http://127.0.0.1:${port}`,
      MONITOR_MONGODB_URI: mongo.uriOf('monitor'),
    },
    // Nothing listens there: the service shows what it has without Temporal.
    ...{ TEMPORAL_ADDRESS: '127.0.0.1:1', PLATFORM_DOMAIN: 'example.com' },
  };
  const settings = { settings: readServiceEnv(serviceRow('monitor'), env), own: readSection(monitor.section, env) };
  service = await startService(monitor, settings, createLogger({ name: 'test', level: 'silent' }));
});
after(async () => {
  await service?.stop();
  await mongo?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: object) {
  const response = await fetch(service.address + path, {
    method,
    headers: { 'x-internal-key': KEY, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : null };
}

it('serves on MongoDB without Temporal: registrations, the status page and its copy on disk', async () => {
  const registration = { serviceName: 'shop', org: 'platform', environment: 'prod', url: 'https://shop.example.com/' };
  const { id } = (await call('POST', '/api/pulse/register', registration)).body.data;
  const moved = { ...registration, url: 'https://other.example.com/' };
  assert.equal(
    (await call('POST', '/api/pulse/register', moved)).body.data.id,
    id,
    'hosts of PLATFORM_DOMAIN are one place',
  );
  const detail = (await call('GET', `/api/monitors/${id}`)).body.data;
  assert.deepEqual([detail.state, detail.target, detail.uptime.length], ['pending', 'https://other.example.com/', 4]);
  assert.equal((await call('PATCH', `/api/monitors/${id}`, { paused: true })).body.data.state, 'paused');
  assert.match((await call('GET', '/')).text, /<h1>Fairlead status<\/h1>/);
  const copy = await waitUntil('a copy', () =>
    readFile(join(folder, 'status-page', 'platform.html'), 'utf8').catch(() => null),
  );
  assert.match(copy, /class="stale"/);
  assert.equal((await call('GET', '/health')).status, 200);
});

it('keeps what jobs report, and secrets of webhooks so that the worker opens them, each for its own channel', async () => {
  const check = { kind: 'heartbeat', periodSeconds: 60 };
  const { heartbeatUrl } = (await call('POST', '/api/monitors', { name: 'nightly', check })).body.data;
  assert.equal((await fetch(heartbeatUrl, { method: 'POST' })).status, 200);
  const webhook = { kind: 'webhook', url: 'https://hooks.example.com/' };
  const { id, secret } = (await call('POST', '/api/alerts/channels', webhook)).body.data;
  const connection = await connectMongo(mongo.uriOf('monitor'), 'test');
  const channel = await createChannelStore({ db: connection.db }).find(id);
  await connection.close();
  const [sealed] = channel?.target.kind === 'webhook' ? channel.target.secrets : [];
  assert.ok(sealed);
  const cipher = createSecretCipher([sealing]);
  assert.equal(cipher.open(sealed, webhookSecretContext(id)), secret);
  assert.throws(() => cipher.open(sealed, webhookSecretContext('chn_other')), { code: 'INTERNAL' });
});
