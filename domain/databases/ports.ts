/**
 * The module `databases`: databases that services declare, and who may open them.
 *
 * Keying: one record a database, `<engine>/<service>_<environment>`; its password is decided by the write of the record,
 * before the server hears of it. So two deploys at once, and one that was killed, give the server the same password.
 * Retries: everything a server is told sets a state, and is repeated until it succeeds.
 * Compensation: none. A database that a failed build made stays, and the next build uses it.
 */

import type { DatabaseAccessKind } from '../catalog/catalog.ts';
import type { Page, PageRequest } from '../page.ts';
import type { DatabaseTarget } from './database-name.ts';
import type { DatabaseEngine } from './engines.ts';
import type { RotationRequest } from './messages.ts';
import type { DatabaseRecord, RotationWait, StoredLogin } from './record.ts';

/** In memory only. */
export interface DatabaseLogin {
  readonly user: string;
  readonly password: string;
}

/** A database as its server lists it. */
export interface ListedDatabase {
  readonly database: string;
  /** Whose it is by its name; null for one that the platform did not name. */
  readonly target: DatabaseTarget | null;
  /** On disk; null where the engine does not tell. */
  readonly bytes: number | null;
}

/** A user that the platform made, as its server lists it. */
export interface ListedUser extends Pick<DatabaseRecord, 'database' | 'generation'> {
  readonly user: string;
}

/**
 * The server of one engine, told what to do with the administrator's credentials. Every call may be repeated, may run
 * twice at once, and may be killed after any statement: the next one goes on.
 * @throws UNAVAILABLE (retryable) where the server does not answer or is full; UNAVAILABLE where it refuses the
 *   administrator; CONFLICT for a database or user of that name which the platform did not make; DISK_FULL; the abort reason
 */
export interface DatabaseServer {
  readonly engine: DatabaseEngine;
  /**
   * Makes sure that the database is there and that the login opens it, and no other. Other logins of it stay as they are.
   * @param generation of its record; part of the prefix of its keys, where a server has one space of keys for all
   * @returns what is open on the server and should not be, for the build's warnings; empty as a rule
   */
  ensure(
    database: string,
    login: DatabaseLogin,
    signal: AbortSignal,
    generation?: string | null,
  ): Promise<readonly string[]>;
  /** Refuses a user of the database from now on, and ends its connections. No error when there is none. */
  withdraw(database: string, user: string, signal: AbortSignal): Promise<void>;
  /**
   * Drops the database with its users. No error when it is gone.
   * @param isMeant asked just before what cannot be undone, with PostgreSQL under the lock of `ensure`: when it answers no, no data is
   *   dropped. Whoever asks has users that went come back (`settleUser`)
   * @param generation of its record: keys of another one stay
   */
  drop(
    database: string,
    signal: AbortSignal,
    isMeant?: () => Promise<boolean>,
    generation?: string | null,
  ): Promise<void>;
  /** Users that the platform made, where a server may forget them or get old ones back; absent where it keeps them with its data. */
  users?(signal: AbortSignal): Promise<readonly ListedUser[]>;
  /** Logins of other services to a database; absent where an engine has none. */
  readonly consumers?: ConsumerLogins;
  /** Every database of the server but its own. */
  list(signal: AbortSignal): Promise<readonly ListedDatabase[]>;
}

/** Logins of services to databases of other ones; each call may be repeated, as those of {@link DatabaseServer}. */
export interface ConsumerLogins {
  /**
   * Makes sure that a login reads a database that is there, or reads and writes what it holds, and does nothing else; also
   * in tables and collections that its owner makes later, and after a restore took its place.
   * @param isMeant asked just before, when no other call for the database runs: when it answers no, nobody is let in
   */
  admit(
    database: string,
    login: DatabaseLogin,
    access: DatabaseAccessKind,
    signal: AbortSignal,
    isMeant?: () => Promise<boolean>,
  ): Promise<void>;
  /**
   * Takes users away and ends their connections. No error when they are gone.
   * @param isMeant as that of `admit`: when it answers no, nobody is taken away
   */
  dismiss(
    database: string,
    users: readonly string[],
    signal: AbortSignal,
    isMeant?: () => Promise<boolean>,
  ): Promise<void>;
}

/** Where a record keeps a login: the current one, the prepared one, the one that retires. */
export const LOGIN_PLACES = ['login', 'next', 'retired'] as const;

export type LoginPlace = (typeof LOGIN_PLACES)[number];

/**
 * Whether a login to another service's database may be there now: by the orgs of both, or by a grant. It asks a majority, so
 * that what was revoked before is never overlooked. True of a service's own database. @throws UNAVAILABLE
 */
export type MayConsume = (
  login: Pick<DatabaseRecord, 'engine' | 'serviceId' | 'environment' | 'consumes'>,
) => Promise<boolean>;

/** Records of databases; every write is one conditional update of one document. */
export interface DatabaseRecords {
  /** Inserts the record unless one of its id is there. @returns what is stored, confirmed by a majority */
  claim(record: DatabaseRecord): Promise<DatabaseRecord>;
  /** Confirmed by a majority. */
  find(id: string): Promise<DatabaseRecord | null>;
  /** Its own databases, and its logins to those of others. Confirmed by a majority. */
  ofService(serviceId: string): Promise<readonly DatabaseRecord[]>;
  /** Logins that others have to the databases of a service. Confirmed by a majority. */
  consumersOf(serviceId: string): Promise<readonly DatabaseRecord[]>;
  /** Ids of the removed services, of the same org, whose databases these services have now. */
  earlierServiceIds(serviceIds: readonly string[]): Promise<readonly string[]>;
  /** Gives a kept database to another service of the same org, and notes the one before as an earlier one. False when it is not kept any more. */
  adopt(id: string, from: string, to: { readonly serviceId: string; readonly org: string }): Promise<boolean>;
  /**
   * Notes that its service was removed, or the login to another one's ended. False when it belongs to another service by
   * now, or is kept already.
   * @param given when it says so, also false where the login was given to somebody since
   */
  keep(id: string, serviceId: string, dropAfter: Date, given?: number): Promise<boolean>;
  /** Counts that somebody is given the login of an active record. @returns the record then; null for one that is not active */
  give(id: string): Promise<DatabaseRecord | null>;
  /** Notes how large it is while it is kept. No error where a service has it again. */
  noteKeptBytes(id: string, bytes: number | null): Promise<void>;
  /** Keeps it until another time, later or sooner. False when it is not kept until then any more. */
  keepLonger(id: string, dropAfter: Date, until: Date): Promise<boolean>;
  /** From now on nobody gets it back. False when it is not kept until then any more. */
  startDropping(id: string, dropAfter: Date): Promise<boolean>;
  /** Puts the same login, sealed by another key, in its place. False when another one is there by now. */
  reseal(id: string, place: LoginPlace, from: StoredLogin, to: StoredLogin): Promise<boolean>;
  /** Takes away the record of a database that was dropped. No error where it is another one's by now. */
  removeDropped(id: string, dropAfter: Date): Promise<void>;
  /** Puts a login in the place of one that no key opens. False when another one is there by now. */
  replaceLogin(id: string, from: StoredLogin, to: StoredLogin): Promise<boolean>;
  /** Prepares the next login of an active database. False when one is prepared, or one is retiring, or `seen` is not the current one. */
  prepareLogin(id: string, seen: StoredLogin, next: StoredLogin): Promise<boolean>;
  /** Notes what a rotation that has begun waits for. No error where none has, or it has ended. */
  noteWait(id: string, wait: RotationWait): Promise<void>;
  /** Forgets a prepared login, such as one that no key opens. No error when another one is there. */
  dropPrepared(id: string, next: StoredLogin): Promise<void>;
  /** Makes the prepared login the current one; the one before retires. False when it is not prepared any more. */
  promoteLogin(id: string, next: StoredLogin): Promise<boolean>;
  /** Notes the mark of the promotion of a login, unless one is noted. No error where another login is the current one, or nobody retires. */
  noteMark(id: string, current: StoredLogin, mark: number): Promise<void>;
  /** Notes that the server refuses the user that retired when a login became the current one. No error where another one is. */
  endRetiring(id: string, current: StoredLogin, user: string): Promise<void>;
  /** Engines of which there is any database. */
  usedEngines(): Promise<readonly DatabaseEngine[]>;
  /** Of all services, by id. */
  list(page: PageRequest): Promise<Page<DatabaseRecord>>;
  /** Databases of removed services that are not dropped yet, by id: of an org, or of all for null. No logins to databases of others. */
  listKept(org: string | null, page: PageRequest): Promise<Page<DatabaseRecord>>;
  /** Active ones of all services, the one with the oldest login first. */
  listByLoginAge(page: PageRequest): Promise<Page<DatabaseRecord>>;
}

/** What runs of services, as a rotation has to know it: who has been given which login. */
export interface WorkloadLogins {
  /** A mark of this moment. Whatever is started by what begins after it has been given the login of then, or a newer one. */
  mark(target: DatabaseTarget): Promise<number>;
  /** Whether anything that serves, or is about to, may have been given a login of the engine before the mark. */
  mayHaveOlder(
    database: DatabaseTarget & Pick<DatabaseRecord, 'engine'> & Partial<Pick<DatabaseRecord, 'consumes'>>,
    mark: number,
  ): Promise<boolean>;
  /**
   * Has what serves replaced by a workload with the current logins, beside which it serves until the new one is healthy.
   * Asked again under the same build id, it tells what became of it. `busy`: people deploy the service.
   * @throws UNAVAILABLE (retryable)
   */
  restart(order: WorkloadRestart): Promise<'running' | 'ended' | 'busy' | 'not needed'>;
}

export interface WorkloadRestart extends DatabaseTarget {
  readonly buildId: string;
  readonly serviceId: string;
  readonly mark: number;
  readonly requestedBy: string;
  readonly requestId: string;
}

/** Starts the workflows of databases. */
export interface DatabaseCommands {
  /** Gives a database a new login, or joins the rotation that does. */
  rotate(database: DatabaseRecord, by: Pick<RotationRequest, 'requestedBy' | 'requestId'>): Promise<void>;
  /** Whether a rotation of a database is at work now. */
  isRotating(database: DatabaseRecord): Promise<boolean>;
  /** The database is dropped at that time, unless a service has it again. Idempotent. */
  dropLater(database: { readonly id: string; readonly dropAfter: Date }): Promise<void>;
  /** What is to be dropped later is dropped at that time, as its record says by now. Idempotent. */
  dropSooner(database: { readonly id: string; readonly dropAfter: Date }): Promise<void>;
}

/** What there is of the backup of a database before it is dropped at a time. */
export type FinalBackupState =
  /** A restore of it for proof has shown that it has what the database had. */
  | { readonly kind: 'stored'; readonly backupId: string; readonly objectKey: string }
  | { readonly kind: 'failed'; readonly reason: string }
  /** `not made`: it has not ended, or not begun, or nobody has restored it yet. `not backed up`: none is made of databases of this engine. */
  | { readonly kind: 'not made' | 'not backed up' };

/** The backup of a database before it is dropped: one for each time to drop it. */
export interface FinalBackup {
  /** @throws UNAVAILABLE (retryable) */
  find(record: DatabaseRecord): Promise<FinalBackupState>;
  /**
   * Makes it, and waits until it has ended and was proven, in whatever way. Asked again, it joins the same backup.
   * @throws BACKUP_IN_PROGRESS, RESTORE_IN_PROGRESS while something else has the database; RESTORE_FAILED where it could not be
   * proven; UNAVAILABLE (retryable); the abort reason
   */
  make(record: DatabaseRecord, signal: AbortSignal): Promise<void>;
}
