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
import type { DatabaseRecord, StoredLogin } from './record.ts';

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
   * @returns what is open on the server and should not be, for the build's warnings; empty as a rule
   */
  ensure(database: string, login: DatabaseLogin, signal: AbortSignal): Promise<readonly string[]>;
  /** Refuses a user of the database from now on, and ends its connections. No error when there is none. */
  withdraw(database: string, user: string, signal: AbortSignal): Promise<void>;
  /**
   * Drops the database with its users. No error when it is gone.
   * @param isMeant asked just before, with PostgreSQL under the lock of `ensure`: when it answers no, nothing is dropped
   */
  drop(database: string, signal: AbortSignal, isMeant?: () => Promise<boolean>): Promise<void>;
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
   */
  admit(database: string, login: DatabaseLogin, access: DatabaseAccessKind, signal: AbortSignal): Promise<void>;
  /** Takes users away and ends their connections. No error when they are gone. */
  dismiss(database: string, users: readonly string[], signal: AbortSignal): Promise<void>;
}

/** Records of databases; every write is one conditional update of one document. */
export interface DatabaseRecords {
  /** Inserts the record unless one of its id is there. @returns what is stored, confirmed by a majority */
  claim(record: DatabaseRecord): Promise<DatabaseRecord>;
  /** Confirmed by a majority. */
  find(id: string): Promise<DatabaseRecord | null>;
  /** Its own databases, and its logins to those of others. */
  ofService(serviceId: string): Promise<readonly DatabaseRecord[]>;
  /** Logins that others have to the databases of a service. */
  consumersOf(serviceId: string): Promise<readonly DatabaseRecord[]>;
  /** Ids of the removed services, of the same org, whose databases these services have now. */
  earlierServiceIds(serviceIds: readonly string[]): Promise<readonly string[]>;
  /** Gives a kept database to another service of the same org, and notes the one before as an earlier one. False when it is not kept any more. */
  adopt(id: string, from: string, to: { readonly serviceId: string; readonly org: string }): Promise<boolean>;
  /** Notes that its service was removed. False when it belongs to another service by now, or is kept already. */
  keep(id: string, serviceId: string, dropAfter: Date): Promise<boolean>;
  /** Keeps it until later. False when it is not kept until then any more. */
  keepLonger(id: string, dropAfter: Date, until: Date): Promise<boolean>;
  /** From now on nobody gets it back. False when it is not kept until then any more. */
  startDropping(id: string, dropAfter: Date): Promise<boolean>;
  /** Takes away the record of a database that was dropped. */
  removeDropped(id: string): Promise<void>;
  /** Puts a login in the place of one that no key opens. False when another one is there by now. */
  replaceLogin(id: string, from: StoredLogin, to: StoredLogin): Promise<boolean>;
  /** Prepares the next login of an active database. False when one is prepared, or one is retiring, or `seen` is not the current one. */
  prepareLogin(id: string, seen: StoredLogin, next: StoredLogin): Promise<boolean>;
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
}

/**
 * The backup of a database before it is dropped. Resolves once the object store has all of it; asked again for the same
 * time to drop it, with the same backup. Null for an engine that is not backed up.
 * @throws BACKUP_IN_PROGRESS, RESTORE_IN_PROGRESS while something else has the database; what else keeps it from a backup
 */
export type FinalBackup = (
  record: DatabaseRecord,
  signal: AbortSignal,
) => Promise<{ readonly backupId: string; readonly objectKey: string } | null>;
