import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { GitConnection } from '../../domain/git-hooks/connection.ts';
import { type ConnectionView, connectionView } from '../../domain/git-hooks/git-hook-schema.ts';
import { type Caller, isPlatform } from '../http/caller.ts';
import type { GitHooksDeps } from './deps.ts';

/** Who asks, as handlers know it. */
export interface AskedBy {
  readonly caller: Caller;
  readonly requestId: string;
}

/** A connection of the caller's org; the platform sees all. @throws NOT_FOUND also for one of another org */
export async function requireConnection(
  { gitConnections }: Pick<GitHooksDeps, 'gitConnections'>,
  caller: Caller,
  id: string,
): Promise<GitConnection> {
  const connection = await gitConnections.find(id);
  if (connection !== null && isOfCaller(connection, caller)) return connection;
  throw new FairleadError('NOT_FOUND', `There is no git connection ${id}`);
}

/** The platform's caller has the connections of all orgs. */
export function isOfCaller({ org }: Pick<GitConnection, 'org'>, caller: Caller): boolean {
  return isPlatform(caller) || (caller.org !== '' && caller.org === org);
}

/** Where the provider sends deliveries of a connection. */
export function hookUrlOf({ hooksUrl }: Pick<GitHooksDeps, 'hooksUrl'>, id: string): string {
  return `${hooksUrl}/hooks/git/${id}`;
}

/** A connection as it is shown. */
export function viewOf(deps: Pick<GitHooksDeps, 'hooksUrl' | 'now'>, connection: GitConnection): ConnectionView {
  return connectionView(connection, { hookUrl: hookUrlOf(deps, connection.id), now: deps.now() });
}

type ConnectionEvent = 'git.services_changed' | 'git.changed' | 'git.secret_rotated' | 'git.secret_removed';

/**
 * Tells the audit ledger that a repository was connected, once, however often it is told: whoever made the connection may
 * have been killed before. Whoever repeats it says the same, so no request is named.
 */
export async function auditConnected(
  { audit }: Pick<GitHooksDeps, 'audit'>,
  { id, org, repository, provider, createdBy, createdAt }: GitConnection,
): Promise<void> {
  const type = 'git.connected';
  await audit?.record({
    ...{ id: `${type}/${id}`, type, actor: createdBy, subject: id, orgSlug: org },
    data: { connectionId: id, repository, provider },
    ...{ why: 'git connect', requestId: null, address: null, time: createdAt },
  });
}

/** Tells the audit ledger what somebody did to a connection; no secret is part of it. */
export async function auditConnection(
  { audit, newId, now }: Pick<GitHooksDeps, 'audit' | 'newId' | 'now'>,
  { caller, requestId }: AskedBy,
  { id, org, repository, provider, services }: GitConnection,
  { type, data = {} }: { readonly type: ConnectionEvent; readonly data?: AuditEvent['data'] },
): Promise<void> {
  const names = services.map(({ service }) => service);
  await audit?.record({
    id: newId('event'),
    type,
    actor: caller.name,
    subject: id,
    orgSlug: org,
    data: { connectionId: id, repository, provider, services: names, ...data },
    requestId,
    address: null,
    time: now(),
  });
}
