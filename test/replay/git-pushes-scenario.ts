import { createGitHooksActivities } from '../../activities/git-hooks/index.ts';
import { createGitHookCommands } from '../../adapters/temporal/git-hook-commands.ts';
import {
  GIT_HOOKS_WORKFLOWS,
  pushWorkflowId,
  reportWorkflowId,
  watchWorkflowId,
} from '../../domain/git-hooks/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { ruleRecord } from '../ports/git-hooks/records.ts';
import { createGitHooksParts, MAIN } from '../support/in-memory/git-hooks-parts.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const AGAIN = 'look-again-at-pushes-2026-01-01T04:40:00Z';

/**
 * A push deploys two environments, the second look finds nothing new; the commit is told of a build that ends; a repository
 * is polled, looked at by hand, and its connection removed; deliveries that were left are looked for.
 */
export async function gitPushes(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const { client } = temporal;
  const parts = createGitHooksParts();
  const commands = createGitHookCommands(client);
  const activities = createGitHooksActivities({ ...parts, gitHookCommands: commands });
  const on = await parts.connected({ pollMinutes: 5 }, [ruleRecord(), ruleRecord({ environment: 'uat' })]);
  const { id: connectionId } = on.connection;
  const token = parts.sealToken(connectionId, 'a token of the provider');
  await parts.gitConnections.replace({ ...on.connection, token }, 1);
  const head = parts.refs.commit(on.address, MAIN, { a: '1' });
  parts.gitHost.repositories.set(on.address, new Set([head]));
  const pushed = { connectionId, ref: MAIN };
  let build = '';
  await withOwnWorker(temporal, { taskQueue: 'git-hooks', module: 'git-hooks', activities }, async () => {
    await commands.changed(connectionId);
    await waitUntil('the first look', async () => (await parts.gitConnections.find(connectionId))?.baselineAt != null);
    parts.gitHost.repositories.get(on.address)?.add(parts.refs.commit(on.address, MAIN, { a: '2' }));
    await Promise.all([1, 2].map(async () => commands.look(pushed, await parts.delivered(connectionId))));
    await client.workflow.getHandle(pushWorkflowId(pushed)).result();
    build = parts.deploys.requests[0]?.buildId ?? '';
    for (const { buildId } of parts.deploys.requests) await parts.end(buildId);
    await client.workflow.getHandle(reportWorkflowId(build)).result();
    await commands.lookAtAll(connectionId, await parts.delivered(connectionId, { kind: 'look', ref: null }));
    await parts.gitConnections.remove(connectionId);
    await commands.changed(connectionId);
    await client.workflow.getHandle(watchWorkflowId(connectionId)).result();
    await client.workflow.execute(GIT_HOOKS_WORKFLOWS.lookAgain, {
      taskQueue: TASK_QUEUE,
      workflowId: AGAIN,
      args: [],
    });
  });
  return {
    'git-look-again': AGAIN,
    // The recording above is kept from the time when no removals were finished.
    'git-finish-removals': AGAIN,
    'git-push': pushWorkflowId(pushed),
    'git-status': reportWorkflowId(build),
    'git-watch': watchWorkflowId(connectionId),
  };
}
