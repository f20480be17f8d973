import type { PropertiesActivities } from '../../activities/properties/index.ts';
import { PROPERTY_WORKFLOWS, verifyManyWorkflowId } from '../../domain/properties/messages.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const DOMAINS = Array.from({ length: 12 }, (_, index) => `many-${index}.com`);
const PER_PAGE = 4;
const RECHECK = 'property-recheck';

/** So many domains are verified, and checked again, that both workflows continue as new. */
export async function manyProperties(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const activities: Partial<PropertiesActivities> = {
    requestToken: async () => 'ignored',
    recordOutcome: async () => undefined,
    recheckProperty: async () => 'verified',
    listVerified: async (cursor) => {
      const next = Number(cursor ?? 0) + PER_PAGE;
      return { domains: DOMAINS.slice(next - PER_PAGE, next), nextCursor: next < DOMAINS.length ? String(next) : null };
    },
  };
  const taskQueue = 'properties';
  return await withOwnWorker(temporal, { taskQueue, module: 'properties', activities }, async () => {
    const play = async (type: string, workflowId: string, args: readonly unknown[]) => {
      const handle = await temporal.client.workflow.start(type, { taskQueue, workflowId, args: [...args] });
      await handle.result();
      // The first of its runs: that which continued as new.
      return { workflowId, runId: handle.firstExecutionRunId };
    };
    const jobId = 'job_many';
    return {
      'property-bulk-continued': await play(PROPERTY_WORKFLOWS.verifyMany, verifyManyWorkflowId(jobId), [
        { jobId, domains: DOMAINS },
      ]),
      'property-recheck-continued': await play(PROPERTY_WORKFLOWS.recheckProperties, RECHECK, []),
    };
  });
}
