import { createRestartCommands } from '../../adapters/temporal/restart-commands.ts';
import { BUILD_SLOTS_WORKFLOW_ID, buildWorkflowId, coordinatorWorkflowId } from '../../domain/deploys/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { buildRequest } from '../ports/records.ts';
import { waitUntil } from '../support/wait-until.ts';
import { endingSlowly } from '../workflows/deploys/ending-slowly.ts';
import { type Activities, CATALOG, createFakeActivities, type createTemporal } from '../workflows/deploys/harness.ts';
import { ended } from './ended.ts';
import { hanging } from './hanging.ts';
import type { Recordings } from './recordings.ts';

/** What happens between builds, and to a build from outside. */

type Temporal = Awaited<ReturnType<typeof createTemporal>>;
type Overrides = Partial<Activities>;

const coordinatorOf = (request: ReturnType<typeof buildRequest>) =>
  coordinatorWorkflowId(request.service, request.environment);

/** The same is asked for again while it is built. */
export async function attach(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  const held = hanging('buildImage');
  const { activities } = createFakeActivities(temporal.directory, held.overrides);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await waitUntil('the step to begin', held.begun);
    await temporal.commands.request({ ...request, buildId: `${request.buildId}_again` });
    held.release();
    await ended(temporal, coordinatorOf(request));
  });
  return { 'attach-coordinator': coordinatorOf(request) };
}

/** Two services, one slot: the second build waits for it. */
export async function waitingForSlot(temporal: Temporal): Promise<Recordings> {
  const [first, second] = [buildRequest(), buildRequest()];
  const held = hanging('buildImage');
  const requestSlot: Activities['requestSlot'] = (slot) => temporal.directory.requestSlot({ ...slot, limit: 1 });
  const { activities } = createFakeActivities(temporal.directory, { ...held.overrides, requestSlot });
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(first);
    await waitUntil('the step to begin', held.begun);
    await temporal.commands.request(second);
    await waitUntil('the second request for a slot', async () => {
      const { raw } = await temporal.client.workflow.getHandle(BUILD_SLOTS_WORKFLOW_ID).describe();
      return Number(raw.workflowExecutionInfo?.historyLength ?? 0) > 8;
    });
    held.release();
    await ended(temporal, coordinatorOf(second));
    await ended(temporal, BUILD_SLOTS_WORKFLOW_ID);
  });
  return { 'waiting-build': buildWorkflowId(second.buildId), 'contended-slots': BUILD_SLOTS_WORKFLOW_ID };
}

/** One slot, which a build of another org holds: an org without a build does not wait for it. */
export async function slotForEveryOrg(temporal: Temporal): Promise<Recordings> {
  const [first, other] = [buildRequest(), buildRequest({ org: 'other' })];
  const held = hanging('buildImage');
  const requestSlot: Activities['requestSlot'] = (slot) => temporal.directory.requestSlot({ ...slot, limit: 1 });
  const { activities } = createFakeActivities(temporal.directory, { ...held.overrides, requestSlot });
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(first);
    await waitUntil('the step to begin', held.begun);
    await temporal.commands.request(other);
    await ended(temporal, coordinatorOf(other));
    held.release();
    await ended(temporal, coordinatorOf(first));
    await ended(temporal, BUILD_SLOTS_WORKFLOW_ID);
  });
  return { 'slot-for-every-org': BUILD_SLOTS_WORKFLOW_ID };
}

/** A build gives its slot back before a wait, has one again, and is given away by an attempt that comes late. */
export async function lateRelease(temporal: Temporal): Promise<Recordings> {
  const [request, other] = [buildRequest(), buildRequest()];
  const slotOf = ({ buildId, environment }: typeof request) => {
    return { buildId, environment, workflowId: buildWorkflowId(buildId), limit: 1 };
  };
  await temporal.directory.requestSlot(slotOf(request));
  await temporal.directory.releaseSlot(request.buildId, 0);
  await temporal.directory.requestSlot({ ...slotOf(request), round: 1 });
  await temporal.directory.releaseSlot(request.buildId, 0);
  await temporal.directory.requestSlot(slotOf(other));
  for (const { buildId } of [request, other]) await temporal.directory.releaseSlot(buildId);
  await ended(temporal, BUILD_SLOTS_WORKFLOW_ID);
  return { 'late-release-slots': BUILD_SLOTS_WORKFLOW_ID };
}

/** A build goes on from the step that failed. */
export async function retry(temporal: Temporal): Promise<Recordings> {
  const facts = { catalog: CATALOG, commitSha: 'b'.repeat(40), imageDigest: 'x@sha256:1' };
  const resume = { buildId: 'bld_failed', fromStep: 'install', facts };
  const request = buildRequest({ kind: 'retry', resume });
  await play(temporal, request, {});
  return { 'retry-build': buildWorkflowId(request.buildId) };
}

/** A step whose every attempt fails for a passing reason, until its deadline. */
export async function deadline(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  await play(temporal, request, {
    pushImage: async () => {
      throw new FairleadError('IMAGE_PUSH_FAILED', 'the registry is away', { retryable: true });
    },
  });
  return { 'deadline-build': buildWorkflowId(request.buildId) };
}

/** Tests of a release have no result until their deadline: the release is kept before the install would be undone. */
export async function testsWithoutResult(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  await play(temporal, request, {
    runGatedTests: async () => {
      throw new FairleadError('UNAVAILABLE', 'the engine is away', { retryable: true });
    },
  });
  return { 'tests-without-result-build': buildWorkflowId(request.buildId) };
}

/** A local step fails, and a failed installation is undone, which fails as well. */
export async function failedUndo(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  await play(temporal, request, {
    checkHealth: async () => {
      throw new FairleadError('HEALTH_CHECK_FAILED', 'no answer');
    },
    restorePrevious: async () => {
      throw new FairleadError('INTERNAL', 'the engine is gone');
    },
  });
  return { 'failed-undo-build': buildWorkflowId(request.buildId) };
}

/** A build is called off that waits behind one that installs. */
export async function cancelWhileWaiting(temporal: Temporal): Promise<Recordings> {
  const first = buildRequest();
  const waiting = buildRequest({ service: first.service });
  const held = hanging('installWorkload');
  const resolveHead: Activities['resolveHead'] = async () => ({ commit: 'c'.repeat(40), branch: 'main' });
  const { activities } = createFakeActivities(temporal.directory, { ...held.overrides, resolveHead });
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(first);
    await waitUntil('the step to begin', held.begun);
    await temporal.commands.request(waiting);
    await temporal.commands.cancel(waiting);
    held.release();
    await ended(temporal, coordinatorOf(first));
  });
  return { 'cancelled-while-waiting-coordinator': coordinatorOf(first) };
}

/** The same is asked for while a build is being cancelled, and is built after the end of that one. */
export async function askedForWhileCancelled(temporal: Temporal): Promise<Recordings> {
  const first = buildRequest();
  const again = buildRequest({ service: first.service });
  const slow = endingSlowly('buildImage');
  const { activities } = createFakeActivities(temporal.directory, slow.overrides);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(first);
    await waitUntil('the step to begin', slow.begun);
    const cancelled = temporal.commands.cancel(first);
    await waitUntil('the cancellation', slow.isCalledOff);
    await temporal.commands.request(again);
    slow.release();
    await cancelled;
    await ended(temporal, coordinatorOf(first));
  });
  return { 'asked-for-while-cancelled-coordinator': coordinatorOf(first) };
}

/** What serves is repaired twice, once after a build and once in vain; then the service is removed. */
export async function repairs(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  const { activities, journal } = createFakeActivities(temporal.directory);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await temporal.directory.requestRepair(request);
    await waitUntil('the repair', () => journal.includes(`${request.service} repair`));
    let tried = false;
    activities.repairTarget = async () => {
      tried = true;
      throw new FairleadError('INSTALL_FAILED', 'its image is gone');
    };
    await temporal.directory.requestRepair(request);
    await waitUntil('the repair that fails', () => tried);
    const { service, environment, serviceId } = request;
    await temporal.directory.removeTarget({ service, environment, serviceId });
    await ended(temporal, coordinatorOf(request));
  });
  return { 'repairing-coordinator': coordinatorOf(request) };
}

/** A repair is at work when a build is asked for: it is cancelled. */
export async function overtakenRepair(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  const held = hanging('repairTarget');
  const { activities } = createFakeActivities(temporal.directory, held.overrides);
  await temporal.withActivities(activities, async () => {
    await temporal.directory.requestRepair(request);
    await waitUntil('the repair to begin', held.begun);
    await temporal.commands.request(request);
    held.release();
    await ended(temporal, coordinatorOf(request));
  });
  return { 'overtaken-repair-coordinator': coordinatorOf(request) };
}

async function play(temporal: Temporal, request: ReturnType<typeof buildRequest>, overrides: Overrides) {
  const { activities } = createFakeActivities(temporal.directory, overrides);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await ended(temporal, coordinatorOf(request));
  });
}

/** The active release is installed once more, with new credentials, after a build during which that was refused. */
export async function restart(temporal: Temporal): Promise<Recordings> {
  const build = buildRequest();
  const { service, environment, serviceId } = build;
  const held = hanging('installWorkload');
  const commands = createRestartCommands(temporal.client);
  const ask = (buildId: string) =>
    commands.restart({
      ...{ buildId, service, environment, serviceId, installedBefore: 5_000 },
      ...{ requestedBy: 'schedule', requestId: 'req_night', requestedAt: new Date().toISOString() },
    });
  const { activities } = createFakeActivities(temporal.directory, held.overrides);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(build);
    await waitUntil('the step to begin', held.begun);
    await ask(`${build.buildId}_refused`);
    held.release();
    await ended(temporal, buildWorkflowId(build.buildId));
    await waitUntil('the restart', async () => (await ask(`${build.buildId}_restart`)) === 'started');
    await ended(temporal, coordinatorOf(build));
  });
  return {
    'restart-coordinator': coordinatorOf(build),
    'restart-build': buildWorkflowId(`${build.buildId}_restart`),
  };
}
