/**
 * The module `databases`: databases that services declare, and who may open them.
 *
 * Keying: one record a database, `<engine>/<service>_<environment>`; its password is decided by the write of the record,
 * before the server hears of it. So two deploys at once, and one that was killed, give the server the same password.
 * Retries: everything a server is told sets a state, and is repeated until it succeeds.
 * Compensation: none. A database that a failed build made stays, and the next build uses it.
 */

import type { Page, PageRequest } from '../page.ts';
import type { DatabaseTarget } from './database-name.ts';
import type { DatabaseEngine } from './engines.ts';
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
  /** Drops the database with its users. No error when it is gone. */
  drop(database: string, signal: AbortSignal): Promise<void>;
  /** Every database of the server but its own. */
  list(signal: AbortSignal): Promise<readonly ListedDatabase[]>;
}

/** Records of databases; every write is one conditional update of one document. */
export interface DatabaseRecords {
  /** Inserts the record unless one of its id is there. @returns what is stored, confirmed by a majority */
  claim(record: DatabaseRecord): Promise<DatabaseRecord>;
  /** Confirmed by a majority. */
  find(id: string): Promise<DatabaseRecord | null>;
  ofService(serviceId: string): Promise<readonly DatabaseRecord[]>;
  /** Gives a kept database to another service of the same org. False when it is not kept any more. */
  adopt(id: string, from: string, to: { readonly serviceId: string; readonly org: string }): Promise<boolean>;
  /** Notes that its service was removed. False when it belongs to another service by now, or is kept already. */
  keep(id: string, serviceId: string, dropAfter: Date): Promise<boolean>;
  /** From now on nobody gets it back. False when it is not kept until then any more. */
  startDropping(id: string, dropAfter: Date): Promise<boolean>;
  /** Takes away the record of a database that was dropped. */
  removeDropped(id: string): Promise<void>;
  /** Puts a login in the place of one that no key opens. False when another one is there by now. */
  replaceLogin(id: string, from: StoredLogin, to: StoredLogin): Promise<boolean>;
  /** Prepares the next login of an active database. False when one is prepared, or one is retiring, or `seen` is not the current one. */
  prepareLogin(id: string, seen: StoredLogin, next: StoredLogin): Promise<boolean>;
  /** Makes the prepared login the current one, whose user retires. False when it is not prepared any more. */
  promoteLogin(id: string, next: StoredLogin): Promise<boolean>;
  /** Notes that the server refuses the user that retired. */
  endRetiring(id: string, user: string): Promise<void>;
  /** Engines of which there is any database. */
  usedEngines(): Promise<readonly DatabaseEngine[]>;
  /** Of all services, by id. */
  list(page: PageRequest): Promise<Page<DatabaseRecord>>;
}

/** Starts the workflows of databases. */
export interface DatabaseCommands {
  /** The database is dropped at that time, unless a service has it again. Idempotent. */
  dropLater(database: { readonly id: string; readonly dropAfter: Date }): Promise<void>;
}

/** The backup of a database before it is dropped. Resolves once it is stored and verified. @throws what keeps it from that */
export type FinalBackup = (record: DatabaseRecord, signal: AbortSignal) => Promise<void>;
