import type { DatabaseAccessKind } from '../catalog/catalog.ts';
import type { SealedSecret } from '../config/sealed-secret.ts';
import type { Environment } from '../environment.ts';
import type { DatabaseTarget } from './database-name.ts';
import type { DatabaseEngine } from './engines.ts';

/** A user of a database with a password that is kept sealed. */
export interface StoredLogin {
  readonly user: string;
  readonly password: SealedSecret;
  readonly issuedAt: Date;
}

/** Whose database a service uses, and how. */
export interface ConsumedFrom {
  /** Name of the service that has the database. */
  readonly service: string;
  readonly serviceId: string;
  readonly access: DatabaseAccessKind;
}

/**
 * What a rotation waits for that has made its login, before the login before ends.
 *
 * - `restart`: a build that replaces the workload by one with the new login.
 * - `deploy`: people deploy the service.
 * - `next-night`: the last attempt came to no end, and `reason` says why.
 */
export interface RotationWait {
  readonly for: 'restart' | 'deploy' | 'next-night';
  /** Of the build that replaces the workload, or was to. */
  readonly buildId: string;
  /** Null while an attempt is at work. */
  readonly reason: string | null;
  readonly since: Date;
}

/**
 * - `active`: a service has it.
 * - `kept`: its service was removed; it is dropped at `dropAfter`, unless its org deploys a service of that name before.
 * - `dropping`: nobody gets it back.
 */
export type DatabaseState = 'active' | 'kept' | 'dropping';

/**
 * One database of a service in one environment, and who may open it (`databaseCredentials` and `credentialRotation` of
 * spec 2, "Service record"; in a record of its own, which outlives the service for a while).
 */
export interface DatabaseRecord extends DatabaseTarget {
  /** `<engine>/<database>`: on one server there is one database of a name. Of who uses it as well `<engine>/<database>/<key>`. */
  readonly id: string;
  readonly engine: DatabaseEngine;
  readonly database: string;
  /** Part of the prefix of its keys (`keyPrefix`); null where a server keeps databases apart, and in records of before. */
  readonly generation: string | null;
  readonly serviceId: string;
  /** Null for a service's own database; else the record is of a login of its own to the database of another service. */
  readonly consumes: ConsumedFrom | null;
  /** Removed services of the same org that had it before: what was made of it under their ids, such as backups, is of its service now. */
  readonly earlierServiceIds: readonly string[];
  readonly environment: Environment;
  /** Slug of the org that owns the service. */
  readonly org: string;
  readonly state: DatabaseState;
  /** Null while it is active. */
  readonly dropAfter: Date | null;
  /** How large it was when its service was removed; null while it is active, and where its server has not told. */
  readonly keptBytes: number | null;
  /** What workloads are given. The server accepts it, but for one that is new and is being made. */
  readonly login: StoredLogin;
  /** Prepared by a rotation, which makes the server accept it before workloads are given it. */
  readonly next: StoredLogin | null;
  /** The user of the login before, which the server accepts until workloads have the current one. */
  readonly retiring: string | null;
  /** The login of that user, which no log may show; null where nobody retires, and in records of before. */
  readonly retired: StoredLogin | null;
  /** Since when workloads are given the current login while that user retires (`WorkloadLogins.mark`); null otherwise, and until it is noted. */
  readonly mark: number | null;
  /** Null where no rotation waits, or it has not told yet. */
  readonly waits: RotationWait | null;
  /** How often somebody was given a login to another service's database: who ends one that nobody has sees by it that somebody came. */
  readonly given: number;
  readonly createdAt: Date;
}

export function databaseId(engine: DatabaseEngine, database: string): string {
  return `${engine}/${database}`;
}
