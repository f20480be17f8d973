import type { AuditRecorder } from '../audit/ports.ts';
import type { Clock } from '../clock.ts';
import type { SecretCipher } from '../config/ports.ts';
import type { BuildStore } from '../deploys/build-store.ts';
import { isTerminal } from '../deploys/status.ts';
import { FairleadError } from '../errors.ts';
import type { ConnectionRemoval } from './connection.ts';
import type { GitHost } from './git-host.ts';
import { hostedRepository } from './hosted-repository.ts';
import type { GitHookCommands } from './messages.ts';
import type { GitConnectionStore, GitDeliveryStore, HeadStore } from './ports.ts';

export interface RemovalPorts {
  readonly gitConnections: Pick<GitConnectionStore, 'remove' | 'endRemoval'>;
  readonly gitDeliveries: Pick<GitDeliveryStore, 'removeAll'>;
  readonly gitHeads: Pick<HeadStore, 'removeAll'>;
  readonly gitHookCommands: Pick<GitHookCommands, 'changed'>;
  readonly gitHost: GitHost | null;
  readonly cipher: SecretCipher | null;
  readonly builds: Pick<BuildStore, 'list'>;
  /** Null where no ledger is. */
  readonly audit: AuditRecorder | null;
  readonly now: Clock;
}

/** A git host that stays away for longer keeps the hook, and a commit of a build that takes longer is told nothing. */
export const REMOVED_WITHIN_MS = 24 * 3_600_000;

/** How soon after the end of a build its commit is told. */
const TOLD_WITHIN_MS = 5 * 60_000;
/** Builds of the services of a connection, the newest, among which those are that were under way. */
const LATEST = { cursor: null, limit: 50 };

/**
 * Takes away a connection, its deliveries and heads, and the hook at its git host, and tells the audit ledger once. Can be
 * repeated. The removal itself, with the token, is kept while the hook may still go, and until commits were told how builds
 * ended that were under way.
 * @returns why the hook is still there; null when it is gone
 * @throws UNAVAILABLE when the database or Temporal is away
 */
export async function finishRemoval(
  ports: RemovalPorts,
  removal: ConnectionRemoval,
  signal: AbortSignal,
): Promise<FairleadError | null> {
  const { id } = removal;
  await ports.gitConnections.remove(id);
  await tellLedger(ports, removal);
  await Promise.all([ports.gitDeliveries.removeAll(id), ports.gitHeads.removeAll(id)]);
  await ports.gitHookCommands.changed(id);
  const problem = await removeHook(ports, removal, signal);
  if (problem?.retryable !== true && !(await isBuilding(ports, removal))) await ports.gitConnections.endRemoval(id);
  return problem;
}

/** Whoever repeats the removal says the same, under one id. */
async function tellLedger({ audit }: RemovalPorts, removal: ConnectionRemoval): Promise<void> {
  const { id, org, repository, provider, services, askedBy, requestId, askedAt } = removal;
  if (askedBy === null) return;
  const type = 'git.disconnected';
  await audit?.record({
    ...{ id: `${type}/${id}`, type, actor: askedBy, subject: id, orgSlug: org, requestId, address: null },
    data: { connectionId: id, repository, provider, services: services.map(({ service }) => service) },
    time: askedAt,
  });
}

/** Whether a build that began before the removal runs, or has just ended. */
async function isBuilding({ builds, now }: RemovalPorts, removal: ConnectionRemoval): Promise<boolean> {
  const { token, services, askedAt } = removal;
  if (token === null || services.length === 0) return false;
  const { items } = await builds.list({ serviceIds: services.map(({ serviceId }) => serviceId) }, LATEST);
  const justNow = now().getTime() - TOLD_WITHIN_MS;
  return items.some(
    ({ createdAt, status, finishedAt }) =>
      createdAt <= askedAt && (!isTerminal(status) || (finishedAt !== null && finishedAt.getTime() > justNow)),
  );
}

async function removeHook(
  { gitHost, cipher }: RemovalPorts,
  removal: ConnectionRemoval,
  signal: AbortSignal,
): Promise<FairleadError | null> {
  try {
    const repository = hostedRepository(cipher, removal);
    if (repository !== null && gitHost !== null) await gitHost.removeHook(repository, removal.hookAddress, signal);
    return null;
  } catch (error) {
    if (error instanceof FairleadError) return error;
    throw error;
  }
}
