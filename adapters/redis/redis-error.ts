import { FairleadError } from '../../domain/errors.ts';

interface Meaning {
  /** Of the words with which the server begins its answer. */
  readonly pattern: RegExp;
  readonly code: 'UNAVAILABLE' | 'DISK_FULL';
  readonly text: string;
  readonly retryable: boolean;
}

/** What an error of the server means for whoever asked. */
const MEANINGS: readonly Meaning[] = [
  {
    pattern: /^(?:WRONGPASS|NOAUTH|ERR AUTH |ERR Client sent AUTH)/,
    code: 'UNAVAILABLE',
    text: 'refuses the credentials of DB_REDIS_ADMIN_URL: correct them',
    retryable: false,
  },
  {
    pattern: /^NOPERM/,
    code: 'UNAVAILABLE',
    text: 'does not let the user of DB_REDIS_ADMIN_URL do this: it needs ~* &* +@all',
    retryable: false,
  },
  {
    pattern: /^(?:ERR unknown command|ERR unknown subcommand|NOPROTO|ERR Unknown Redis command)/i,
    code: 'UNAVAILABLE',
    text: 'has no users: name a Redis server of version 7 or later in DB_REDIS_ADMIN_URL',
    retryable: false,
  },
  {
    pattern: /^MISCONF/,
    code: 'DISK_FULL',
    text: 'cannot write to its disk',
    retryable: false,
  },
  {
    pattern: /^ERR There was an error trying to save the ACLs/,
    code: 'UNAVAILABLE',
    text: 'cannot write its file of users (aclfile)',
    retryable: true,
  },
  {
    pattern: /^READONLY/,
    code: 'UNAVAILABLE',
    text: 'is a replica: name the primary in DB_REDIS_ADMIN_URL',
    retryable: true,
  },
  { pattern: /^OOM/, code: 'UNAVAILABLE', text: 'has no memory left', retryable: true },
  {
    pattern: /^(?:LOADING|BUSY|MASTERDOWN|NOREPLICAS|TRYAGAIN|CLUSTERDOWN|ERR max number of clients)/,
    code: 'UNAVAILABLE',
    text: 'is starting, stopping or busy',
    retryable: true,
  },
];

/** An error of the server or of the way to it, in the platform's terms. Its cause is kept; nothing of it is shown. */
export function redisError(error: unknown, isAnswer: boolean): unknown {
  if (error instanceof FairleadError || error instanceof RangeError || !(error instanceof Error)) return error;
  if (!isAnswer) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'no answer in time, or the connection was closed';
    return failure('UNAVAILABLE', `does not answer (${reason})`, true, error);
  }
  const meaning = MEANINGS.find(({ pattern }) => pattern.test(error.message));
  if (meaning !== undefined) return failure(meaning.code, meaning.text, meaning.retryable, error);
  return failure('INTERNAL', `answered with error ${/^[A-Z]{2,20}/.exec(error.message)?.[0] ?? ''}`, false, error);
}

export function failure(
  code: 'UNAVAILABLE' | 'DISK_FULL' | 'INTERNAL',
  text: string,
  retryable = false,
  cause?: unknown,
): FairleadError {
  return new FairleadError(code, `The Redis server of databases ${text}.`, { system: 'redis', retryable, cause });
}
