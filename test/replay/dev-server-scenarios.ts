import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WaitingView } from '../../domain/deploys/build-wait.ts';
import {
  buildWorkflowId,
  coordinatorWorkflowId,
  GRANT_DECIDED,
  BUILD_SLOTS_WORKFLOW_ID as SLOTS,
  WAITING_BUILD,
} from '../../domain/deploys/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { SEARCH_ATTRIBUTES } from '../../domain/search-attributes.ts';
import { buildRequest } from '../ports/records.ts';
import { toolPath } from '../support/tool-path.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createFakeActivities, type createTemporal } from '../workflows/deploys/harness.ts';
import { ended } from './ended.ts';
import { hanging } from './hanging.ts';
import { manyProofs } from './many-proofs-scenario.ts';
import { manyProperties } from './many-properties-scenario.ts';
import { manyPulls } from './many-pulls-scenario.ts';
import type { Recordings } from './recordings.ts';

/**
 * What the time-skipping server cannot play: it tells no parent of a terminated child, and never suggests that a
 * workflow continues as new.
 */

type Temporal = Awaited<ReturnType<typeof createTemporal>>;

/** Histories of this many events make the server suggest that the workflow continues as new. */
const SUGGESTED_AT_EVENTS = 30;

/** The development server, on which time passes as elsewhere. */
export async function startDevServer(): Promise<TestWorkflowEnvironment> {
  const path = await toolPath('temporal');
  const attributes = Object.values(SEARCH_ATTRIBUTES).flatMap((name) => ['--search-attribute', `${name}=Keyword`]);
  const setting = `limit.historyCount.suggestContinueAsNew=${SUGGESTED_AT_EVENTS}`;
  return await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs: ['--dynamic-config-value', setting, ...attributes],
    },
  });
}

export const DEV_SERVER_SCENARIOS: readonly ((temporal: Temporal) => Promise<Recordings>)[] = [
  abandoned,
  continueAsNew,
  continueAsNewWhileWaiting,
  manyProperties,
  manyPulls,
  manyProofs,
];

/** Somebody terminates the workflow of a build: its coordinator writes the record. */
async function abandoned(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest();
  const coordinator = coordinatorWorkflowId(request.service, request.environment);
  const held = hanging('buildImage');
  const { activities, finished } = createFakeActivities(temporal.directory, held.overrides);
  await temporal.withActivities(activities, async () => {
    await temporal.commands.request(request);
    await waitUntil('the step to begin', held.begun);
    await temporal.client.workflow.getHandle(buildWorkflowId(request.buildId)).terminate('lost');
    held.release();
    await waitUntil('the build to be recorded as abandoned', () =>
      finished.some(({ reason }) => reason === 'abandoned'),
    );
    await waitUntil(
      'the coordinator to complete',
      async () => (await statusOf(temporal, coordinator)) === 'COMPLETED',
      { withinMs: 60_000 },
    );
  });
  return { 'abandoned-coordinator': coordinator };
}

/** More happens to a service than one history is to hold: its coordinator and the keeper of slots continue as new. */
async function continueAsNew(temporal: Temporal): Promise<Recordings> {
  const first = buildRequest();
  const coordinator = coordinatorWorkflowId(first.service, first.environment);
  const next = buildRequest({ service: first.service });
  const held = hanging('installWorkload');
  const resolveHead = async () => ({ commit: 'c'.repeat(40), branch: 'main' });
  const { activities, journal } = createFakeActivities(temporal.directory, { ...held.overrides, resolveHead });
  return await temporal.withActivities(activities, async () => {
    await temporal.commands.request(first);
    await waitUntil('the step to begin', held.begun);
    const runIds = { coordinator: await runIdOf(temporal, coordinator), slots: await runIdOf(temporal, SLOTS) };
    for (let again = 1; again <= SUGGESTED_AT_EVENTS / 5; again += 1) {
      await temporal.commands.request({ ...next, buildId: `${next.buildId}_${again}` });
    }
    for (let other = 1; other <= SUGGESTED_AT_EVENTS / 3; other += 1) {
      const buildId = `${first.buildId}_other_${other}`;
      const slot = { buildId, workflowId: buildWorkflowId(buildId), environment: first.environment, limit: 1 };
      await temporal.directory.requestSlot(slot);
      await temporal.directory.releaseSlot(buildId);
    }
    held.release();
    await waitUntil(
      'both builds to complete',
      () => journal.filter((entry) => entry.endsWith(' completed')).length === 2,
      {
        withinMs: 60_000,
      },
    );
    await ended(temporal, coordinator);
    await ended(temporal, SLOTS);
    return {
      'continuing-coordinator': { workflowId: coordinator, runId: runIds.coordinator },
      'continued-coordinator': coordinator,
      'continuing-slots': { workflowId: SLOTS, runId: runIds.slots },
    };
  });
}

/** A build waits for a grant, and more happens meanwhile than one history is to hold: the next run of its coordinator waits on. */
async function continueAsNewWhileWaiting(temporal: Temporal): Promise<Recordings> {
  const request = buildRequest({ waitForGrantsSeconds: 3_600 });
  const coordinator = coordinatorWorkflowId(request.service, request.environment);
  const blocked = 'grant sgr_1 is pending';
  let isApproved = false;
  const { activities, journal } = createFakeActivities(temporal.directory, {
    createScopeGrants: async () => {
      if (!isApproved) throw new FairleadError('SCOPE_GRANT_BLOCKED', blocked);
      return { facts: {} };
    },
    readGrantDecisions: async () => {
      if (isApproved) return { state: 'granted' };
      return { state: 'open', failure: { code: 'SCOPE_GRANT_BLOCKED', message: blocked, step: 'scope-grants' } };
    },
  });
  return await temporal.withActivities(activities, async () => {
    const { client, commands } = temporal;
    const waiting = async () => await client.workflow.getHandle(coordinator).query<WaitingView | null>(WAITING_BUILD);
    await commands.request(request);
    await waitUntil('the build to wait', async () => (await waiting())?.buildId === request.buildId);
    const first = await runIdOf(temporal, coordinator);
    for (let again = 1; (await runIdOf(temporal, coordinator)) === first; again += 1) {
      const { deduplicated } = await commands.request({ ...request, buildId: `${request.buildId}_${again}` });
      if (!deduplicated) throw new Error('a request for what waits was not attached to it');
    }
    await waitUntil('the next run to wait', async () => (await waiting())?.buildId === request.buildId);
    isApproved = true;
    await client.workflow.getHandle(coordinator).signal(GRANT_DECIDED);
    await ended(temporal, coordinator);
    const completed = journal.filter((entry) => entry.endsWith(' completed'));
    if (completed.length !== 1) throw new Error(`${completed.length} builds completed: ${completed.join(', ')}`);
    return {
      'continuing-wait-coordinator': { workflowId: coordinator, runId: first },
      'continued-wait-coordinator': coordinator,
    };
  });
}

async function runIdOf({ client }: Temporal, workflowId: string): Promise<string> {
  return (await client.workflow.getHandle(workflowId).describe()).runId;
}

async function statusOf({ client }: Temporal, workflowId: string): Promise<string> {
  return (await client.workflow.getHandle(workflowId).describe()).status.name;
}
