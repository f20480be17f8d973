import { createGitHooksActivities } from '../../activities/git-hooks/index.ts';
import { createGitHookCommands } from '../../adapters/temporal/git-hook-commands.ts';
import { LOOK_REQUESTED, pushWorkflowId, watchWorkflowId } from '../../domain/git-hooks/messages.ts';
import { MOST_SIGNALS } from '../../workflows/git-hooks/most-signals.ts';
import { ruleRecord } from '../ports/git-hooks/records.ts';
import { createGitHooksParts, MAIN } from '../support/in-memory/git-hooks-parts.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

/**
 * A branch is pushed to so often, while its host is waited for, that its workflow continues as new; then fifteen branches are
 * looked at some at a time, of which one is under way.
 */
export async function gitManyPushes(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const { client } = temporal;
  const parts = createGitHooksParts();
  const commands = createGitHookCommands(client);
  const host = Promise.withResolvers<void>();
  const real = createGitHooksActivities({ ...parts, gitHookCommands: commands });
  const lookAtRef: typeof real.lookAtRef = async (input) => {
    await host.promise;
    return await real.lookAtRef(input);
  };
  const rules = [ruleRecord({ pattern: '*' })];
  const on = await parts.connected({ id: 'gcn_many_pushes', baselineAt: new Date() }, rules);
  const { id: connectionId } = on.connection;
  const workflowId = pushWorkflowId({ connectionId, ref: MAIN });
  const branch = client.workflow.getHandle(workflowId);
  let runId = '';
  const activities = { ...real, lookAtRef };
  await withOwnWorker(temporal, { taskQueue: 'git-hooks', module: 'git-hooks', activities }, async () => {
    for (let number = 0; number < 15; number += 1) {
      parts.refs.commit(on.address, number === 0 ? MAIN : `refs/heads/b${number}`, { number: String(number) });
    }
    await commands.look({ connectionId, ref: MAIN }, await parts.delivered(connectionId));
    ({ runId } = await branch.describe());
    for (let sent = 0; sent < MOST_SIGNALS; sent += 1) await branch.signal(LOOK_REQUESTED, 'gdl_again');
    await waitUntil('the next run begins', async () => (await branch.describe()).runId !== runId);
    await commands.lookAtAll(connectionId, await parts.delivered(connectionId, { kind: 'look', ref: null }));
    await waitUntil('others are looked at', async () => {
      const other = client.workflow.getHandle(pushWorkflowId({ connectionId, ref: 'refs/heads/b1' }));
      return await other.describe().then(
        () => true,
        () => false,
      );
    });
    host.resolve();
    await client.workflow.getHandle(watchWorkflowId(connectionId)).result();
    await branch.result();
  });
  return { 'git-push-continued': { workflowId, runId }, 'git-watch-moved': watchWorkflowId(connectionId) };
}
