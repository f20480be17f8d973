import { createSearchPullCommands } from '../../adapters/temporal/search-pull-commands.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  type EstateJob,
  type PropertyJob,
  SEARCH_PULL_WORKFLOW_ID,
  SEARCH_PULLS_WORKFLOWS,
} from '../../domain/search-pulls/messages.ts';
import { EMPTY_SUMMARY } from '../../domain/search-pulls/pull-run.ts';
import { createSearchPullsParts } from '../support/in-memory/search-pulls-parts.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

/**
 * A pull of three properties, of which one fails and one takes two attempts; one that is cancelled; a pull of one property;
 * the daily one after another that runs; one that resumes what was broken off, and one that finds nothing.
 */
export async function searchPulls(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const { client } = temporal;
  const parts = createSearchPullsParts(createSearchPullCommands(client));
  const { activities } = parts;
  for (const domain of ['a.com', 'b.com', 'c.com']) parts.add(domain, { since: '2026-06-10' });
  parts.deps.analytics.sites.delete('sc-domain:b.com');
  const recordings: Record<string, { workflowId: string; runId: string }> = {};
  const ended = async (name: string): Promise<void> => {
    const { runId } = await client.workflow.getHandle(SEARCH_PULL_WORKFLOW_ID).describe();
    const handle = client.workflow.getHandle(SEARCH_PULL_WORKFLOW_ID, runId);
    await handle.result().catch(() => undefined);
    recordings[name] = { workflowId: SEARCH_PULL_WORKFLOW_ID, runId };
  };
  const at = parts.clock.now.toISOString();
  const job = (runId: string): EstateJob => ({
    ...{ runId, trigger: 'manual', requestedBy: 'usr_ada', startedAt: at, since: at },
  });
  const { pullEstate, pullProperty, dailySearchPull, resumeSearchPull } = SEARCH_PULLS_WORKFLOWS;
  const taskQueue = 'search-pulls';
  const start = (type: string, input: EstateJob | PropertyJob) =>
    client.workflow.start(type, { taskQueue, workflowId: SEARCH_PULL_WORKFLOW_ID, args: [input] });
  await withOwnWorker(temporal, { taskQueue, module: 'search-pulls', activities }, async (execute) => {
    // The first attempts have no time: each ends, and the next one goes on.
    parts.settings.attemptMs = -1;
    let attempts = 0;
    parts.deps.analytics.fault = () => {
      attempts += 1;
      if (attempts > 4) parts.settings.attemptMs = 600_000;
    };
    await start(pullEstate, job('spr_first'));
    await ended('pull-estate');
    const refused = Promise.withResolvers<void>();
    parts.deps.analytics.fault = () => {
      refused.resolve();
      const details = { retryAfterSeconds: 3_600 };
      throw new FairleadError('RATE_LIMITED', 'The quota is used up', { retryable: true, details });
    };
    const cancelled = { ...job('spr_cancelled'), since: parts.deps.now().toISOString() };
    const handle = await start(pullEstate, cancelled);
    await refused.promise;
    await handle.cancel();
    await ended('pull-estate-cancelled');
    parts.deps.analytics.fault = null;
    await start(pullProperty, { property: 'a.com', since: parts.deps.now().toISOString() });
    await ended('pull-property');
    // It waits once for another pull.
    let isBusy = true;
    parts.deps.commands = {
      holder: async () => undefined,
      pullAll: async () => {
        if (!isBusy) return;
        isBusy = false;
        throw new FairleadError('PULL_IN_PROGRESS', 'A search pull is running');
      },
    };
    await execute(dailySearchPull, 'daily-search-pull');
    await activities.beginSearchPull(job('spr_broken'));
    await execute(resumeSearchPull, 'resume-search-pull', [0]);
    await activities.beginSearchPull(job('spr_other'));
    await activities.endSearchPull({ runId: 'spr_other', summary: EMPTY_SUMMARY, problem: null });
    await execute(resumeSearchPull, 'resume-search-pull-nothing');
  });
  const schedules = ['daily-search-pull', 'resume-search-pull', 'resume-search-pull-nothing'];
  return { ...recordings, ...Object.fromEntries(schedules.map((name) => [name, name])) };
}
