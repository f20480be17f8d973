import assert from 'node:assert/strict';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createRedisServer } from '../../../adapters/redis/database-server.ts';
import { databaseServerSuite } from '../../ports/database-server.ts';
import { openRedis, startRedis, type TestRedis } from '../../support/start-redis.ts';

const signal = new AbortController().signal;

let redis: TestRedis;
before(async () => {
  redis = await startRedis();
});
after(() => redis.stop());

databaseServerSuite('Redis', () => redis, { hasConsumers: false });

async function made(service: string, password = 'secret') {
  const database = `${service}_prod`;
  const login = { user: `${database}_a`, password };
  await redis.server.ensure(database, login, signal);
  return { database, login };
}

test('what a user may not call, and what it may', async () => {
  const own = await made('own');
  const other = await made('other');
  await redis.command(['SET', 'other_prod:secret', 'private'], other.login);
  const refused: readonly (readonly string[])[] = [
    ['GET', 'other_prod:secret'],
    ['SET', 'other_prod:secret', 'mine'],
    ['DEL', 'other_prod:secret'],
    ['EXISTS', 'other_prod:secret'],
    ['GET', 'own_prod'],
    ['GET', 'own_prodx:key'],
    ['SET', 'unprefixed', '1'],
    ['RENAME', 'own_prod:a', 'other_prod:a'],
    ['COPY', 'other_prod:secret', 'own_prod:copy'],
    ['EVAL', "return redis.call('GET', 'other_prod:secret')", '0'],
    ['EVAL', "return redis.call('KEYS', '*')", '0'],
    ['EVAL', "return redis.call('SCAN', '0')", '0'],
    ['SUBSCRIBE', 'other_prod:news'],
    ['PSUBSCRIBE', '*'],
    ['PSUBSCRIBE', 'other_prod:*'],
    ['SSUBSCRIBE', 'other_prod:news'],
    ['PUBLISH', 'other_prod:news', 'forged'],
    ['PUBSUB', 'CHANNELS'],
    ['PUBSUB', 'SHARDCHANNELS'],
    ['SUBSCRIBE', '__keyspace@0__:other_prod:secret'],
    ['SUBSCRIBE', '__redis__:invalidate'],
    ['KEYS', '*'],
    ['SCAN', '0'],
    ['RANDOMKEY'],
    ['DBSIZE'],
    ['FLUSHALL'],
    ['FLUSHDB'],
    ['SWAPDB', '0', '1'],
    ['CONFIG', 'GET', '*'],
    ['CONFIG', 'SET', 'dir', '/tmp'],
    ['ACL', 'LIST'],
    ['ACL', 'USERS'],
    ['ACL', 'SETUSER', own.login.user, '+@all', '~*'],
    ['ACL', 'GETUSER', other.login.user],
    ['ACL', 'SAVE'],
    ['CLIENT', 'LIST'],
    ['CLIENT', 'KILL', 'USER', other.login.user],
    ['CLIENT', 'PAUSE', '1000'],
    ['CLIENT', 'TRACKING', 'ON', 'BCAST'],
    ['MONITOR'],
    ['SLOWLOG', 'GET'],
    ['LATENCY', 'LATEST'],
    ['MEMORY', 'STATS'],
    ['FUNCTION', 'LOAD', '#!lua name=theft\nredis.register_function("f", function() return 1 end)'],
    ['FUNCTION', 'LIST'],
    ['FCALL', 'f', '0'],
    ['SCRIPT', 'FLUSH'],
    ['SCRIPT', 'KILL'],
    ['DEBUG', 'SLEEP', '0'],
    ['MODULE', 'LIST'],
    ['REPLICAOF', '127.0.0.1', '1'],
    ['SYNC'],
    ['MIGRATE', '127.0.0.1', '1', 'own_prod:a', '0', '1'],
    ['RESTORE', 'own_prod:a', '0', 'x'],
    ['SORT', 'own_prod:a', 'BY', 'other_prod:*'],
    ['SAVE'],
    ['BGREWRITEAOF'],
    ['SHUTDOWN', 'NOSAVE'],
  ];
  for (const args of refused) {
    await assert.rejects(
      redis.command(args, own.login),
      /NOPERM|user executing the script can't|can't access|not have permission|ACL failure|DEBUG command not allowed/,
      args.join(' '),
    );
  }
  const allowed: readonly (readonly string[])[] = [
    ['SET', 'own_prod:a', '1'],
    ['MGET', 'own_prod:a', 'own_prod:b'],
    ['UNLINK', 'own_prod:a'],
    ['EVAL', "return redis.call('INCR', KEYS[1])", '1', 'own_prod:count'],
    ['XADD', 'own_prod:stream', '*', 'field', 'value'],
    ['OBJECT', 'ENCODING', 'own_prod:count'],
    ['MEMORY', 'USAGE', 'own_prod:count'],
    ['PUBLISH', 'own_prod:news', 'hello'],
    ['PUBSUB', 'NUMSUB', 'own_prod:news'],
    ['CLIENT', 'SETNAME', 'worker'],
    ['SELECT', '1'],
    ['INFO', 'server'],
    ['ACL', 'WHOAMI'],
    ['PING'],
  ];
  for (const args of allowed) await redis.command(args, own.login);
  const listener = await openRedis(redis.port, own.login);
  const heard = Promise.withResolvers<string>();
  await listener.subscribe('own_prod:news', heard.resolve);
  await listener.pSubscribe('own_prod:*', () => undefined);
  await redis.command(['PUBLISH', 'own_prod:news', 'hello'], own.login);
  assert.equal(await heard.promise, 'hello');
  listener.destroy();
  assert.equal(await redis.command(['GET', 'other_prod:secret'], other.login), 'private');
});

test('nobody is let in without a password, by whatever name', async () => {
  const { login } = await made('closed');
  for (const user of ['default', login.user, 'fairlead', 'closed_prod']) {
    for (const password of ['', 'guessed']) await assert.rejects(openRedis(redis.port, { user, password }));
  }
});

test('the server is told a hash, and shows no password', async () => {
  const { login } = await made('silent', 'canary-of-a-password');
  const listed = JSON.stringify(await redis.command(['ACL', 'LIST']));
  assert.match(listed, /user silent_prod_a on [^"]*#[0-9a-f]{64}/);
  assert.doesNotMatch(listed, /canary/);
  await redis.command(['SET', 'silent_prod:a', '1'], login);
});

test('made sure of again a user has the same rules, whatever it was given by hand', async () => {
  const { database, login } = await made('same');
  const rules = () => redis.command(['ACL', 'GETUSER', login.user]);
  const before = await rules();
  await redis.command(['ACL', 'SETUSER', login.user, '~*', '+@all', '>another']);
  assert.notDeepEqual(await rules(), before);
  await redis.server.ensure(database, login, signal);
  assert.deepEqual(await rules(), before);
  await assert.rejects(openRedis(redis.port, { user: login.user, password: 'another' }));
});

test('users, keys and what was withdrawn are the same after a restart of the server', async () => {
  const { database, login } = await made('kept');
  const second = { user: `${database}_b`, password: 'second' };
  await redis.server.ensure(database, second, signal);
  await redis.command(['SET', 'kept_prod:a', 'value'], login);
  await redis.server.withdraw(database, login.user, signal);
  await redis.part.restart();
  await assert.rejects(openRedis(redis.port, login));
  assert.equal(await redis.command(['GET', 'kept_prod:a'], second), 'value');
  await assert.rejects(redis.command(['GET', 'other_prod:a'], second), /NOPERM|permission/);
});

test('a user of that name that the platform did not make is neither changed nor taken away', async () => {
  await redis.command([
    'ACL',
    'SETUSER',
    'by-hand_prod_a',
    'on',
    '>theirs',
    '~by-hand_prod:*',
    '&by-hand_prod:*',
    '+@all',
  ]);
  await redis.command(['SET', 'by-hand_prod:a', 'theirs']);
  const before = await redis.command(['ACL', 'GETUSER', 'by-hand_prod_a']);
  const login = { user: 'by-hand_prod_a', password: 'ours' };
  await assert.rejects(redis.server.ensure('by-hand_prod', login, signal), { code: 'CONFLICT' });
  await assert.rejects(redis.server.withdraw('by-hand_prod', login.user, signal), { code: 'CONFLICT' });
  await assert.rejects(redis.server.drop('by-hand_prod', signal), { code: 'CONFLICT' });
  await redis.command(['ACL', 'DELUSER', 'by-hand_prod_a']);
  // Keys of that name which the platform never made.
  await redis.server.drop('by-hand_prod', signal, undefined, '0123456789ab');
  assert.equal(await redis.command(['GET', 'by-hand_prod:a']), 'theirs');
  assert.notDeepEqual(before, null);
});

test('what is dropped goes in all key spaces, and no key of another service with it', async () => {
  const { database, login } = await made('gone');
  const longer = await made('gone-too');
  const client = await openRedis(redis.port, login);
  const many = Array.from({ length: 2_500 }, (_, index) => [`gone_prod:${index}`, 'x'] as const);
  await client.mSet(many.flat());
  await client.select(3);
  await client.set('gone_prod:elsewhere', '1');
  client.destroy();
  await redis.command(['SET', 'gone-too_prod:a', 'stays'], longer.login);
  await redis.server.drop(database, signal);
  for (const index of [0, 3]) {
    const admin = await openRedis(redis.port, {
      user: 'fairlead',
      password: redis.part.context.secret('REDIS_PASSWORD'),
    });
    await admin.select(index);
    assert.deepEqual(await admin.keys('gone_prod:*'), []);
    admin.destroy();
  }
  assert.equal(await redis.command(['GET', 'gone-too_prod:a'], longer.login), 'stays');
});

test('cut after any answer, the next call ends what the first began', async () => {
  const isRetried = (error: { retryable?: boolean }) => assert.equal(error.retryable, true);
  let answers = -1;
  for (let isCut = true; isCut; ) {
    answers += 1;
    assert.ok(answers < 60, 'each answer was cut once');
    const cutter = await startCutter(answers);
    const database = `cut-${answers}_prod`;
    const login = { user: `${database}_a`, password: 'secret' };
    const through = createRedisServer({ adminUrl: withPort(cutter.port) });
    try {
      await through.ensure(database, login, signal).catch(isRetried);
      await redis.server.ensure(database, login, signal);
      await redis.command(['SET', `${database}:a`, '1'], login);
      await through.drop(database, signal).catch(isRetried);
      isCut = cutter.wasCut();
      await redis.server.drop(database, signal);
      assert.equal(await redis.command(['EXISTS', `${database}:a`]), 0);
      assert.ok(!(await redis.server.list(signal)).some((one) => one.database === database));
      await assert.rejects(openRedis(redis.port, login));
    } finally {
      await cutter.stop();
    }
  }
  assert.ok(answers > 8, `${answers} answers`);
});

test('a server that is away, hangs up, says nothing, or refuses the administrator is told apart', async () => {
  const deaf = await listening((socket) => socket.destroy());
  const silent = await listening(() => undefined);
  const wrong = await listening((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const list = (adminUrl: string) => createRedisServer({ adminUrl, answerMs: 300 }).list(signal);
  try {
    const isAway = { code: 'UNAVAILABLE', retryable: true };
    await assert.rejects(list(withPort(deaf.port)), isAway);
    await assert.rejects(list(withPort(silent.port)), isAway);
    await assert.rejects(list(withPort(wrong.port)), { code: 'UNAVAILABLE' });
    await assert.rejects(list(withPort(1)), { ...isAway, message: /ECONNREFUSED/ });
    const guessed = new URL(redis.adminUrl);
    guessed.password = 'guessed';
    await assert.rejects(list(guessed.href), {
      ...{ code: 'UNAVAILABLE', retryable: false, message: /refuses the credentials of DB_REDIS_ADMIN_URL/ },
    });
    const { login } = await made('no-admin');
    const bounded = new URL(redis.adminUrl);
    Object.assign(bounded, { username: login.user, password: login.password });
    await assert.rejects(createRedisServer({ adminUrl: bounded.href }).list(signal), {
      ...{ code: 'UNAVAILABLE', retryable: false, message: /it needs ~\* &\* \+@all/ },
    });
  } finally {
    for (const one of [deaf, silent, wrong]) await one.stop();
  }
});

test('a call that is cancelled while the server says nothing ends at once', async () => {
  const asked = Promise.withResolvers<void>();
  const silent = await listening((socket) => socket.once('data', () => asked.resolve()));
  const cancel = new AbortController();
  const login = { user: 'waiting_prod_a', password: 'secret' };
  const call = createRedisServer({ adminUrl: withPort(silent.port) }).ensure('waiting_prod', login, cancel.signal);
  await asked.promise;
  const reason = new Error('cancelled');
  cancel.abort(reason);
  await assert.rejects(call, (error) => error === reason);
  await silent.stop();
});

test('a name that is a pattern, or belongs to another service, is a fault of the caller', async () => {
  for (const database of ['*_prod', 'a?_prod', '[ab]_prod', 'a b_prod', 'a\\_prod']) {
    const login = { user: `${database}_a`, password: 'secret' };
    await assert.rejects(redis.server.ensure(database, login, signal), RangeError);
    await assert.rejects(redis.server.drop(database, signal), RangeError);
  }
});

function withPort(port: number): string {
  const url = new URL(redis.adminUrl);
  url.port = String(port);
  return url.href;
}

interface Listening {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

async function listening(onSocket: (socket: Socket) => void): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, stop };
}

/** Passes bytes to the server and back, and cuts each connection when the server has answered so often. */
async function startCutter(answers: number): Promise<Listening & { readonly wasCut: () => boolean }> {
  let wasCut = false;
  const listener = await listening((socket) => {
    const upstream = connect(redis.port, '127.0.0.1');
    let left = answers;
    upstream.on('error', () => socket.destroy());
    upstream.on('close', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    socket.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      left -= 1;
      wasCut ||= left < 0;
      if (left < 0) socket.destroy();
      else socket.write(chunk);
    });
  });
  return { ...listener, wasCut: () => wasCut };
}
