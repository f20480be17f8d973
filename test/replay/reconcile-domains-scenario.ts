import { DOMAIN_WORKFLOWS } from '../../domain/custom-domains/messages.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

/** Three pages of names. */
export async function reconcileDomains(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const NEXT: Readonly<Record<string, string | null>> = { '': 'b', b: 'c', c: null };
  const activities = {
    reconcileDomains: async (cursor: string | null) => ({ cursor: NEXT[cursor ?? ''] ?? null, names: 100 }),
  };
  const worker = { taskQueue: 'reconcile-domains', module: 'custom-domains', activities } as const;
  await withOwnWorker(temporal, worker, async (execute) => {
    await execute(DOMAIN_WORKFLOWS.reconcileDomains, 'reconcile-domains');
  });
  return { 'reconcile-domains': 'reconcile-domains' };
}
