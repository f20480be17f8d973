import { createIdentityActivities } from '../../activities/identity/index.ts';
import {
  BUILD_SLOTS_WORKFLOW_ID,
  buildWorkflowId,
  cleanUpWorkflowId,
  coordinatorWorkflowId,
} from '../../domain/deploys/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { IDENTITY_WORKFLOWS } from '../../domain/identity/messages.ts';
import { LOGS_WORKFLOWS } from '../../domain/logs/messages.ts';
import { buildRequest } from '../ports/records.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createFakeActivities, type createTemporal } from '../workflows/deploys/harness.ts';
import { anchoring } from './anchoring-scenario.ts';
import { backups } from './backups-scenario.ts';
import { certificate } from './certificate-scenario.ts';
import { chains } from './chains-scenario.ts';
import {
  askedForWhileCancelled,
  attach,
  cancelWhileWaiting,
  deadline,
  failedUndo,
  lateRelease,
  overtakenRepair,
  repairs,
  restart,
  retry,
  slotForEveryOrg,
  testsWithoutResult,
  waitingForSlot,
} from './coordination-scenarios.ts';
import { databaseDrop } from './database-drop-scenario.ts';
import { domain } from './domain-scenario.ts';
import { ended } from './ended.ts';
import { gitManyPushes } from './git-many-pushes-scenario.ts';
import { gitPushes } from './git-pushes-scenario.ts';
import { grant } from './grant-scenario.ts';
import { hanging } from './hanging.ts';
import { heldCertificate } from './held-certificate-scenario.ts';
import { incidents } from './incidents-scenario.ts';
import { loginRotation } from './login-rotation-scenario.ts';
import { longNights } from './long-nights-scenario.ts';
import { monitorUpkeep } from './monitors-scenario.ts';
import { withOwnWorker } from './own-worker.ts';
import { platformBackups } from './platform-backup-scenario.ts';
import { properties } from './properties-scenario.ts';
import { reconcileDomains } from './reconcile-domains-scenario.ts';
import type { Recordings } from './recordings.ts';
import { reencryption } from './reencryption-scenario.ts';
import { revokedCertificate } from './revoked-certificate-scenario.ts';
import { searchPulls } from './search-pulls-scenario.ts';
import { shards } from './shards-scenario.ts';
import { sharing } from './sharing-scenario.ts';
import { untoldNights } from './untold-nights-scenario.ts';
import { upkeep } from './upkeep-scenario.ts';
import { waitForGrants } from './wait-scenario.ts';

type Temporal = Awaited<ReturnType<typeof createTemporal>>;

/** Everything that is recorded: each plays one situation to its end and says which workflows tell of it. */
export const SCENARIOS: readonly ((temporal: Temporal) => Promise<Recordings>)[] = [
  wholeDeploy,
  deployWithClient,
  failedInstall,
  superseded,
  cancelled,
  rollback,
  cleanUp,
  upkeep,
  attach,
  waitingForSlot,
  slotForEveryOrg,
  lateRelease,
  retry,
  deadline,
  testsWithoutResult,
  failedUndo,
  cancelWhileWaiting,
  askedForWhileCancelled,
  repairs,
  overtakenRepair,
  restart,
  waitForGrants,
  keyRotation,
  reencryption,
  grant,
  sharing,
  gitPushes,
  gitManyPushes,
  outputCollection,
  databaseDrop,
  loginRotation,
  chains,
  certificate,
  heldCertificate,
  revokedCertificate,
  backups,
  longNights,
  untoldNights,
  platformBackups,
  properties,
  domain,
  reconcileDomains,
  // The last of all: from then on the server skips no time.
  anchoring,
  searchPulls,
  incidents,
  monitorUpkeep,
  shards,
];

async function wholeDeploy(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  const { activities } = createFakeActivities(temporal.directory);
  const coordinator = coordinatorWorkflowId(request.service, request.environment);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await ended(temporal, coordinator);
    await ended(temporal, BUILD_SLOTS_WORKFLOW_ID);
  });
  return {
    'deploy-coordinator': coordinator,
    'deploy-build': buildWorkflowId(request.buildId),
    // The recording above is kept from the time when a local activity asked for the slot.
    'slot-by-queue-build': buildWorkflowId(request.buildId),
    // No recording above has the step that configures DNS.
    'dns-build': buildWorkflowId(request.buildId),
    'deploy-slots': BUILD_SLOTS_WORKFLOW_ID,
  };
}

/** A catalog with `spec.auth`: its client is provisioned before the workload is installed. */
async function deployWithClient(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  const { activities } = createFakeActivities(temporal.directory);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await ended(temporal, coordinatorWorkflowId(request.service, request.environment));
  });
  return { 'oauth-client-build': buildWorkflowId(request.buildId) };
}

async function failedInstall(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  const { activities } = createFakeActivities(temporal.directory, {
    installWorkload: async () => {
      throw new FairleadError('INSTALL_FAILED', 'GET /health never answered');
    },
  });
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await ended(temporal, coordinatorWorkflowId(request.service, request.environment));
  });
  return { 'failed-install-build': buildWorkflowId(request.buildId) };
}

async function superseded(temporal: Temporal): Promise<Recordings> {
  const first = buildRequest();
  const second = buildRequest({ service: first.service });
  const { overrides, begun } = hanging('buildImage');
  const { activities } = createFakeActivities(temporal.directory, overrides);
  activities.resolveHead = async () => ({ commit: 'b'.repeat(40), branch: 'main' });
  const coordinator = coordinatorWorkflowId(first.service, first.environment);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(first);
    await waitUntil('the step to begin', begun);
    await temporal.commands.request(second);
    await ended(temporal, coordinator);
  });
  return { 'superseded-coordinator': coordinator, 'superseded-build': buildWorkflowId(first.buildId) };
}

async function cancelled(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  const { overrides, begun } = hanging('installWorkload');
  const { activities } = createFakeActivities(temporal.directory, overrides);
  const coordinator = coordinatorWorkflowId(request.service, request.environment);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await waitUntil('the step to begin', begun);
    await temporal.commands.cancel(request);
    await ended(temporal, coordinator);
  });
  return { 'cancelled-coordinator': coordinator, 'cancelled-build': buildWorkflowId(request.buildId) };
}

async function rollback(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest({ kind: 'rollback', releaseId: 'rel_0' });
  const { activities } = createFakeActivities(temporal.directory);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await ended(temporal, coordinatorWorkflowId(request.service, request.environment));
  });
  return { 'rollback-build': buildWorkflowId(request.buildId) };
}

async function cleanUp(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  const { activities } = createFakeActivities(temporal.directory);
  const id = cleanUpWorkflowId(request.buildId);
  await temporal.withActivities(activities, async () => {
    await temporal.directory.startCleanUp(request);
    await ended(temporal, id);
  });
  return { 'clean-up': id };
}

async function keyRotation(temporal: Temporal): Promise<Recordings> {
  const workflowId = 'rotate-signing-keys';
  const rotateDue = async () => ({ activated: 'key_2', retired: 'key_1', removed: [], created: ['key_3'] });
  const activities = createIdentityActivities({ keys: { rotateDue } });
  await withOwnWorker(temporal, { taskQueue: 'identity', module: 'identity', activities }, (execute) =>
    execute(IDENTITY_WORKFLOWS.rotateSigningKeys, workflowId),
  );
  return { 'rotate-signing-keys': workflowId };
}

/** The activity is what ends a run; the schedule begins the next. */
async function outputCollection(temporal: Temporal): Promise<Recordings> {
  const workflowId = 'collect-output';
  const activities = { collectOutput: async () => undefined };
  await withOwnWorker(temporal, { taskQueue: 'logs', module: 'logs', activities }, (execute) =>
    execute(LOGS_WORKFLOWS.collectOutput, workflowId),
  );
  return { 'collect-output': workflowId };
}
