import { ENGINES } from '../../domain/databases/engines.ts';
import type { DatabaseRecords } from '../../domain/databases/ports.ts';
import { type ReconcileDeps, reconcileUsers } from '../../domain/databases/reconcile-users.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DatabasesDeps } from './deps.ts';

export interface ReconcilingDeps extends Pick<DatabasesDeps, 'servers'> {
  readonly records: ReconcileDeps['records'] & Pick<DatabaseRecords, 'usedEngines'>;
  /** Null without the keys of stored secrets. */
  readonly rotation: Pick<ReconcileDeps, 'cipher' | 'mayConsume'> | null;
}

/**
 * Takes away the users that a server got back, and lets in those that it forgot, such as by a power cut of its own machine
 * before its file of users was on disk: the worker, which looks at all of them when it starts, went on meanwhile. Idempotent.
 * @returns what kept a server from it, one line each
 */
export async function reconcileServers(
  { records, servers, rotation }: ReconcilingDeps,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const problems: string[] = [];
  if (rotation === null) return problems;
  for (const engine of await records.usedEngines()) {
    const server = servers[engine];
    if (server?.users === undefined) continue;
    try {
      // What is older than some seconds is on disk, and no password is made twice in that time.
      await reconcileUsers({ records, ...rotation }, server, signal, { trustsListed: true });
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof FairleadError ? error.message : 'unexpected error';
      problems.push(`the users of ${ENGINES[engine].title}: ${why}`);
    }
  }
  return problems;
}
