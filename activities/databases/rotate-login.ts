import type { Clock } from '../../domain/clock.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { userBase } from '../../domain/databases/consumer.ts';
import { nextUser } from '../../domain/databases/database-name.ts';
import { letIn } from '../../domain/databases/let-in.ts';
import { openLogin, sealLogin } from '../../domain/databases/login.ts';
import type { RotationRequest } from '../../domain/databases/messages.ts';
import type { DatabaseLogin, MayConsume, WorkloadLogins } from '../../domain/databases/ports.ts';
import type { DatabaseRecord, RotationWait, StoredLogin } from '../../domain/databases/record.ts';
import { isBeingRotated, needsRotation } from '../../domain/databases/rotation.ts';
import { settleUser } from '../../domain/databases/settle-user.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { NewId } from '../../domain/ids.ts';
import type { Page } from '../../domain/page.ts';
import type { DatabasesDeps } from './deps.ts';
import { tellOfDatabase } from './tell-of-database.ts';

/** What a rotation needs besides; null without the keys of stored secrets, and then no database has a login. */
export interface RotationDeps {
  readonly cipher: SecretCipher;
  /** At least 128 random bits. */
  readonly newPassword: () => string;
  readonly newId: NewId;
  readonly workloads: WorkloadLogins;
  readonly mayConsume: MayConsume;
  /** ROTATION_TTL_DAYS */
  readonly ttlDays: number;
}

export interface RotatingDeps extends DatabasesDeps {
  readonly rotation: RotationDeps;
  readonly now: Clock;
}

/** A rotation that has begun. */
export interface BegunRotation {
  readonly kind: 'begun';
  /** Of the build that replaces the workload. */
  readonly buildId: string;
}

export interface RunningRotation extends RotationRequest {
  readonly buildId: string;
  readonly mark: number;
}

/**
 * - `rotated`: nothing has the old login any more, and the server refuses it.
 * - `replacing`: the workload is being replaced by one with the new login.
 * - `busy`: people deploy the service.
 * - `failed`: the build that was to replace the workload has ended, and the workload has the old login still.
 */
export type ReplacementState = 'rotated' | 'replacing' | 'busy' | 'failed';

const DUE_PAGE = 50;

export type DueLogin = Pick<DatabaseRecord, 'id' | 'engine' | 'service' | 'environment' | 'consumes'>;

/**
 * Databases for which the night has something to do, in pages, the one with the oldest login first: where a night has no time
 * for all, none waits for longer than all others. Reads only.
 * @param begunAt when the night began, an ISO time: logins that were made since are left to the next one
 */
export async function listDueLogins(
  { records, rotation, now }: Pick<RotatingDeps, 'records' | 'now'> & { readonly rotation: RotationDeps | null },
  cursor: string | null,
  begunAt: string | null = null,
): Promise<Page<DueLogin>> {
  const due: DueLogin[] = [];
  if (rotation === null) return { items: due, nextCursor: null };
  let page: Page<DatabaseRecord> = { items: [], nextCursor: cursor };
  do {
    page = await records.listByLoginAge({ cursor: page.nextCursor, limit: DUE_PAGE });
    for (const record of page.items) {
      const isOfTonight = begunAt !== null && record.login.issuedAt >= new Date(begunAt);
      if (isOfTonight || !needsRotation(record, rotation.ttlDays, now())) continue;
      const { id, engine, service, environment, consumes } = record;
      due.push({ id, engine, service, environment, consumes });
    }
  } while (due.length === 0 && page.nextCursor !== null);
  return { items: due, nextCursor: page.nextCursor };
}

/**
 * Prepares the next login of a database, as its record says: of one user beside the current one, with a password of its own.
 * Idempotent: one write decides; what an earlier attempt or rotation began is gone on with.
 * @throws CONFLICT (retryable) where the record is being changed
 */
export async function prepareLogin(
  { records, servers, rotation, now }: RotatingDeps,
  { id, isAsked }: RotationRequest,
): Promise<BegunRotation | { readonly kind: 'not due' }> {
  const begun: BegunRotation = { kind: 'begun', buildId: rotation.newId('build') };
  const record = await records.find(id);
  if (record === null || record.state !== 'active' || servers[record.engine] === undefined) return { kind: 'not due' };
  if (isBeingRotated(record)) return begun;
  if (!isAsked && !needsRotation(record, rotation.ttlDays, now())) return { kind: 'not due' };
  const login = { user: nextUser(userBase(record), record.login.user), password: rotation.newPassword() };
  const next = sealLogin(rotation.cipher, record, login, now());
  if (await records.prepareLogin(id, record.login, next)) return begun;
  const message = `The login of ${record.database} is being changed by others: it is looked at again.`;
  throw new FairleadError('CONFLICT', message, { retryable: true });
}

/**
 * Makes the server accept the prepared login beside the current one. Idempotent: it sets a state.
 * @throws as `DatabaseServer.ensure`; INTERNAL for a prepared login that no key opens, which is forgotten
 */
export async function acceptLogin(
  { records, servers, rotation }: RotatingDeps,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const record = await records.find(id);
  if (record === null || record.state !== 'active' || record.next === null) return;
  const server = servers[record.engine];
  if (server === undefined) return;
  const { user } = await openPrepared({ records, rotation }, record, record.next);
  await letIn({ records, ...rotation }, server, record, record.next, signal);
  await settleUser({ records, ...rotation }, server, record, { user, login: record.next });
}

async function openPrepared(
  { records, rotation }: Pick<RotatingDeps, 'records' | 'rotation'>,
  record: DatabaseRecord,
  next: StoredLogin,
): Promise<DatabaseLogin> {
  try {
    return openLogin(rotation.cipher, record, next);
  } catch (error) {
    await records.dropPrepared(record.id, next);
    const message = `The prepared password of ${record.database} cannot be read with the keys of this installation: the next rotation makes another.`;
    throw new FairleadError('INTERNAL', message, { cause: error });
  }
}

/**
 * Makes the accepted login the current one, which every workload is given that starts from now on, and takes the mark of it.
 * Idempotent: the first mark is kept; a later one says less, and never something wrong.
 * @returns null for a database that is no service's any more
 */
export async function promoteLogin({ records, rotation }: RotatingDeps, id: string): Promise<number | null> {
  const before = await records.find(id);
  if (before?.state === 'active' && before.next !== null) await records.promoteLogin(id, before.next);
  const record = await records.find(id);
  if (record === null || record.state !== 'active') return null;
  if (record.next !== null) {
    const message = `The login of ${record.database} is being changed by others: it is looked at again.`;
    throw new FairleadError('CONFLICT', message, { retryable: true });
  }
  if (record.mark !== null) return record.mark;
  const mark = await rotation.workloads.mark(record);
  await records.noteMark(id, record.login, mark);
  return mark;
}

/**
 * Ends the old login once nothing may have it any more; until then has the workload replaced. Idempotent: reads what is, and
 * sets states.
 * @throws UNAVAILABLE (retryable)
 */
export async function replaceWorkload(
  deps: RotatingDeps,
  { id, mark, buildId, requestedBy, requestId }: RunningRotation,
  signal: AbortSignal,
): Promise<ReplacementState> {
  const { records, rotation } = deps;
  const record = await records.find(id);
  // Dropped, or kept: its users go with it, or end when a service has it again.
  if (record === null || record.state !== 'active') return 'rotated';
  if (!(await rotation.workloads.mayHaveOlder(record, mark)))
    return await endOldLogin(deps, record, requestedBy, signal);
  const { service, environment, serviceId } = record;
  const order = { service, environment, serviceId, mark, buildId, requestedBy, requestId };
  const state = await rotation.workloads.restart(order);
  if (state === 'running') {
    await noteWait(deps, record, { for: 'restart', buildId, reason: null });
    return 'replacing';
  }
  if (state === 'busy') {
    await noteWait(deps, record, { for: 'deploy', buildId, reason: null });
    return 'busy';
  }
  // It may have ended well, or other work come between, after the first look.
  if (!(await rotation.workloads.mayHaveOlder(record, mark)))
    return await endOldLogin(deps, record, requestedBy, signal);
  return state === 'ended' ? 'failed' : 'busy';
}

/** Notes what the rotation waits for, once for as long as it is the same. */
async function noteWait(
  { records, now }: Pick<RotatingDeps, 'records' | 'now'>,
  { id, waits }: DatabaseRecord,
  wait: Omit<RotationWait, 'since'>,
): Promise<void> {
  const isSame = waits?.for === wait.for && waits.buildId === wait.buildId && waits.reason === wait.reason;
  if (!isSame) await records.noteWait(id, { ...wait, since: now() });
}

async function endOldLogin(
  deps: RotatingDeps,
  record: DatabaseRecord,
  actor: string,
  signal: AbortSignal,
): Promise<ReplacementState> {
  const { id, database, engine, retiring, login } = record;
  if (retiring !== null) {
    const server = deps.servers[engine];
    if (server === undefined) {
      const message = `The old login of ${database} ends once the server of the database is configured again.`;
      throw new FairleadError('UNAVAILABLE', message, { retryable: true });
    }
    await server.withdraw(database, retiring, signal);
    const { records, rotation } = deps;
    await settleUser({ records, ...rotation }, server, record, { user: retiring, login: null });
    await records.endRetiring(id, login, retiring);
  }
  // Also by an attempt after one that was killed here: the event has the id of the login.
  const type = 'database.login_rotated';
  await tellOfDatabase(deps, record, { type, key: login.issuedAt.toISOString(), actor, data: { user: login.user } });
  return 'rotated';
}

/** A rotation that did not come to its end. */
export interface WaitingRotation extends Pick<DatabaseRecord, 'id'> {
  readonly reason: string;
  readonly buildId: string;
}

/**
 * Tells operators and the org that a rotation waits, and what the old login is. Idempotent: once for each rotation.
 * @throws UNAVAILABLE (retryable)
 */
export async function tellWaiting(deps: RotatingDeps, { id, reason, buildId }: WaitingRotation): Promise<void> {
  const record = await deps.records.find(id);
  if (record === null) return;
  await noteWait(deps, record, { for: 'next-night', buildId, reason });
  const { service, environment } = record;
  const type = 'database.rotation_waiting';
  await tellOfDatabase(deps, record, { type, key: buildId, actor: 'schedule', data: { reason } });
  const text = [
    `${record.id} of ${service} in ${environment} has a new login, and its workload could not be given it: ${reason}`,
    '',
    'The login before stays valid, so the service goes on as it is. The next night tries again, and so does',
    `fairlead db rotate -s ${service} -e ${environment}. A deploy of the service takes the new login as well.`,
    '',
    'What to do: docs/databases.md, "Rotation"',
  ];
  const subject = `The old login of ${record.id} is valid still`;
  await deps.raiseAlarm({ id: `${type}/${record.id}/${buildId}`, subject, text: text.join('\n') });
}
