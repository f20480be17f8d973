import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db, Document, MongoClient } from 'mongodb';
import { FairleadError } from '../../domain/errors.ts';
import { isCode } from '../mongodb-server/mongodb-error.ts';
import { BACKUPS_DATABASE, type SwapRecord } from '../mongodb-server/own-databases.ts';
import { createOwnUser, dropUser, isOurs } from '../mongodb-server/own-users.ts';
import { requireHeld } from './mongo-swap-record.ts';
import type { MongoTools } from './mongo-tools.ts';

/**
 * What a restore empties and writes over, it does as a user that was made for that one attempt. Whoever takes the restore over drops
 * that user first, and waits for what it has under way: an attempt that was paused between its last look at the record and its next
 * command, and goes on when others write to the database, is refused by the server. A server without users, such as the embedded
 * stand-in, has no service whose database could be restored: there the administrator restores.
 */
export interface Restorer {
  readonly client: MongoClient;
  readonly tools: MongoTools;
}

export interface RestorerLogin {
  readonly user: string;
  readonly password: string;
}

export interface RestorerParts extends Restorer {
  readonly signal: AbortSignal;
  /** Works as a user of the platform's own database. */
  readonly asUser: <T>(login: RestorerLogin, work: (restorer: Restorer) => Promise<T>) => Promise<T>;
}

const NO_COMMAND = 59;
/** How long the commands of an earlier attempt may take to end. */
const END_MS = 10_000;
const EVERY_MS = 100;

/** What the names of users begin with that restore a database; those of one attempt where it is given. */
function restorersOf({ live, attempt }: Pick<SwapRecord, 'live'> & Partial<Pick<SwapRecord, 'attempt'>>): string {
  const prefix = `fairlead_restorer_${createHash('sha256').update(live).digest('hex').slice(0, 16)}_`;
  return attempt === undefined ? prefix : `${prefix}${attempt}_`;
}

/**
 * Works as a user that has one database, and that is there as long as the record names this call.
 * @throws CONFLICT (retryable) when another call goes on with it, whatever the work met
 */
export async function asRestorer<T>(
  parts: RestorerParts,
  { record, database }: { readonly record: SwapRecord; readonly database: string },
  work: (restorer: Restorer) => Promise<T>,
): Promise<T> {
  const { client, signal } = parts;
  const user = restorersOf(record) + randomBytes(4).toString('hex');
  const login = { user, password: randomBytes(24).toString('base64url') };
  const hasUsers = await createRestorer(platform(client), login, database);
  try {
    // Now: whoever takes the restore over after this finds the user.
    await requireHeld(client, record);
    return await (hasUsers ? parts.asUser(login, work) : work(parts));
  } catch (error) {
    signal.throwIfAborted();
    await requireHeld(client, record);
    throw error;
  } finally {
    // One that stays is dropped by the next restore of the database; nobody knows its password.
    if (hasUsers) await dropUser(platform(client), login.user).catch(() => undefined);
  }
}

/**
 * Drops the users of all attempts before to restore a database, and ends what they have under way. Nothing of them begins
 * afterwards. What it ends it has listed while the record named this call: a call that goes on later has users of its own.
 * @throws CONFLICT (retryable) when another call goes on with it; UNAVAILABLE (retryable) when one is still at work
 */
export async function endRestorers(parts: RestorerParts, record: SwapRecord): Promise<void> {
  await end(parts, { live: record.live }, () => requireHeld(parts.client, record));
}

/** As {@link endRestorers}, for the users of one attempt, whichever call the record names. */
export async function endRestorersOf(
  parts: RestorerParts,
  { live, attempt }: Pick<SwapRecord, 'live' | 'attempt'>,
): Promise<void> {
  await end(parts, { live, attempt }, async () => undefined);
}

/** @param requireMeant asked between each look and what is ended of what it has found */
async function end(
  { client, signal }: RestorerParts,
  which: Parameters<typeof restorersOf>[0],
  requireMeant: () => Promise<void>,
): Promise<void> {
  const prefix = restorersOf(which);
  const users = await usersOf(platform(client));
  if (users === null) return;
  await requireMeant();
  for (const user of users) if (user.startsWith(prefix)) await dropUser(platform(client), user);
  // Also of those that a call has dropped which was killed then.
  for (let waitedMs = 0; ; waitedMs += EVERY_MS) {
    const commands = await underWay(client, prefix);
    if (commands.length === 0) return;
    await requireMeant();
    if (waitedMs >= END_MS) break;
    for (const op of commands) await client.db('admin').command({ killOp: 1, op });
    await delay(EVERY_MS, undefined, { signal });
  }
  const text = `An earlier restore of ${which.live} is at work on MongoDB, and did not end within ${END_MS / 1_000} s.`;
  throw new FairleadError('UNAVAILABLE', text, { system: 'mongodb', retryable: true });
}

function platform(client: MongoClient): Db {
  return client.db(BACKUPS_DATABASE);
}

/** @returns false on a server without users */
async function createRestorer(db: Db, login: RestorerLogin, database: string): Promise<boolean> {
  const roles = [
    // Of the tool: whatever an archive of a database may hold, such as the buckets of time series.
    { role: 'restore', db: 'admin' },
    ...['readWrite', 'dbAdmin'].map((role) => ({ role, db: database })),
  ];
  try {
    await createOwnUser(db, login, roles);
    return true;
  } catch (error) {
    if (isCode(error, NO_COMMAND)) return false;
    throw error;
  }
}

/** Names of users that the platform made; null on a server without users. */
async function usersOf(db: Db): Promise<readonly string[] | null> {
  try {
    const { users } = await db.command({ usersInfo: 1 });
    return (users as readonly Document[]).filter(isOurs).map(({ user }) => String(user));
  } catch (error) {
    if (isCode(error, NO_COMMAND)) return null;
    throw error;
  }
}

/** What users have under way whose names begin like this. */
async function underWay(client: MongoClient, prefix: string): Promise<readonly (number | string)[]> {
  const pipeline = [
    { $currentOp: { allUsers: true, idleSessions: false } },
    { $match: { 'effectiveUsers.user': { $regex: `^${prefix}` } } },
    { $project: { opid: 1 } },
  ];
  const found = await client.db('admin').aggregate<{ opid: number | string }>(pipeline).toArray();
  return found.map(({ opid }) => opid);
}
