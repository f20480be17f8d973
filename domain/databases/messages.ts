import type { DatabaseEngine } from './engines.ts';
import type { ConsumedFrom, DatabaseRecord } from './record.ts';

/** Names, ids and message types of the workflows of databases. */

export const DATABASE_WORKFLOWS = {
  dropDatabase: 'dropDatabase',
  rotateLogin: 'rotateLogin',
  rotateLogins: 'rotateLogins',
} as const;

/** Signals of `dropDatabase`. */
export const DROP_SIGNALS = {
  /** The database is dropped at another time; an ISO time. */
  timeChanged: 'timeChanged',
} as const;

export interface DropRequest {
  /** Of the record. */
  readonly id: string;
  /** ISO time. */
  readonly dropAfter: string;
  /** Why its final backup could not be made; absent where it was not tried. */
  readonly problem?: string;
}

/**
 * What came of the time to drop a database: it is gone, somebody has it again, it has to be backed up first, or it is kept
 * until another time.
 */
export type DropOutcome =
  | { readonly kind: 'dropped' | 'in use' | 'backup first' }
  | { readonly kind: 'kept'; readonly dropAfter: string };

/** One at a time of a database. */
export function dropWorkflowId(id: string): string {
  return `database-drop/${id}`;
}

/** Asks for a new login of a database. */
export interface RotationRequest extends Pick<DatabaseRecord, 'id'> {
  /** Also before ROTATION_TTL_DAYS are over. */
  readonly isAsked: boolean;
  /** A user id, a client id, or `schedule`. */
  readonly requestedBy: string;
  readonly requestId: string;
}

/**
 * What a rotation has come to.
 *
 * - `rotated`: workloads have the new login, and the server refuses the old one.
 * - `waiting`: workloads may still have the old login, which stays valid; `reason` says why. The next night goes on.
 * - `not due`: the login is not old enough, or the database is no service's now.
 */
export type RotationOutcome =
  | { readonly kind: 'rotated' | 'not due' }
  | { readonly kind: 'waiting'; readonly reason: string };

/** One rotation of a login at a time. */
export function rotationWorkflowId(database: {
  readonly engine: DatabaseEngine;
  readonly service: string;
  readonly environment: string;
  /** Absent in what a worker of an earlier version lists. */
  readonly consumes?: ConsumedFrom | null;
}): string {
  const { engine, service, environment, consumes } = database;
  const own = `rotate/${engine}/${service}/${environment}`;
  return consumes == null ? own : `${own}/${consumes.service}/${consumes.access}`;
}
