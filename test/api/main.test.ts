import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { selectServices } from '../../api/select-services.ts';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';
import { freePort } from '../support/free-port.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';

const KEY = 'internal-key-of-this-test-0123456789';
const ENCRYPTION_KEY = randomBytes(32).toString('base64');
const MAIN = fileURLToPath(new URL('../../api/main.ts', import.meta.url));

let mongo: TestMongo;
let folder: string;
before(async () => {
  mongo = await startMongo();
  folder = await mkdtemp(join(tmpdir(), 'fairlead-main-'));
});
after(async () => {
  await mongo.stop();
  await rm(folder, { recursive: true, force: true });
});

function start(env: Record<string, string>, args: readonly string[] = []) {
  const child = fork(MAIN, args, {
    env: {
      ...runtimeVariables(process.env),
      PATH: process.env.PATH,
      DATA_DIR: folder,
      INTERNAL_SERVICE_KEY: KEY,
      MONGODB_URI: mongo.uri,
      IDP_ENCRYPTION_KEY: ENCRYPTION_KEY,
      AUDIT_SIGNING_KEY: ENCRYPTION_KEY,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
  return { child, output };
}

const ended = async (child: ChildProcess): Promise<unknown> =>
  child.exitCode ?? (await once(child, 'exit', { signal: AbortSignal.timeout(15_000) }))[0];

it('says ready once it serves, tells that Temporal is away, and drains on SIGTERM', async () => {
  const PORT = String(await freePort());
  const IDP_PORT = String(await freePort());
  const AUDIT_PORT = String(await freePort());
  const { child, output } = start({ PORT, IDP_PORT, AUDIT_PORT, TEMPORAL_ADDRESS: '127.0.0.1:9' });
  try {
    const [message] = await once(child, 'message', { signal: AbortSignal.timeout(30_000) });
    assert.equal(message, 'ready', output.join(''));
    const health = await fetch(`http://127.0.0.1:${PORT}/health`);
    const body = (await health.json()) as { error: { details: { checks: Record<string, string> } } };
    assert.equal(health.status, 503);
    assert.equal(body.error.details.checks.mongo, 'ok');
    assert.notEqual(body.error.details.checks.temporal, 'ok');
    const services = await fetch(`http://127.0.0.1:${PORT}/services`, { headers: { 'x-internal-key': KEY } });
    assert.equal(services.status, 200);
    const keys = await fetch(`http://127.0.0.1:${IDP_PORT}/health`);
    assert.equal(keys.status, 200);
    const ledger = await fetch(`http://127.0.0.1:${AUDIT_PORT}/health`);
    assert.equal(ledger.status, 200);
    const link = (await readFile(join(folder, 'first-admin-link'), 'utf8')).trim();
    assert.equal((await stat(join(folder, 'first-admin-link'))).mode & 0o777, 0o600);
    child.kill('SIGTERM');
    assert.equal(await ended(child), 0, output.join(''));
    assert.ok(!output.join('').includes(new URL(link).searchParams.get('token') ?? link));
    assert.ok(!output.join('').includes(KEY));
  } finally {
    child.kill('SIGKILL');
  }
});

it('ends by itself when its supervisor is gone', async () => {
  const { child, output } = start({
    PORT: String(await freePort()),
    IDP_PORT: String(await freePort()),
    AUDIT_PORT: String(await freePort()),
    TEMPORAL_ADDRESS: '127.0.0.1:9',
  });
  try {
    await once(child, 'message', { signal: AbortSignal.timeout(30_000) });
    child.disconnect();
    assert.equal(await ended(child), 0, output.join(''));
  } finally {
    child.kill('SIGKILL');
  }
});

it('a start that cannot work ends with one clear message', async () => {
  const cases: readonly [Record<string, string>, readonly string[], RegExp][] = [
    [{ PORT: 'x', INTERNAL_SERVICE_KEY: 'short', IDP_PORT: 'y' }, [], /IDP_PORT: [\s\S]*\n {2}PORT: /],
    [{ INTERNAL_SERVICE_KEY: 'short' }, ['--only', 'builder'], /INTERNAL_SERVICE_KEY: at least 32/],
    [{}, ['--only', 'nothing'], /no service is called nothing; there is idp, builder, audit-ledger/],
    [{ MONGODB_URI: 'mongodb://me:hidden@127.0.0.1:9/x?serverSelectionTimeoutMS=300' }, [], /cannot be reached/],
  ];
  for (const [env, args, message] of cases) {
    const { child, output } = start(env, args);
    assert.equal(await ended(child), 1, output.join(''));
    assert.match(output.join(''), message);
    assert.ok(!output.join('').includes('hidden'));
  }
});

it('runs every service, or those that --only names', () => {
  assert.deepEqual(selectServices([]), ['idp', 'builder', 'audit-ledger']);
  assert.deepEqual(selectServices(['--only', 'builder']), ['builder']);
  assert.deepEqual(selectServices(['--only', 'builder, idp']), ['idp', 'builder']);
  assert.throws(() => selectServices(['--only', 'builder,wallets']), /wallets/);
  assert.throws(() => selectServices(['--lonely']), /usage/);
});
