import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { FairleadError } from '../../domain/errors.ts';

interface Meaning {
  /** Of MongoDB's `error_codes.yml`. */
  readonly codes: readonly number[];
  readonly code: 'UNAVAILABLE' | 'DISK_FULL';
  readonly text: string;
  readonly retryable: boolean;
}

const REFUSED = 'refuses the credentials of DB_MONGODB_ADMIN_URI: correct them';

/** What an error of the server means for whoever asked. */
const MEANINGS: readonly Meaning[] = [
  // AuthenticationFailed, UserNotFound at a login
  { codes: [18], code: 'UNAVAILABLE', text: REFUSED, retryable: false },
  {
    codes: [13],
    code: 'UNAVAILABLE',
    text: 'does not let the user of DB_MONGODB_ADMIN_URI do this: it needs the role root',
    retryable: false,
  },
  {
    // CommandNotFound, AtlasError
    codes: [59, 8000],
    code: 'UNAVAILABLE',
    text: 'has no commands for users: name a MongoDB server of your own in DB_MONGODB_ADMIN_URI',
    retryable: false,
  },
  // OutOfDiskSpace
  { codes: [14_031], code: 'DISK_FULL', text: 'has no disk space left', retryable: false },
  {
    // HostUnreachable, ExceededTimeLimit, WriteConcernFailed, ShutdownInProgress, a failover
    codes: [6, 7, 50, 64, 89, 91, 100, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436],
    code: 'UNAVAILABLE',
    text: 'is starting, stopping or failing over',
    retryable: true,
  },
  // LockTimeout, WriteConflict, ConflictingOperationInProgress, DatabaseDropPending
  { codes: [24, 112, 117, 215], code: 'UNAVAILABLE', text: 'was busy with the same database', retryable: true },
];

/** An error of the server or of the way to it, in the platform's terms. Its cause is kept; nothing of it is shown. */
export function mongodbError(error: unknown): unknown {
  if (error instanceof FairleadError || error instanceof RangeError) return error;
  if (error instanceof MongoServerError) {
    const meaning = MEANINGS.find(({ codes }) => codes.includes(Number(error.code)));
    if (meaning !== undefined) return failure(meaning.code, meaning.text, meaning.retryable, error);
    return failure('INTERNAL', `answered with error ${error.code}`, false, error);
  }
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) {
    return failure('UNAVAILABLE', 'does not answer', true, error);
  }
  if (!(error instanceof Error) || !/^Mongo/.test(error.name)) return error;
  return failure('UNAVAILABLE', 'closed the connection', true, error);
}

/** Whether the server answered with an error of that code. */
export function isCode(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof MongoServerError && codes.includes(Number(error.code));
}

function failure(
  code: 'UNAVAILABLE' | 'DISK_FULL' | 'INTERNAL',
  text: string,
  retryable: boolean,
  cause: unknown,
): FairleadError {
  return new FairleadError(code, `The MongoDB server of databases ${text}.`, { system: 'mongodb', retryable, cause });
}
