import { setTimeout as delay } from 'node:timers/promises';
import { type Db, MongoServerError } from 'mongodb';
import { FairleadError } from '../../domain/errors.ts';
import { MONGO_USER } from './mongo-uri.ts';

export interface FirstUserOptions {
  readonly password: string;
  readonly replicaSet: string;
  readonly members: readonly { readonly _id: number; readonly host: string }[];
}

type Admin = Pick<Db, 'command'>;

/** As MongoDB numbers its errors. */
const CODES = {
  unauthorized: 13,
  alreadyInitialized: 23,
  notAMember: 93,
  notYetInitialized: 94,
  versionNotGreater: 103,
} as const;

const WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;
const VERSION_ATTEMPTS = 10;
/** A forced change adds a random number to the version, of 110,000 at most. */
const VERSION_STEP = 1_000_000;

/** What a `mongod` without users says of itself. */
export interface MemberReplies {
  /** From `hello`. */
  readonly isWritablePrimary: boolean;
  /** Code of the error of `replSetGetStatus`; null where it answers. */
  readonly statusError: number | null;
}

/**
 * What brings a `mongod` without users nearer to its first one. The data folder is new, or of a version without passwords
 * and of any port, or a start was killed at any of these steps.
 */
export function nextStep({
  isWritablePrimary,
  statusError,
}: MemberReplies): 'user' | 'initiate' | 'readdress' | 'wait' {
  if (isWritablePrimary) return 'user';
  if (statusError === CODES.notYetInitialized) return 'initiate';
  // The replica set was made at another port: this server is not the member that it names, and never becomes primary.
  if (statusError === CODES.notAMember) return 'readdress';
  return 'wait';
}

/**
 * Makes the replica set and its user, by a connection without credentials. Idempotent.
 * @throws FairleadError UNAVAILABLE when there is a user
 */
export async function createFirstUser(admin: Admin, options: FirstUserOptions): Promise<void> {
  const { password, replicaSet, members } = options;
  const deadline = performance.now() + WITHIN_MS;
  try {
    for (;;) {
      const step = nextStep(await repliesOf(admin));
      if (step === 'user') break;
      if (step === 'initiate') await initiate(admin, { _id: replicaSet, members });
      if (step === 'readdress') await readdress(admin, { _id: replicaSet, members });
      if (performance.now() > deadline) throw new Error(`MongoDB did not become primary within ${WITHIN_MS / 1000} s`);
      await delay(LOOK_EVERY_MS);
    }
    await admin.command({ createUser: MONGO_USER, pwd: password, roles: ['root'], mechanisms: ['SCRAM-SHA-256'] });
  } catch (cause) {
    if (codeOf(cause) !== CODES.unauthorized) throw cause;
    const text =
      'the MongoDB of this data folder has another password: restore the secrets.json that belongs to the folder';
    throw new FairleadError('UNAVAILABLE', text, { cause });
  }
}

async function repliesOf(admin: Admin): Promise<MemberReplies> {
  const { isWritablePrimary } = await admin.command({ hello: 1 });
  const statusError = await admin.command({ replSetGetStatus: 1 }).then(
    () => null,
    (error: unknown) => {
      const code = codeOf(error);
      if (code === null || code === CODES.unauthorized) throw error;
      return code;
    },
  );
  return { isWritablePrimary: isWritablePrimary === true, statusError };
}

type Config = Readonly<Record<string, unknown>>;

/** While a server begins, it says the same as one that has no replica set yet. */
async function initiate(admin: Admin, config: Config): Promise<void> {
  await admin.command({ replSetInitiate: config }).catch(unless(CODES.alreadyInitialized, CODES.notYetInitialized));
}

/**
 * Nobody may read the configuration before there is a user, so its version is not known: the seconds since 1970 are beyond
 * the versions that changes of the port have made.
 */
async function readdress(admin: Admin, config: Config): Promise<void> {
  let version = Math.floor(Date.now() / 1000);
  for (let attempt = 0; attempt < VERSION_ATTEMPTS; attempt += 1) {
    const isDone = await admin.command({ replSetReconfig: { ...config, version }, force: true }).then(
      () => true,
      (error: unknown) => {
        if (codeOf(error) !== CODES.versionNotGreater) throw error;
        return false;
      },
    );
    if (isDone) return;
    version += VERSION_STEP;
  }
  throw new Error('The replica set of this data folder cannot be given its new address');
}

function unless(...codes: readonly number[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes(codeOf(error) ?? -1)) throw error;
  };
}

function codeOf(error: unknown): number | null {
  return error instanceof MongoServerError && typeof error.code === 'number' ? error.code : null;
}
