import type { SecretCipher } from '../config/ports.ts';
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
}

/** A git host that stays away for longer keeps the hook: nobody goes on asking. */
export const REMOVED_WITHIN_MS = 24 * 3_600_000;

/**
 * Takes away a connection, its deliveries and heads, and the hook at its git host. Can be repeated.
 * @returns why the hook is still there; null when it is gone. Where that may pass, the removal is kept, to be finished later
 * @throws UNAVAILABLE when the database or Temporal is away
 */
export async function finishRemoval(
  ports: RemovalPorts,
  removal: ConnectionRemoval,
  signal: AbortSignal,
): Promise<FairleadError | null> {
  const { id } = removal;
  await ports.gitConnections.remove(id);
  await Promise.all([ports.gitDeliveries.removeAll(id), ports.gitHeads.removeAll(id)]);
  await ports.gitHookCommands.changed(id);
  const problem = await removeHook(ports, removal, signal);
  if (problem === null || !problem.retryable) await ports.gitConnections.endRemoval(id);
  return problem;
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
