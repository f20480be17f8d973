/**
 * What users of services may call, by kind: a list of what is allowed, so that what a module, or a later version, brings is
 * not. Every command names its keys or channels, which the server compares with the rules of the user, or shows and changes
 * nothing of others. Names are of Redis 7 to 8 and Valkey; of these a server has some.
 *
 * Not among them: names of keys of all (`SCAN`, `KEYS`, `RANDOMKEY`, `DBSIZE`), patterns of keys (`SORT … BY`, `GET`),
 * functions, of which one library serves all (`FUNCTION`, `FCALL`), changes of keys of others by `CLIENT TRACKING`, scripts and
 * channels of others (`SCRIPT FLUSH`, `PUBSUB CHANNELS`), and an administrator's (`CONFIG`, `DEBUG`, `MIGRATE`, `MONITOR`).
 */
const COMMANDS = {
  strings: `append decr decrby delex delifeq digest get getdel getex getrange getset incr incrby incrbyfloat lcs mget mset msetex
    msetnx psetex set setex setnx setrange strlen substr`,
  bitmaps: 'bitcount bitfield bitfield_ro bitop bitpos getbit setbit',
  counters: 'pfadd pfcount pfmerge',
  lists: `blmove blmpop blpop brpop brpoplpush lindex linsert llen lmove lmpop lpop lpos lpush lpushx lrange lrem lset ltrim rpop
    rpoplpush rpush rpushx`,
  sets: `sadd scard sdiff sdiffstore sinter sintercard sinterstore sismember smembers smismember smove spop srandmember srem
    sscan sunion sunionstore`,
  sortedSets: `bzmpop bzpopmax bzpopmin zadd zcard zcount zdiff zdiffstore zincrby zinter zintercard zinterstore zlexcount zmpop
    zmscore zpopmax zpopmin zrandmember zrange zrangebylex zrangebyscore zrangestore zrank zrem zremrangebylex zremrangebyrank
    zremrangebyscore zrevrange zrevrangebylex zrevrangebyscore zrevrank zscan zscore zunion zunionstore`,
  hashes: `hdel hexists hexpire hexpireat hexpiretime hget hgetall hgetdel hgetex hincrby hincrbyfloat hkeys hlen hmget hmset
    hpersist hpexpire hpexpireat hpexpiretime hpttl hrandfield hscan hset hsetex hsetnx hstrlen httl hvals`,
  streams: `xack xackdel xadd xautoclaim xclaim xdel xdelex xgroup|create xgroup|createconsumer xgroup|delconsumer xgroup|destroy
    xgroup|setid xinfo|consumers xinfo|groups xinfo|stream xlen xpending xrange xread xreadgroup xrevrange xsetid xtrim`,
  places: `geoadd geodist geohash geopos georadius georadius_ro georadiusbymember georadiusbymember_ro geosearch
    geosearchstore`,
  keys: `copy del dump exists expire expireat expiretime memory|usage move object|encoding object|freq object|idletime
    object|refcount persist pexpire pexpireat pexpiretime pttl rename renamenx touch ttl type unlink`,
  transactions: 'discard exec multi unwatch watch',
  // Keys that a script uses without naming them are compared as well.
  scripts: 'eval eval_ro evalsha evalsha_ro script|exists script|load',
  channels: `psubscribe publish pubsub|numsub pubsub|shardnumsub punsubscribe spublish ssubscribe subscribe sunsubscribe
    unsubscribe`,
  connection: `auth client|getname client|id client|info client|no-touch client|reply client|setinfo client|setname echo hello
    ping quit reset select`,
  // Queue libraries ask `info` for the version before they begin. It shows nothing that others wrote.
  server: 'acl|whoami command info time wait',
} as const;

const ALLOWED: readonly string[] = Object.values(COMMANDS).flatMap((names) => names.split(/\s+/));

/** The rules that allow them, but for those that a server does not have. @param known every command of the server, as COMMAND LIST says */
export function commandRules(known: readonly string[]): string[] {
  const names = new Set(known.map((name) => name.toLowerCase()));
  return ALLOWED.filter((name) => names.has(name)).map((name) => `+${name}`);
}
