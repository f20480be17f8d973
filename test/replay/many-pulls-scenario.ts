import type { SearchPullsActivities } from '../../activities/search-pulls/index.ts';
import { type EstateJob, SEARCH_PULL_WORKFLOW_ID, SEARCH_PULLS_WORKFLOWS } from '../../domain/search-pulls/messages.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const PROPERTIES = Array.from({ length: 12 }, (_, index) => `many-${index}.com`);
const PER_PAGE = 6;
const AT = '2026-06-17T18:00:00.000Z';

/** So many properties are pulled that the workflow continues as new. */
export async function manyPulls(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const activities: Partial<SearchPullsActivities> = {
    beginSearchPull: async () => undefined,
    listUnpulledProperties: async ({ cursor }) => {
      const next = Number(cursor ?? 0) + PER_PAGE;
      const nextCursor = next < PROPERTIES.length ? String(next) : null;
      return { properties: PROPERTIES.slice(next - PER_PAGE, next), nextCursor, parallelism: 2 };
    },
    pullSearchNumbers: async () => ({ days: 1, rows: 2, truncatedDays: 0, isWhole: true }),
    endSearchPull: async () => undefined,
  };
  const taskQueue = 'search-pulls';
  return await withOwnWorker(temporal, { taskQueue, module: 'search-pulls', activities }, async () => {
    const facts = { trigger: 'manual', requestedBy: 'usr_ada', startedAt: AT, since: AT } as const;
    const job: EstateJob = { runId: 'spr_many', ...facts };
    const handle = await temporal.client.workflow.start(SEARCH_PULLS_WORKFLOWS.pullEstate, {
      ...{ taskQueue, workflowId: SEARCH_PULL_WORKFLOW_ID, args: [job] },
    });
    await handle.result();
    // The first of its runs: that which continued as new.
    return { 'pull-estate-continued': { workflowId: SEARCH_PULL_WORKFLOW_ID, runId: handle.firstExecutionRunId } };
  });
}
