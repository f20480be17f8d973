import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createDeploysActivities } from '../../../activities/deploys/index.ts';
import {
  BUILD_SLOTS_WORKFLOW_ID,
  coordinatorWorkflowId,
  GRANT_DECIDED,
  type SlotRequested,
} from '../../../domain/deploys/messages.ts';
import { notBegun } from '../../../domain/deploys/plan.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildRequest } from '../../ports/records.ts';
import { ended } from '../../replay/ended.ts';
import { createInMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Activities, CATALOG, createFakeActivities, createTemporal, planOf } from './harness.ts';

const STEPS = { 'consumed-databases': 'provisionConsumedDatabases', 'scope-grants': 'createScopeGrants' } as const;
type WaitingStep = keyof typeof STEPS;

/** One slot for all builds. Records, and what pauses a build, are the real ones on parts in memory. */
describe('a build of which two steps wait in turn', { timeout: 300_000 }, () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal();
  });
  after(() => temporal.stop());

  async function useBuild() {
    const parts = createInMemoryDeploys();
    const build = buildRequest({ waitForGrantsSeconds: 3_600, org: 'acme' });
    const workflows = { ...parts.workflows, releaseSlot: temporal.directory.releaseSlot };
    const { openBuild, finishBuild, pauseBuild } = createDeploysActivities({ ...parts, workflows });
    await parts.services.upsert({ id: build.serviceId, name: build.service, org: 'acme' }, {});
    const decided = new Set<WaitingStep>();
    const rounds: (number | undefined)[] = [];
    const blocked = (step: WaitingStep) => ({ code: 'SCOPE_GRANT_BLOCKED', message: `${step} waits` }) as const;
    /** Needs a decision of its own, and counts its attempts in the record as every step does. */
    const waitingStep =
      (key: WaitingStep): Activities['createScopeGrants'] =>
      async ({ build: { buildId }, attempts = 0 }) => {
        journal.push(`${key} began`);
        const step = { key, stage: 'deploying' } as const;
        const attempt = attempts + 1;
        await parts.builds.markStep(buildId, step, { state: 'running', attempt, startedAt: new Date() }, { attempt });
        if (!decided.has(key)) throw new FairleadError(blocked(key).code, blocked(key).message);
        await parts.builds.markStep(buildId, step, { state: 'completed', finishedAt: new Date() }, { attempt });
        return { facts: {} };
      };
    const { activities, journal } = createFakeActivities(temporal.directory, {
      ...{ openBuild, finishBuild, pauseBuild },
      provisionConsumedDatabases: waitingStep('consumed-databases'),
      createScopeGrants: waitingStep('scope-grants'),
      readCatalog: async ({ build: of }) => {
        const plan = planOf(of, CATALOG);
        await parts.builds.setSteps(of.buildId, plan.map(notBegun));
        const facts = { catalog: CATALOG, appPath: '', contextPath: '' };
        return { facts, plan: plan.slice(plan.findIndex(({ key }) => key === 'catalog') + 1) };
      },
      readGrantDecisions: async ({ step: { key } }) => {
        const step = key as WaitingStep;
        if (decided.has(step)) return { state: 'granted' };
        journal.push(`${step} waits`);
        return { state: 'open', failure: { ...blocked(step), step } };
      },
      requestSlot: (slot) => {
        rounds.push(slot.round);
        return temporal.directory.requestSlot({ ...slot, limit: 1 });
      },
    });
    temporal.setActivities(activities);
    const coordinator = coordinatorWorkflowId(build.service, build.environment);
    const times = (entry: string) => journal.filter((each) => each === entry).length;
    return {
      build,
      journal,
      rounds,
      times,
      /** Where the coordinator has read the decision as well, the build waits without a workflow of its own. */
      waits: (step: WaitingStep) => waitUntil(`the build to wait for ${step}`, () => times(`${step} waits`) >= 2),
      async decide(step: WaitingStep) {
        decided.add(step);
        await temporal.client.workflow.getHandle(coordinator).signal(GRANT_DECIDED);
      },
      end: () => ended(temporal, coordinator),
      record: () => parts.builds.find(build.buildId),
    };
  }

  /** How often the keeper of slots was asked by a build. */
  async function requestsOf(buildId: string): Promise<number> {
    const { events } = await temporal.client.workflow.getHandle(BUILD_SLOTS_WORKFLOW_ID).fetchHistory();
    const asked = (events ?? []).map((event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest);
    const ids = asked.map((request) => request?.meta?.updateId ?? '');
    return ids.filter((id) => id === buildId || id.startsWith(`${buildId}/`)).length;
  }

  const holder = (buildId: string): SlotRequested => ({
    ...{ buildId, workflowId: `build/${buildId}`, environment: 'prod', org: 'acme', limit: 1 },
  });

  /** Another build takes the one slot, until the build has asked for it; nothing of the build runs in that time. */
  async function whileSlotIsTaken(b: Awaited<ReturnType<typeof useBuild>>, times: number, goOn: () => Promise<void>) {
    const other = holder(`${b.build.buildId}_other${times}`);
    assert.ok(await temporal.directory.requestSlot(other), 'the build that waits has given its slot back');
    await goOn();
    await waitUntil(`the build to ask for a slot for the ${times}. time`, async () => {
      return (await requestsOf(b.build.buildId)) === times;
    });
    b.journal.push('slot is free');
    await temporal.directory.releaseSlot(other.buildId);
  }

  for (const first of ['free', 'taken'] as const) {
    it(`asks for a slot anew after each wait, where the slot is ${first} after the first one, and goes on once it has it`, async () => {
      const b = await useBuild();
      await temporal.commands.request(b.build);
      await b.waits('consumed-databases');
      const goOn = () => b.decide('consumed-databases');
      await (first === 'free' ? goOn() : whileSlotIsTaken(b, 2, goOn));
      await b.waits('scope-grants');
      await whileSlotIsTaken(b, 3, () => b.decide('scope-grants'));
      await b.end();
      assert.equal((await b.record())?.status, 'completed');
      assert.deepEqual(b.rounds, [undefined, 1, 2]);
      const steps = ['consumed-databases began', 'scope-grants began', 'slot is free'];
      const taken = first === 'free' ? [] : ['slot is free'];
      assert.deepEqual(
        b.journal.filter((entry) => steps.includes(entry)),
        [
          ...['consumed-databases began', ...taken],
          ...['consumed-databases began', 'scope-grants began', 'slot is free'],
          ...['consumed-databases began', 'scope-grants began'],
        ],
      );
    });
  }
});
