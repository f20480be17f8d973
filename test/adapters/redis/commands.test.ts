import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commandRules } from '../../../adapters/redis/allowed-commands.ts';
import { openRedis, startRedis, type TestRedis } from '../../support/start-redis.ts';

/** Every command of the server × what comes of it between two services. */

const GENERATION = '0123456789ab';
const OWN = 'own_prod.0123456789ab:key';
/** Of another service, of the same name in another lifetime, and of nobody. */
const FOREIGN = ['other_prod.0123456789ab:key', 'own_prod.ba9876543210:key', 'own_prod:key', 'own_prod', 'key'];
const login = { user: 'own_prod_a', password: 'own' };
const signal = new AbortController().signal;

/** One call of each command that names keys (`@`) or channels (`#`). */
const CALLS = `
append @ v|decr @|decrby @ 1|delex @|delifeq @ v|digest @|get @|getdel @|getex @|getrange @ 0 1|getset @ v|incr @|incrby @ 1
incrbyfloat @ 1|lcs @ @|mget @ @|mset @ v @ v|msetex 2 @ v @ v|msetnx @ v @ v|psetex @ 1 v|set @ v|setex @ 1 v|setnx @ v
setrange @ 0 v|strlen @|substr @ 0 1|bitcount @|bitfield @ GET u8 0|bitfield_ro @ GET u8 0|bitop AND @ @ @|bitpos @ 1
getbit @ 0|setbit @ 0 1|pfadd @ v|pfcount @ @|pfmerge @ @|blmove @ @ LEFT LEFT 1|blmpop 1 2 @ @ LEFT|blpop @ @ 1|brpop @ @ 1
brpoplpush @ @ 1|lindex @ 0|linsert @ BEFORE a b|llen @|lmove @ @ LEFT LEFT|lmpop 2 @ @ LEFT|lpop @|lpos @ v|lpush @ v
lpushx @ v|lrange @ 0 1|lrem @ 0 v|lset @ 0 v|ltrim @ 0 1|rpop @|rpoplpush @ @|rpush @ v|rpushx @ v|sadd @ v|scard @
sdiff @ @|sdiffstore @ @ @|sinter @ @|sintercard 2 @ @|sinterstore @ @ @|sismember @ v|smembers @|smismember @ v
smove @ @ v|spop @|srandmember @|srem @ v|sscan @ 0|sunion @ @|sunionstore @ @ @|bzmpop 1 2 @ @ MIN|bzpopmax @ @ 1
bzpopmin @ @ 1|zadd @ 1 v|zcard @|zcount @ 0 1|zdiff 2 @ @|zdiffstore @ 2 @ @|zincrby @ 1 v|zinter 2 @ @|zintercard 2 @ @
zinterstore @ 2 @ @|zlexcount @ - +|zmpop 2 @ @ MIN|zmscore @ v|zpopmax @|zpopmin @|zrandmember @|zrange @ 0 1
zrangebylex @ - +|zrangebyscore @ 0 1|zrangestore @ @ 0 1|zrank @ v|zrem @ v|zremrangebylex @ - +|zremrangebyrank @ 0 1
zremrangebyscore @ 0 1|zrevrange @ 0 1|zrevrangebylex @ + -|zrevrangebyscore @ 1 0|zrevrank @ v|zscan @ 0|zscore @ v
zunion 2 @ @|zunionstore @ 2 @ @|hdel @ f|hexists @ f|hexpire @ 1 FIELDS 1 f|hexpireat @ 1 FIELDS 1 f
hexpiretime @ FIELDS 1 f|hget @ f|hgetall @|hgetdel @ FIELDS 1 f|hgetex @ FIELDS 1 f|hincrby @ f 1|hincrbyfloat @ f 1|hkeys @
hlen @|hmget @ f|hmset @ f v|hpersist @ FIELDS 1 f|hpexpire @ 1 FIELDS 1 f|hpexpireat @ 1 FIELDS 1 f
hpexpiretime @ FIELDS 1 f|hpttl @ FIELDS 1 f|hrandfield @|hscan @ 0|hset @ f v|hsetex @ FIELDS 1 f v|hsetnx @ f v
hstrlen @ f|httl @ FIELDS 1 f|hvals @|xack @ g 1-1|xackdel @ g IDS 1 1-1|xadd @ * f v|xautoclaim @ g c 0 0|xclaim @ g c 0 1-1
xdel @ 1-1|xdelex @ IDS 1 1-1|xgroup create @ g $|xgroup createconsumer @ g c|xgroup delconsumer @ g c|xgroup destroy @ g
xgroup setid @ g $|xinfo consumers @ g|xinfo groups @|xinfo stream @|xlen @|xpending @ g|xrange @ - +|xread STREAMS @ @ 0 0
xreadgroup GROUP g c STREAMS @ @ > >|xrevrange @ + -|xsetid @ 1-1|xtrim @ MAXLEN 1|geoadd @ 1 1 v|geodist @ a b|geohash @ a
geopos @ a|georadius @ 1 1 1 m STORE @|georadius_ro @ 1 1 1 m|georadiusbymember @ a 1 m STORE @|georadiusbymember_ro @ a 1 m
geosearch @ FROMMEMBER a BYRADIUS 1 m|geosearchstore @ @ FROMMEMBER a BYRADIUS 1 m|copy @ @|copy @ @ DB 1|del @ @|dump @
exists @ @|expire @ 1|expireat @ 1|expiretime @|memory usage @|move @ 1|object encoding @|object freq @|object idletime @
object refcount @|persist @|pexpire @ 1|pexpireat @ 1|pexpiretime @|pttl @|rename @ @|renamenx @ @|touch @ @|ttl @|type @
unlink @ @|watch @ @|eval s 2 @ @|eval_ro s 2 @ @|evalsha s 2 @ @|evalsha_ro s 2 @ @
publish # v|spublish # v|subscribe # #|ssubscribe # #|psubscribe #`
  .trim()
  .split(/[|\n]/)
  .map((call) => call.split(' '));

let redis: TestRedis;
let known: readonly string[];
let admin: Awaited<ReturnType<typeof openRedis>>;
before(async () => {
  redis = await startRedis();
  const password = redis.part.context.secret('REDIS_PASSWORD');
  admin = await openRedis(redis.port, { user: 'fairlead', password });
  await redis.server.ensure('own_prod', login, signal, GENERATION);
  known = (await redis.command(['COMMAND', 'LIST'])) as string[];
});
after(async () => {
  admin.destroy();
  await redis.stop();
});

const nameOf = ([first = '', second = '']: readonly string[]): string =>
  known.includes(`${first}|${second}`) ? `${first}|${second}` : first;
const dryRun = (args: readonly string[]) => admin.sendCommand(['ACL', 'DRYRUN', login.user, ...args]).then(String);

test('each command that is allowed, with a key or channel of its own and with one of others in each place', async () => {
  let refused = 0;
  const channel = 'own_prod.0123456789ab:*';
  for (const call of CALLS.filter((one) => known.includes(nameOf(one)))) {
    const own = call.map((word) => ({ '@': OWN, '#': channel })[word] ?? word);
    assert.equal(await dryRun(own), 'OK', call.join(' '));
    for (const [at, word] of call.entries()) {
      if (word !== '@' && word !== '#') continue;
      for (const foreign of word === '@' ? FOREIGN : ['other_prod.0123456789ab:*', '*', 'own_prod:*', 'own_prod.*']) {
        assert.match(await dryRun(own.with(at, foreign)), /no permission/, `${call.join(' ')}, ${at}: ${foreign}`);
        refused += 1;
      }
    }
  }
  assert.ok(refused > 700, `${refused} refusals`);
});

test('what is allowed names its keys and stands in the table above, or reaches none', async () => {
  const rules = commandRules(known).map((rule) => rule.slice(1));
  assert.ok(rules.length > 180, `${rules.length} commands`);
  const called = new Set(CALLS.map(nameOf));
  // Each was looked at: they show and change nothing of others.
  const without =
    `acl|whoami auth client|getname client|id client|info client|no-touch client|reply client|setinfo client|setname
    command discard echo exec hello info multi ping pubsub|numsub pubsub|shardnumsub punsubscribe quit reset script|exists
    script|load select sunsubscribe time unsubscribe unwatch wait`.split(/\s+/);
  assert.deepEqual(
    rules.filter((name) => !called.has(name)).sort(),
    without.filter((name) => known.includes(name)),
  );
});

test('no other command is allowed, whatever the server has', async () => {
  const allowed = new Set(commandRules(known).map((rule) => rule.slice(1)));
  const others = known.filter((name) => !allowed.has(name) && !allowed.has(name.split('|')[0] ?? ''));
  assert.ok(others.length > 100, `${others.length} commands`);
  for (const name of ['sort', 'migrate', 'monitor', 'flushdb', 'scan', 'function|load', 'config|set', 'restore']) {
    assert.ok(others.includes(name), name);
  }
  for (const name of others) {
    // With as many arguments as any of them takes, and no key of others.
    const outcomes = [];
    for (let count = 0; count < 6; count += 1) {
      const args = Array.from({ length: count }, () => OWN);
      outcomes.push(await dryRun([...name.split('|'), ...args]).catch((error: Error) => error.message));
    }
    assert.ok(!outcomes.includes('OK'), `${name}: ${outcomes.join(', ')}`);
  }
});

test('a command that a module brings is not allowed, in whatever category it is', () => {
  const rules = commandRules([...known, 'ft.search', 'json.get', 'ts.mrange', 'GET']);
  assert.ok(rules.every((rule) => /^\+[a-z_|-]+$/.test(rule)));
  assert.ok(!rules.some((rule) => rule.includes('@')));
});

test('scripts change nothing that the scripts of others use', async () => {
  await redis.server.ensure('other_prod', { user: 'other_prod_a', password: 'other' }, signal, GENERATION);
  const attacks = [
    "string.upper = function() return 'stolen' end",
    "rawset(string, 'upper', function() return 'stolen' end)",
    "getmetatable('').__index = function() return function() return 'stolen' end end",
    "rawset(getmetatable('').__index, 'upper', function() return 'stolen' end)",
    "rawset(_G, 'stolen', 1)",
    'redis.call = function() return 1 end',
    "rawset(redis, 'call', function() return 'stolen' end)",
    "setmetatable(_G, {__index = function() return 'stolen' end})",
  ];
  for (const attack of attacks) {
    await redis.command(['EVAL', attack, '0'], login).catch(() => undefined);
    const answer = await redis.command(
      ['EVAL', "return {('a'):upper(), redis.call('PING')['ok'], tostring(rawget(_G, 'stolen'))}", '0'],
      {
        ...{ user: 'other_prod_a', password: 'other' },
      },
    );
    assert.deepEqual(answer, ['A', 'PONG', 'nil'], attack);
  }
});
