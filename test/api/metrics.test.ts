import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';
import { freePort } from '../support/free-port.ts';
import { parseExposition, samplesOf, sampleValue } from '../support/parse-exposition.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';

const MAIN = fileURLToPath(new URL('../../api/main.ts', import.meta.url));
const KEY = 'internal-key-of-this-test-0123456789';
const TOKEN = randomBytes(32).toString('base64url');

let mongo: TestMongo;
let child: ChildProcess;
let wallet: string;
let registry: string;
let metrics: string;
const output: string[] = [];
before(async () => {
  mongo = await startMongo();
  const [walletPort, registryPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  wallet = `http://127.0.0.1:${walletPort}`;
  registry = `http://127.0.0.1:${registryPort}`;
  metrics = `http://127.0.0.1:${metricsPort}/metrics`;
  child = fork(MAIN, ['--only', 'wallet,registry'], {
    env: {
      ...runtimeVariables(process.env),
      ...{ PATH: process.env.PATH, INTERNAL_SERVICE_KEY: KEY, TEMPORAL_ADDRESS: '127.0.0.1:9' },
      ...{ MONGODB_URI: mongo.uri, WALLET_MONGODB_URI: mongo.uri, REGISTRY_MONGODB_URI: mongo.uri },
      ...{ WALLET_PORT: String(walletPort), SERVICE_REGISTRY_PORT: String(registryPort) },
      ...{ METRICS_PORT: String(metricsPort), METRICS_TOKEN: TOKEN },
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
  const ended = once(child, 'exit').then(() => assert.fail(output.join('')));
  await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(60_000) }), ended]);
});
after(async () => {
  const ended = child.exitCode === null ? once(child, 'exit') : null;
  child.kill('SIGTERM');
  await ended;
  await mongo.stop();
});

async function scrape() {
  const response = await fetch(metrics, { headers: { authorization: `Bearer ${TOKEN}` } });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  return parseExposition(await response.text());
}

const ask = (address: string, path: string, method = 'GET') =>
  fetch(address + path, { method, headers: { 'x-internal-key': KEY } }).then((response) => response.text());

it('requests of ids, of paths that are none and of methods that are none make no new series', async () => {
  const series = async (): Promise<number> => samplesOf(await scrape(), 'fairlead_http_requests_total').length;
  const paths = (round: number) => [
    `/v1/services/svc-${round}`,
    `/nothing-${round}/${round}`,
    `/v1/services/x-${round}?q=${round}`,
  ];
  for (const path of paths(0)) await ask(registry, path);
  await ask(registry, '/openapi.json', 'DELETE');
  await ask(wallet, '/health');
  const before = await series();
  for (let round = 1; round < 40; round += 1) for (const path of paths(round)) await ask(registry, path);
  for (const method of ['PROPFIND', 'MKCOL', 'LOCK', 'SEARCH']) await ask(registry, '/nothing', method);
  const families = await scrape();
  const known = samplesOf(families, 'fairlead_http_requests_total');
  assert.equal(known.length, before + 1, JSON.stringify(known.map(({ labels }) => labels)));
  const routes = new Set(known.map(({ labels }) => `${labels.service} ${labels.route}`));
  assert.deepEqual([...routes].sort(), [
    ...['registry /openapi.json', 'registry /v1/services/:serviceId', 'registry other', 'wallet /health'],
  ]);
  const ofIds = { service: 'registry', route: '/v1/services/:serviceId', method: 'GET' };
  assert.equal(sampleValue(families, 'fairlead_http_request_duration_seconds_count', ofIds), 80);
  assert.equal(sampleValue(families, 'fairlead_http_requests_in_flight', { service: 'registry' }), 0);
});

it('has the pools of both services, the process, and nothing of tenants', async () => {
  await Promise.all(Array.from({ length: 30 }, (_, index) => ask(registry, `/v1/services/org-secret-${index}`)));
  const families = await scrape();
  for (const database of ['wallet', 'registry']) {
    const size = (name: string): number => sampleValue(families, `fairlead_mongodb_pool_${name}`, { database });
    assert.ok(size('connections') >= 1, database);
    assert.deepEqual([size('checked_out'), size('waiting'), size('max')], [0, 0, 50]);
  }
  assert.ok(sampleValue(families, 'process_resident_memory_bytes') > 10_000_000);
  const labels = [...families.values()].flatMap(({ samples }) => samples.flatMap((one) => Object.values(one.labels)));
  assert.deepEqual(
    labels.filter((value) => value.includes('secret')),
    [],
  );
  for (const [name, { type }] of families) {
    if (name.startsWith('fairlead_')) assert.equal(name.endsWith('_total'), type === 'counter', name);
  }
});

it('is told to nobody without the token, on no port of a service, and the token stands in no log', async () => {
  assert.equal((await fetch(metrics)).status, 401);
  assert.equal((await fetch(metrics, { headers: { 'x-internal-key': KEY } })).status, 401);
  for (const address of [wallet, registry]) {
    const response = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    assert.notEqual(response.status, 200, address);
  }
  assert.ok(!output.join('').includes(TOKEN));
});

it('refuses to start with a port and no token', async () => {
  const refused = fork(MAIN, ['--only', 'wallet'], {
    env: {
      ...runtimeVariables(process.env),
      ...{ PATH: process.env.PATH, INTERNAL_SERVICE_KEY: KEY, MONGODB_URI: mongo.uri, METRICS_PORT: '9400' },
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const said: string[] = [];
  refused.stderr?.on('data', (chunk) => said.push(String(chunk)));
  const [code] = await once(refused, 'exit');
  assert.equal(code, 1);
  assert.match(said.join(''), /METRICS_PORT needs METRICS_TOKEN/);
});
