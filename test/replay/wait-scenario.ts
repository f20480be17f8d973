import { createRestartCommands } from '../../adapters/temporal/restart-commands.ts';
import type { BuildFailure } from '../../domain/deploys/build.ts';
import type { Decision } from '../../domain/deploys/build-wait.ts';
import { buildWorkflowId, coordinatorWorkflowId, GRANT_DECIDED } from '../../domain/deploys/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { buildRequest } from '../ports/records.ts';
import { waitUntil } from '../support/wait-until.ts';
import { CATALOG, createFakeActivities, type createTemporal, planOf } from '../workflows/deploys/harness.ts';
import { ended } from './ended.ts';
import type { Recordings } from './recordings.ts';

/**
 * Builds that wait for grants: one goes on after an hour in which nobody decides, one reaches its deadline, one loses its
 * service, one its record; what serves is restarted beside one.
 */

type Temporal = Awaited<ReturnType<typeof createTemporal>>;

const FAILURE: BuildFailure = { code: 'SCOPE_GRANT_BLOCKED', message: 'grant sgr_1 is pending', step: 'scope-grants' };

export async function waitForGrants(temporal: Temporal): Promise<Recordings> {
  const granted = await play(temporal, { isDecided: true });
  const late = await play(temporal, { isDecided: false });
  const orphaned = await play(temporal, { isDecided: false, gone: 'SERVICE_NOT_FOUND' });
  const lost = await play(temporal, { isDecided: false, gone: 'BUILD_NOT_FOUND' });
  const repeating = await play(temporal, { isDecided: true, again: ['dependencies'] });
  return {
    'wait-for-grants-coordinator': coordinatorWorkflowId(granted.service, granted.environment),
    'wait-for-grants-build': granted.first,
    'resumed-build': buildWorkflowId(granted.buildId),
    'wait-deadline-coordinator': coordinatorWorkflowId(late.service, late.environment),
    'orphaned-wait-coordinator': coordinatorWorkflowId(orphaned.service, orphaned.environment),
    'lost-wait-coordinator': coordinatorWorkflowId(lost.service, lost.environment),
    'restart-beside-wait-coordinator': await restartBesideWait(temporal),
    'repeating-coordinator': coordinatorWorkflowId(repeating.service, repeating.environment),
    'repeating-build': buildWorkflowId(repeating.buildId),
  };
}

interface Played {
  readonly isDecided: boolean;
  /** What is found no more once it waits. */
  readonly gone?: 'SERVICE_NOT_FOUND' | 'BUILD_NOT_FOUND';
  /** Keys of steps that run again when the build goes on. */
  readonly again?: readonly string[];
}

async function play(temporal: Temporal, { isDecided, gone, again = [] }: Played) {
  const request = buildRequest({ waitForGrantsSeconds: 2 * 3_600 });
  let isApproved = false;
  let reads = 0;
  const { activities } = createFakeActivities(temporal.directory, {
    createScopeGrants: async () => {
      if (!isApproved) throw new FairleadError('SCOPE_GRANT_BLOCKED', FAILURE.message);
      return { facts: {} };
    },
    pauseBuild: async ({ buildId }) => {
      await temporal.directory.releaseSlot(buildId);
      const repeated = planOf(request, CATALOG).filter(({ key }) => again.includes(key));
      return again.length === 0
        ? { attempts: 1 }
        : { attempts: 1, again: repeated.map((step) => ({ step, attempts: 1 })) };
    },
    readGrantDecisions: async (): Promise<Decision> => {
      reads += 1;
      if (gone !== undefined && reads > 1) throw new FairleadError(gone, 'not found: it was deleted');
      return isApproved ? { state: 'granted' } : { state: 'open', failure: FAILURE };
    },
  });
  const coordinator = coordinatorWorkflowId(request.service, request.environment);
  const first = { workflowId: buildWorkflowId(request.buildId), runId: '' };
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await waitUntil('the coordinator to wait', () => reads === 2);
    first.runId = (await temporal.client.workflow.getHandle(first.workflowId).describe()).runId;
    if (isDecided) {
      await temporal.env.sleep('61m');
      await waitUntil('another look', () => reads === 3);
      isApproved = true;
      await temporal.client.workflow.getHandle(coordinator).signal(GRANT_DECIDED);
    }
    await ended(temporal, coordinator);
  });
  return { ...request, first };
}

/** What serves is restarted with new credentials while a build waits, which goes on afterwards. */
async function restartBesideWait(temporal: Temporal): Promise<string> {
  const request = buildRequest({ waitForGrantsSeconds: 2 * 3_600 });
  let isApproved = false;
  let reads = 0;
  const { activities, journal } = createFakeActivities(temporal.directory, {
    createScopeGrants: async () => {
      if (!isApproved) throw new FairleadError('SCOPE_GRANT_BLOCKED', FAILURE.message);
      return { facts: {} };
    },
    readGrantDecisions: async (): Promise<Decision> => {
      reads += 1;
      return isApproved ? { state: 'granted' } : { state: 'open', failure: FAILURE };
    },
  });
  const coordinator = coordinatorWorkflowId(request.service, request.environment);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await waitUntil('the coordinator to wait', () => reads === 2);
    const { service, environment, serviceId } = request;
    const buildId = `${request.buildId}_restart`;
    const asked = { requestedBy: 'schedule', requestId: 'req_night', requestedAt: '2026-01-01T00:00:00.000Z' };
    await createRestartCommands(temporal.client).restart({
      ...{ service, environment, serviceId, buildId, installedBefore: 5_000 },
      ...asked,
    });
    await waitUntil('the restart to complete', () => journal.includes(`${buildId} completed`));
    isApproved = true;
    await temporal.client.workflow.getHandle(coordinator).signal(GRANT_DECIDED);
    await ended(temporal, coordinator);
  });
  return coordinator;
}
