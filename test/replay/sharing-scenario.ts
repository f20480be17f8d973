import { createSharingActivities } from '../../activities/authorized-orgs/index.ts';
import { createSharingCommands } from '../../adapters/temporal/sharing-commands.ts';
import { memberWorkflowId, SHARING_WORKFLOWS, sharingWorkflowId } from '../../domain/authorized-orgs/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { createInMemoryDeploys, GIT_HOST } from '../support/in-memory/deploys-deps.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

/** As the schedule names a run. */
const HOURLY = 'reconcile-git-access-2026-01-01T04:41:00Z';

/** Two orgs are let in at once, one refused, one taken out; the service is removed; a member is brought up to date. */
export async function sharing(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const parts = createInMemoryDeploys();
  const service = { id: 'svc_notes', name: 'notes' };
  await parts.services.upsert({ ...service, org: 'acme' }, { gitUrl: `${GIT_HOST}/acme/notes` });
  const commands = createSharingCommands(temporal.client);
  const activities = createSharingActivities({ ...parts, repositories: parts.repositoryAccess, gitHost: GIT_HOST });
  const change = (id: string, org: string, want: 'authorized' | 'deauthorized') =>
    commands.change({ service, request: { id, org, want, repoRole: null, by: 'usr_ada' }, requestId: 'req_1' });
  const member = { userId: 'usr_eve', email: 'eve@helpers.example', org: 'helpers' };
  const taskQueue = 'authorized-orgs';
  await withOwnWorker(temporal, { taskQueue, module: 'authorized-orgs', activities }, async () => {
    await Promise.allSettled([
      change('soc_1', 'helpers', 'authorized'),
      change('soc_2', 'agency', 'authorized'),
      change('soc_3', 'acme', 'authorized'),
      change('soc_4', 'helpers', 'deauthorized'),
      commands.withdraw(service.id),
    ]);
    await commands.reconcileMember(member);
    await temporal.client.workflow.execute(SHARING_WORKFLOWS.reconcileGitAccess, {
      taskQueue: TASK_QUEUE,
      workflowId: HOURLY,
      args: [],
    });
    for (const id of [sharingWorkflowId(service.id), memberWorkflowId(member)]) {
      await temporal.client.workflow.getHandle(id).result();
    }
  });
  return {
    'authorized-orgs': sharingWorkflowId(service.id),
    // The recording above is kept from the time when no build was told.
    'authorized-orgs-told': sharingWorkflowId(service.id),
    'git-access': memberWorkflowId(member),
    'git-access-hourly': HOURLY,
    // The recording above is kept from the time when it finished no removal of an org.
    'sharing-hourly': HOURLY,
  };
}
