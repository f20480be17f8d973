import { databaseUsers, parseDatabaseName } from '../../domain/databases/database-name.ts';
import { keyPrefix } from '../../domain/databases/engines.ts';
import type { DatabaseServer, ListedUser } from '../../domain/databases/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { commandRules } from './allowed-commands.ts';
import { failure } from './redis-error.ts';
import { type KeySpace, rulesOf, spaceOf } from './service-user.ts';
import { ANSWER_MS, type Client, withAdmin } from './with-admin.ts';

const OLDEST = 7;
const ALWAYS = async (): Promise<boolean> => true;
/** Keys that are looked at, and taken away, by one command: a service waits no longer than for these. */
const BATCH = 1_000;

/**
 * Databases on a Redis server, which knows none: each is what begins with its name and generation, as a key or a channel. Users
 * reach these alone, and by them the platform knows what it made: it writes no key, so a server whose memory is full is told of
 * users all the same. The server keeps users in its `aclfile`; without one they are gone when it restarts, which every deploy
 * says that makes them again.
 * @param adminUrl of a user that may do everything: `~* &* +@all`
 * @param answerMs how long the server may say nothing
 */
export function createRedisServer(options: { readonly adminUrl: string; readonly answerMs?: number }): DatabaseServer {
  const { adminUrl, answerMs = ANSWER_MS } = options;
  const asAdmin = <T>(signal: AbortSignal, work: (client: Client) => Promise<T>) =>
    withAdmin({ adminUrl, answerMs }, signal, work);
  return {
    engine: 'redis',
    async ensure(database, login, signal, generation = null) {
      requireUser(database, login.user);
      return asAdmin(signal, async (client) => {
        await requireUsers(client);
        await ownUser(client, database, login.user);
        const commands = commandRules(await client.commandList());
        await client.aclSetUser(login.user, rulesOf({ database, generation }, login, commands));
        return (await saveUsers(client)) ? [] : [FORGETS];
      });
    },
    async withdraw(database, user, signal) {
      requireUser(database, user);
      await asAdmin(signal, async (client) => {
        // Its connections end with it.
        if ((await ownUser(client, database, user)) !== null) await client.aclDelUser(user);
        await saveUsers(client);
      });
    },
    async drop(database, signal, isMeant = ALWAYS, generation = null) {
      requirePlain(database);
      await asAdmin(signal, async (client) => {
        if (await isMeant()) await dropDatabase(client, { database, generation }, isMeant);
      });
    },
    users: (signal) => asAdmin(signal, listUsers),
    list: (signal) =>
      asAdmin(signal, async (client) => {
        const databases = new Set((await listUsers(client)).map(({ database }) => database));
        return [...databases].sort().map((database) => ({
          ...{ database, target: parseDatabaseName(database), bytes: null },
        }));
      }),
  };
}

const FORGETS =
  'The Redis server has no aclfile, so it forgets its users when it restarts: services are refused then, until each is deployed again or the worker starts again. Set aclfile in its configuration.';

/**
 * A server that asks nobody for a password opens every key to every service; one of many has no one list of users.
 * @throws UNAVAILABLE for such a server, and for one that is too old
 */
async function requireUsers(client: Client): Promise<void> {
  const about = await client.info('server');
  const version = /^redis_version:(\S+)/m.exec(about)?.[1] ?? '';
  if (Number.parseInt(version, 10) < OLDEST) {
    throw failure('UNAVAILABLE', `is of version ${version}: name one of version ${OLDEST} or later`);
  }
  if (/^redis_mode:cluster/m.test(about)) {
    throw failure('UNAVAILABLE', 'is one of a cluster: name a server of its own in DB_REDIS_ADMIN_URL');
  }
  const anybody = await client.aclGetUser('default');
  if (anybody === null || !anybody.flags.includes('on') || !anybody.flags.includes('nopass')) return;
  const remedy = 'ACL SETUSER default off, or set requirepass';
  throw failure('UNAVAILABLE', `lets everybody in: ${remedy}, or name another one in DB_REDIS_ADMIN_URL`);
}

/**
 * Users first, so that nobody writes meanwhile. Those of another generation stay: by a worker that was paused they are another
 * service's by now, as its keys are.
 */
async function dropDatabase(client: Client, space: KeySpace, isMeant: () => Promise<boolean>): Promise<void> {
  const users: string[] = [];
  for (const user of databaseUsers(space.database)) {
    const found = await ownUser(client, space.database, user);
    if (found !== null && found.generation === space.generation) users.push(user);
  }
  if (users.length > 0) await client.aclDelUser(users);
  await saveUsers(client);
  // No other database has ever had the keys of a generation.
  const isStill = space.generation === null ? isMeant : ALWAYS;
  for (const index of await usedIndexes(client)) {
    await client.select(index);
    await deleteKeys(client, `${keyPrefix(space.database, space.generation)}*`, isStill);
  }
}

async function deleteKeys(client: Client, pattern: string, isMeant: () => Promise<boolean>): Promise<void> {
  let cursor = '0';
  do {
    const reply = await client.scan(cursor, { MATCH: pattern, COUNT: BATCH });
    if (reply.keys.length > 0) {
      if (!(await isMeant())) return;
      await client.unlink(reply.keys);
    }
    cursor = reply.cursor;
  } while (cursor !== '0');
}

/** Services may write to each of the numbered key spaces of a server. */
async function usedIndexes(client: Client): Promise<number[]> {
  const text = await client.info('keyspace');
  return [...text.matchAll(/^db(\d+):/gm)].map(([, index]) => Number(index));
}

/** @returns false where the server has no file for users */
async function saveUsers(client: Client): Promise<boolean> {
  try {
    await client.aclSave();
    return true;
  } catch (error) {
    if (error instanceof Error && /not configured to use an ACL file/.test(error.message)) return false;
    throw error;
  }
}

/** Every user that the platform made, by one answer: `user shop_prod_a on #… ~shop_prod.…:* &shop_prod.…:* …` */
async function listUsers(client: Client): Promise<ListedUser[]> {
  return (await client.aclList()).flatMap((line) => {
    const [, user = '', ...rules] = line.split(' ');
    const space = spaceOf(user, rules.join(' '));
    return space === null ? [] : [{ ...space, user }];
  });
}

/** Whose keys a user reaches; null when it is not there. @throws CONFLICT for one that the platform did not make */
async function ownUser(client: Client, database: string, user: string): Promise<KeySpace | null> {
  const found = await client.aclGetUser(user);
  if (found === null) return null;
  const space = spaceOf(user, String(found.channels));
  if (space?.database === database) return space;
  const remedy = 'rename it, or name another server in DB_REDIS_ADMIN_URL';
  throw new FairleadError('CONFLICT', `The Redis server has a user ${user} that the platform did not make: ${remedy}.`);
}

function requireUser(database: string, user: string): void {
  requirePlain(database);
  if (!databaseUsers(database).includes(user)) throw new RangeError(`${user} is no user of ${database}`);
}

/** Rules are patterns: any other character could mean more than itself. */
function requirePlain(database: string): void {
  if (!/^[a-z0-9_-]+$/.test(database)) throw new RangeError(`${database} is no name of a service's database`);
}
