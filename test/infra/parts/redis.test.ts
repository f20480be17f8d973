import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createRedisServer } from '../../../adapters/redis/database-server.ts';
import { PART_ROWS } from '../../../infra/dev/parts.ts';
import { partVariables } from '../../../infra/dev/stack-parts.ts';
import { openRedis } from '../../support/start-redis.ts';
import { runPart, type TestPart } from './run-part.ts';

let part: TestPart;
before(async () => {
  // Users of an earlier start, whose administrator had another password.
  part = await runPart('redis', async ({ dataDir }) => {
    await mkdir(join(dataDir, 'redis'), { recursive: true });
    const users = [
      'user default on nopass ~* &* +@all',
      'user fairlead on >earlier ~* &* +@all',
      'user shop_prod_a on >kept ~shop_prod:* +@read',
    ];
    await writeFile(join(dataDir, 'redis', 'users.acl'), `${users.join('\n')}\n`);
  });
});
after(() => part.stop());

const admin = () => ({ user: 'fairlead', password: part.context.secret('REDIS_PASSWORD') });
const open = (login: { user: string; password: string }) => openRedis(part.context.ports.redis ?? 0, login);

test('it keeps its data and users over a restart, which open connections do not hold up', async () => {
  const client = await open(admin());
  await client.set('kept', 'value');
  await client.aclSetUser('later', ['on', '>later', '+ping']);
  await client.aclSave();
  await part.restart();
  const again = await open(admin());
  assert.equal(await again.get('kept'), 'value');
  again.destroy();
  for (const login of [
    { user: 'later', password: 'later' },
    { user: 'shop_prod_a', password: 'kept' },
  ]) {
    (await open(login)).destroy();
  }
});

test('without the password it says nothing, and the password is in no command line and no file', async () => {
  const { password } = admin();
  for (const refused of [
    { user: 'default', password: '' },
    { user: 'default', password },
    { user: 'fairlead', password: 'earlier' },
    { user: 'fairlead', password: '' },
  ]) {
    await assert.rejects(open(refused));
  }
  assert.ok(!part.commandLine.includes(password));
  assert.ok(!(await readFile(join(part.context.dataDir, 'redis', 'users.acl'), 'utf8')).includes(password));
});

test('its data is in a folder for its owner alone', async () => {
  assert.equal((await stat(join(part.context.dataDir, 'redis'))).mode & 0o777, 0o700);
});

test('the administrator is reached by a socket that others have no way to, and the password goes to no port', async () => {
  const { context } = part;
  const url = new URL(String(await adminAddress()));
  assert.deepEqual([url.protocol, url.hostname, url.port], ['redis+unix:', 'localhost', '']);
  assert.equal(url.pathname, join(context.dataDir, 'redis', 'admin.sock'));
  assert.equal((await stat(url.pathname)).mode & 0o777, 0o700);
  const heard: Buffer[] = [];
  let calls = 0;
  await part.restart(async () => {
    // Another program has the port while the server is down.
    const thief = createServer((socket) => {
      calls += 1;
      socket.on('data', (chunk) => heard.push(chunk));
    });
    await new Promise<void>((done) => thief.listen(context.ports.redis, '127.0.0.1', done));
    const server = createRedisServer({ adminUrl: url.href, answerMs: 1_000 });
    await assert.rejects(server.list(AbortSignal.timeout(10_000)), { code: 'UNAVAILABLE', retryable: true });
    await new Promise((done) => thief.close(done));
  });
  assert.deepEqual([calls, Buffer.concat(heard).toString()], [0, '']);
  await createRedisServer({ adminUrl: url.href }).list(AbortSignal.timeout(10_000));
});

test('where the path of the data folder is too long for a socket the port serves', async () => {
  const context = { ...part.context, dataDir: `/${'x'.repeat(100)}` };
  assert.match(String(await adminAddress(context)), /^redis:\/\/fairlead:[^@]+@127\.0\.0\.1:\d+\/0$/);
});

test('a client that sends too large a value, or leaves too much unread, is cut, and the server goes on', async () => {
  const [sending, reading, other] = [await open(admin()), await open(admin()), await open(admin())];
  const run = /run_id:(\w+)/.exec(await other.info('server'))?.[1];
  await assert.rejects(sending.set('large', 'x'.repeat(40_000_000)));
  await other.set('part', 'x'.repeat(20_000_000));
  // 160 MB in one answer.
  await assert.rejects(reading.mGet(Array.from({ length: 8 }, () => 'part')));
  await other.del('part');
  assert.equal(/run_id:(\w+)/.exec(await other.info('server'))?.[1], run, 'it is the same server');
  for (const one of [sending, reading, other]) if (one.isOpen) one.destroy();
});

test('a script that takes memory without end takes no more than the server may have, which is there again with its data', async () => {
  const client = await open(admin());
  await client.set('before', 'value');
  // In whole megabytes, so that the limit is met soon.
  const hungry = "local s = string.rep('x', 1000000) local t = {} while true do t[#t + 1] = s .. #t end";
  await assert.rejects(client.eval(hungry));
  if (client.isOpen) client.destroy();
  await untilServed('before', 'value');
  // Where the script got an error, its memory is still taken, and what is asked next may end the server: it gives it back now.
  const flushing = await open(admin());
  await flushing.sendCommand(['SCRIPT', 'FLUSH', 'SYNC']).catch(() => undefined);
  if (flushing.isOpen) flushing.destroy();
  await untilServed('before', 'value');
  if (process.platform !== 'linux') return;
  // It is not at its limit any longer: the next connection would end it.
  const asking = await open(admin());
  const id = /process_id:(\d+)/.exec(await asking.info('server'))?.[1];
  const kib = Number(/VmSize:\s*(\d+)/.exec(await readFile(`/proc/${id}/status`, 'utf8'))?.[1]);
  assert.ok(kib < 1_048_576, `the server holds ${kib} KiB of addresses`);
  asking.destroy();
});

test('a script without end is told to others, and the administrator ends it by the ways that the docs name', async () => {
  const kept = await open(admin());
  await kept.set('kept', 'value');
  kept.destroy();
  const rows = [
    ['while true do end', ['SCRIPT', 'KILL'], /Script killed/],
    ["redis.call('SET', 'half', '1') while true do end", ['SHUTDOWN', 'NOSAVE'], /./],
  ] as const;
  for (const [endless, command, outcome] of rows) {
    const client = await open(admin());
    const ended = assert.rejects(client.eval(endless), outcome);
    const other = await open(admin());
    await assert.rejects(other.ping(), /^ErrorReply: BUSY|BUSY/);
    await other.sendCommand([...command]).catch(() => undefined);
    await ended;
    for (const one of [client, other]) if (one.isOpen) one.destroy();
    await untilServed('kept', 'value');
  }
});

test('limits are those of the part', async () => {
  const client = await open(admin());
  const limits = await client.configGet('*');
  assert.deepEqual(
    [limits['maxmemory-clients'], limits['client-query-buffer-limit'], limits['proto-max-bulk-len']],
    ['134217728', '67108864', '33554432'],
  );
  assert.match(
    limits['client-output-buffer-limit'] ?? '',
    /^normal 67108864 33554432 30 .*pubsub 33554432 8388608 60$/,
  );
  assert.equal(limits['busy-reply-threshold'], '2000');
  client.destroy();
});

async function untilServed(key: string, value: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const again = await open(admin()).catch(() => null);
    const found = await again?.get(key).catch(() => null);
    if (again?.isOpen) again.destroy();
    if (found === value) return;
    assert.ok(Date.now() < deadline, 'it is there again');
    await delay(200);
  }
}

async function adminAddress(context = part.context) {
  const rows = PART_ROWS.filter(({ name }) => name === 'redis');
  return (await partVariables(rows, { ...context, env: {} })).worker.DB_REDIS_ADMIN_URL;
}
