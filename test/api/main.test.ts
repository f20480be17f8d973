import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { selectServices } from '../../api/select-services.ts';
import { apiTitle, SERVICE_NAMES, SERVICE_ROWS, type ServiceName, serviceRow } from '../../domain/services.ts';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';
import { startSmtpPeer } from '../adapters/mail/smtp-peer.ts';
import { freePort } from '../support/free-port.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';
import { waitUntil } from '../support/wait-until.ts';

const KEY = 'internal-key-of-this-test-0123456789';
/** Every key that the table of services generates. */
const ENCRYPTION_KEYS = Object.fromEntries(
  SERVICE_ROWS.flatMap(({ secrets }) => secrets).map(({ variable }) => [variable, randomBytes(32).toString('base64')]),
);
const MAIN = fileURLToPath(new URL('../../api/main.ts', import.meta.url));

let mongo: TestMongo;
let folder: string;
const children = new Set<ChildProcess>();
before(async () => {
  mongo = await startMongo();
  folder = await mkdtemp(join(tmpdir(), 'fairlead-main-'));
});
after(async () => {
  // What a test that failed has left.
  for (const child of children) child.kill('SIGKILL');
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
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      ...ENCRYPTION_KEYS,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
  return { child, output };
}

const ended = async (child: ChildProcess): Promise<unknown> =>
  child.exitCode ?? (await once(child, 'exit', { signal: AbortSignal.timeout(60_000) }))[0];

/** Status and checks, whatever they say. */
async function health(address: string): Promise<{ status: number; checks: Record<string, string> }> {
  const response = await fetch(`${address}/health`);
  const { data, error } = (await response.json()) as Record<string, { checks?: never; details?: { checks: never } }>;
  return { status: response.status, checks: data?.checks ?? error?.details?.checks ?? {} };
}

/** A port for each service of the table: by variable, and the address by name. */
async function freePorts() {
  const variables: Record<string, string> = {};
  const addresses = new Map<ServiceName, string>();
  for (const { name, portVariable } of SERVICE_ROWS) {
    const port = await freePort();
    variables[portVariable] = String(port);
    addresses.set(name, `http://127.0.0.1:${port}`);
  }
  return { variables, addresses };
}

it('says ready once every service of the table serves, tells that Temporal is away, and drains on SIGTERM', async () => {
  const { variables, addresses } = await freePorts();
  const { child, output } = start(variables);
  try {
    const [message] = await once(child, 'message', { signal: AbortSignal.timeout(30_000) });
    assert.equal(message, 'ready', output.join(''));
    for (const [name, address] of addresses) {
      const { info } = (await (await fetch(`${address}/openapi.json`)).json()) as { info: { title: string } };
      assert.equal(info.title, apiTitle(name));
      const { status, checks } = await health(address);
      const { temporal = 'ok', ...others } = checks;
      assert.equal(status, temporal === 'ok' ? 200 : 503, name);
      assert.deepEqual(others, serviceRow(name).database === null ? {} : { mongo: 'ok' }, name);
      if (name === 'builder') assert.notEqual(temporal, 'ok', 'it runs nothing without Temporal');
    }
    const services = await fetch(`${addresses.get('builder')}/services`, { headers: { 'x-internal-key': KEY } });
    assert.equal(services.status, 200);
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

it('an identity provider with a mail server sends what it mails by that server', async () => {
  const [mongoOfIdp, peer, port] = [await startMongo(), await startSmtpPeer({ hideSTARTTLS: true }), await freePort()];
  const issuer = `http://127.0.0.1:${port}`;
  const settings = { IDP_PORT: String(port), IDP_URL: issuer, IDP_MONGODB_URI: mongoOfIdp.uri, SMTP_URL: peer.url };
  const { child } = start(settings, ['--only', 'idp']);
  try {
    await once(child, 'message', { signal: AbortSignal.timeout(30_000) });
    const invited = await fetch(`${issuer}/api/v2/orgs/platform/invites`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-internal-key': KEY },
      body: JSON.stringify({ email: 'ann@acme.example', role: 'member' }),
    });
    assert.equal(invited.status, 201, await invited.text());
    await waitUntil('the mail is there', async () => peer.received.length > 0, { withinMs: 15_000 });
    assert.deepEqual(peer.received[0]?.recipients, ['ann@acme.example']);
  } finally {
    child.kill('SIGTERM');
    await ended(child);
    await peer.stop();
    await mongoOfIdp.stop();
  }
});

it('ends by itself when its supervisor is gone', async () => {
  const { child, output } = start((await freePorts()).variables);
  try {
    await once(child, 'message', { signal: AbortSignal.timeout(30_000) });
    child.disconnect();
    assert.equal(await ended(child), 0, output.join(''));
  } finally {
    child.kill('SIGKILL');
  }
});

it('ends what it has begun when a later service cannot start', async () => {
  const { variables, addresses } = await freePorts();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const last = SERVICE_ROWS.at(-1);
  assert.ok(last);
  try {
    const { child, output } = start({ ...variables, [last.portVariable]: String(port) });
    assert.equal(await ended(child), 1, output.join(''));
    const message = new RegExp(`Cannot listen on 127.0.0.1:${port}: choose another ${last.portVariable}`);
    assert.match(output.join(''), message);
    await assert.rejects(fetch(`${addresses.get('idp')}/health`));
  } finally {
    taken.close();
  }
});

it('a start that cannot work ends with one clear message', async () => {
  const cases: readonly [Record<string, string>, readonly string[], RegExp][] = [
    [{ PORT: 'x', INTERNAL_SERVICE_KEY: 'short', IDP_PORT: 'y' }, [], /IDP_PORT: [\s\S]*\n {2}PORT: /],
    [{ INTERNAL_SERVICE_KEY: 'short' }, ['--only', 'builder'], /INTERNAL_SERVICE_KEY: at least 32/],
    [{}, ['--only', 'nothing'], new RegExp(`no service is called nothing; there is ${SERVICE_NAMES.join(', ')}`)],
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
  assert.deepEqual(selectServices([]), SERVICE_NAMES);
  assert.deepEqual(selectServices(['--only', 'builder']), ['builder']);
  assert.deepEqual(selectServices(['--only', 'builder, idp']), ['idp', 'builder']);
  assert.throws(() => selectServices(['--only', 'builder,wallets']), /wallets/);
  assert.throws(() => selectServices(['--lonely']), /usage/);
});
