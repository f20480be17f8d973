import type { Clock } from '../../domain/clock.ts';
import type { DropRequest, RotationRequest } from '../../domain/databases/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import type { DatabasesDeps } from './deps.ts';
import { dropKeptDatabase } from './drop-kept-database.ts';
import { measureKeptDatabase } from './measure-kept-database.ts';
import { reconcileServers } from './reconcile-servers.ts';
import {
  acceptLogin,
  listDueLogins,
  prepareLogin,
  promoteLogin,
  type RotatingDeps,
  type RotationDeps,
  type RunningRotation,
  replaceWorkload,
  tellWaiting,
  type WaitingRotation,
} from './rotate-login.ts';

export interface DatabasesActivityDeps extends DatabasesDeps {
  /** Null without the keys of stored secrets. */
  readonly rotation: RotationDeps | null;
  readonly now: Clock;
}

/**
 * The activities of the workflows of databases.
 *
 * - Keying: one workflow a kept database (`database-drop/<engine>/<database>`), and one a rotation of a login
 *   (`rotate/<engine>/<service>/<environment>`).
 * - Retries: for as long as a server is away. What was begun goes on: the record says that it is being dropped, or how far
 *   a rotation has come.
 * - Compensation: none; a drop is not undone. Until it begins, its org gets the database back with a deploy. A rotation that
 *   is broken off leaves two valid logins, and the next one ends the older.
 */
export function createDatabasesActivities(deps: DatabasesActivityDeps) {
  const rotating = (): RotatingDeps => {
    if (deps.rotation !== null) return { ...deps, rotation: deps.rotation };
    throw new FairleadError('UNAVAILABLE', 'No login can be rotated: set CONFIG_ENCRYPTION_KEY on the worker');
  };
  return {
    dropKeptDatabase: (request: DropRequest) => whileHeartbeating((signal) => dropKeptDatabase(deps, request, signal)),
    measureKeptDatabase: (id: string) => whileHeartbeating((signal) => measureKeptDatabase(deps, id, signal)),
    reconcileServers: () => whileHeartbeating((signal) => reconcileServers(deps, signal)),
    listDueLogins: (cursor: string | null, begunAt?: string) => listDueLogins(deps, cursor, begunAt ?? null),
    prepareLogin: (request: RotationRequest) => whileHeartbeating(() => prepareLogin(rotating(), request)),
    acceptLogin: (id: string) => whileHeartbeating((signal) => acceptLogin(rotating(), id, signal)),
    promoteLogin: (id: string) => whileHeartbeating(() => promoteLogin(rotating(), id)),
    replaceWorkload: (rotation: RunningRotation) =>
      whileHeartbeating((signal) => replaceWorkload(rotating(), rotation, signal)),
    tellWaiting: (waiting: WaitingRotation) => tellWaiting(rotating(), waiting),
  };
}

export type DatabasesActivities = ReturnType<typeof createDatabasesActivities>;
