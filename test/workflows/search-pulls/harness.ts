import { Client } from '@temporalio/client';
import type { SearchPullsActivities } from '../../../activities/search-pulls/index.ts';
import { createSearchPullCommands } from '../../../adapters/temporal/search-pull-commands.ts';
import { SEARCH_PULL_WORKFLOW_ID } from '../../../domain/search-pulls/messages.ts';
import type { NewPull } from '../../../domain/search-pulls/pull-run.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { createSearchPullsParts, type SearchPullsParts } from '../../support/in-memory/search-pulls-parts.ts';
import { startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

/** What is done before the real activity of a name. */
export type Faults = Partial<Record<keyof SearchPullsActivities, (input: never) => Promise<void> | void>>;

/** The workflows of pulls on a time-skipping server, with their real activities on parts in memory. */
export async function startSearchPulls() {
  const env = await startTimeSkipping();
  // A client that skips no time: it would lose count of who waits when it is told to wait no longer.
  const commands = createSearchPullCommands(new Client({ connection: env.connection }));
  /** Of the test that runs. */
  const current: { parts: SearchPullsParts; before: Faults } = { parts: createSearchPullsParts(commands), before: {} };
  const names = Object.keys(current.parts.activities) as (keyof SearchPullsActivities)[];
  const activities = Object.fromEntries(
    names.map((name) => [
      name,
      async (input: never) => {
        const { parts } = current;
        parts.goTo(new Date(await env.currentTimeMs()));
        await current.before[name]?.(input);
        return await (parts.activities[name] as (input: never) => Promise<unknown>)(input);
      },
    ]),
  );
  const worker = await startModuleWorker(env.nativeConnection, { module: 'search-pulls', activities });
  let runs = 0;
  return {
    ...{ env, commands, current },
    newPull: async (changes: Partial<NewPull> = {}): Promise<NewPull> => {
      const now = new Date(await env.currentTimeMs());
      const id = current.parts.deps.newId('searchPull');
      return { id, trigger: 'manual', requestedBy: 'usr_ada', startedAt: now, since: now, ...changes };
    },
    /** Runs a workflow of a schedule to its end. */
    run: <T>(workflowType: string, args: unknown[] = []): Promise<T> =>
      env.client.workflow.execute(workflowType, {
        workflowId: `${workflowType}-${runs++}`,
        taskQueue: TASK_QUEUE,
        args,
      }) as Promise<T>,
    /** The end of the pull that runs, or of the last one. */
    ended: () => env.client.workflow.getHandle(SEARCH_PULL_WORKFLOW_ID).result(),
    /** New parts in memory, and no faults. */
    async reset(): Promise<SearchPullsParts> {
      current.parts = createSearchPullsParts(commands);
      current.parts.goTo(new Date(await env.currentTimeMs()));
      current.before = {};
      return current.parts;
    },
    async stop() {
      await worker.stop();
      await env.teardown();
    },
  };
}

export type TestSearchPulls = Awaited<ReturnType<typeof startSearchPulls>>;
