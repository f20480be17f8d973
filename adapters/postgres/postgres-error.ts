import { DatabaseError } from 'pg';
import { FairleadError } from '../../domain/errors.ts';

/** By the first letters of an SQLSTATE (PostgreSQL's documentation, appendix A): what it means for whoever asked. */
const MEANINGS: readonly {
  readonly states: readonly string[];
  readonly code: 'UNAVAILABLE' | 'DISK_FULL';
  readonly text: string;
  readonly retryable: boolean;
}[] = [
  {
    states: ['28'],
    code: 'UNAVAILABLE',
    text: 'refuses the credentials of DB_POSTGRES_ADMIN_URI: correct them',
    retryable: false,
  },
  {
    states: ['42501'],
    code: 'UNAVAILABLE',
    text: 'does not let the user of DB_POSTGRES_ADMIN_URI do this: it needs CREATEDB and CREATEROLE, or SUPERUSER',
    retryable: false,
  },
  { states: ['53100'], code: 'DISK_FULL', text: 'has no disk space left', retryable: false },
  // Too many connections, stops or starts, or ended this connection.
  { states: ['53', '57', '08'], code: 'UNAVAILABLE', text: 'is full, starting or stopping', retryable: true },
  // A service names a role that is dropped; it is left aside by another attempt.
  { states: ['2BP01'], code: 'UNAVAILABLE', text: 'keeps what other databases name', retryable: true },
  // Another caller had what this one needed; both set the same state.
  {
    states: ['40', '55', '23505', 'XX000'],
    code: 'UNAVAILABLE',
    text: 'was busy with the same database',
    retryable: true,
  },
];

/** An error of the server or of the way to it, in the platform's terms. Its cause is kept; nothing of it is shown. */
export function postgresError(error: unknown): unknown {
  if (error instanceof FairleadError) return error;
  if (!(error instanceof DatabaseError)) {
    const reason = (error as NodeJS.ErrnoException | null)?.code ?? 'no connection';
    return failure('UNAVAILABLE', `does not answer (${reason})`, { retryable: true, cause: error });
  }
  const state = error.code ?? '';
  const meaning = MEANINGS.find(({ states }) => states.some((start) => state.startsWith(start)));
  if (meaning === undefined) return failure('INTERNAL', `answered with error ${state}`, { cause: error });
  return failure(meaning.code, meaning.text, { retryable: meaning.retryable, cause: error });
}

function failure(
  code: 'UNAVAILABLE' | 'DISK_FULL' | 'INTERNAL',
  text: string,
  options: { readonly retryable?: boolean; readonly cause: unknown },
): FairleadError {
  return new FairleadError(code, `The PostgreSQL server of databases ${text}.`, { system: 'postgres', ...options });
}
