import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import { createSharingActivities } from '../../../activities/authorized-orgs/index.ts';
import { createDeploysActivities } from '../../../activities/deploys/index.ts';
import { reconcileBuilds } from '../../../activities/deploys/reconcile-builds.ts';
import { createGrantsActivities } from '../../../activities/grants/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createGrantCommands } from '../../../adapters/temporal/grant-commands.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import type { WaitingView } from '../../../domain/deploys/build-wait.ts';
import {
  buildWorkflowId,
  coordinatorWorkflowId,
  GRANT_DECIDED,
  WAITING_BUILD,
} from '../../../domain/deploys/messages.ts';
import { notBegun } from '../../../domain/deploys/plan.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { GrantDecision } from '../../../domain/grants/grant.ts';
import { grantWorkflowId } from '../../../domain/grants/messages.ts';
import { buildRequest, releaseRecord } from '../../ports/records.ts';
import { ended } from '../../replay/ended.ts';
import { createInMemoryDeploys, type InMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { shareService } from '../../support/share-service.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Activities, CATALOG, createFakeActivities, createTemporal, planOf } from './harness.ts';

/** Builds that wait for grants: the real workflows, and the real activities of grants and records on parts in memory. */
describe('a build that waits for grants', { timeout: 300_000 }, () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  let grantsWorker: ModuleWorker;
  let parts: InMemoryDeploys;
  before(async () => {
    temporal = await createTemporal();
    parts = createInMemoryDeploys();
    const activities = createGrantsActivities({ ...parts, newId });
    // Workflows run on the worker of the harness.
    const options = { module: 'grants', activities, taskQueue: 'no-workflows' };
    grantsWorker = await startModuleWorker(temporal.env.nativeConnection, options);
  });
  after(async () => {
    await grantsWorker.stop();
    await temporal.stop();
  });

  /** A service whose catalog wants scopes of services of another org, with a build of it. */
  async function useBuild(changes: Partial<BuildRequest> = {}, { targets = 1, limit = 3 } = {}) {
    const request = buildRequest({ waitForGrantsSeconds: 3_600, org: 'acme', ...changes });
    const service = { id: `svc_${request.buildId}`, name: request.service, org: 'acme' };
    await parts.services.upsert(service, {});
    const names = Array.from({ length: targets }, (_, index) => `notes${index}-${request.buildId.replace('_', '-')}`);
    for (const name of names) await parts.services.upsert({ id: `svc_${name}`, name, org: 'other' }, {});
    const build = { ...request, serviceId: service.id };
    const catalog = { ...CATALOG, dependencies: names.map((name) => ({ service: name, scopes: ['read'] })) };
    const commands = createGrantCommands(temporal.client);
    const workflows = { ...parts.workflows, releaseSlot: temporal.directory.releaseSlot };
    const real = createDeploysActivities({ ...parts, grantCommands: commands, workflows });
    const { openBuild, noteAttached, finishBuild, pauseBuild, readGrantDecisions, createScopeGrants } = real;
    const overrides: Partial<Activities> = {
      ...{ openBuild, noteAttached, finishBuild, pauseBuild, readGrantDecisions },
      createScopeGrants: (input) => {
        journal.push(`${input.build.buildId} createScopeGrants`);
        return createScopeGrants(input);
      },
      requestSlot: (slot) => temporal.directory.requestSlot({ ...slot, limit }),
      readCatalog: async ({ build: of }) => {
        const plan = planOf(of, catalog);
        // As the step does: the record says what runs.
        await parts.builds.setSteps(of.buildId, plan.map(notBegun));
        const facts = { catalog, appPath: '', contextPath: '' };
        return { facts, plan: plan.slice(plan.findIndex(({ key }) => key === 'catalog') + 1) };
      },
    };
    const { activities, journal } = createFakeActivities(temporal.directory, overrides);
    temporal.setActivities(activities);
    const coordinator = coordinatorWorkflowId(build.service, build.environment);
    const record = async (id = build.buildId) => {
      const found = await parts.builds.find(id);
      assert.ok(found !== null, `no record of ${id}`);
      return found;
    };
    const grants = async () => {
      const { items } = await parts.grants.list({ org: 'acme' }, { cursor: null, limit: 50 });
      return items.filter(({ holder }) => holder.name === build.service);
    };
    return {
      build,
      targets: names,
      activities,
      coordinator,
      record,
      grants,
      workflows: temporal.client.workflow,
      ran: (activity: string, id = build.buildId) => journal.filter((entry) => entry === `${id} ${activity}`).length,
      journal,
      request: (again: BuildRequest = build) => temporal.commands.request(again),
      waiting: (id = build.buildId) =>
        waitUntil('the build to wait', async () => (await parts.builds.find(id))?.waiting != null),
      asked: () => temporal.client.workflow.getHandle(coordinator).query<WaitingView | null>(WAITING_BUILD),
      decide: async (decision: GrantDecision) => {
        for (const grant of await grants()) {
          await commands.decide(grant, { decision, by: 'usr_ada', revision: null, requestId: null });
        }
      },
      end: () => ended(temporal, coordinator),
    };
  }

  const slotIsFree = async (): Promise<boolean> => {
    const probe = { buildId: `probe_${Math.random()}`, workflowId: 'build/probe', environment: 'prod' } as const;
    const isFree = await temporal.directory.requestSlot({ ...probe, org: 'acme', limit: 1 });
    await temporal.directory.releaseSlot(probe.buildId);
    return isFree;
  };

  it('record, log and query say for what and until when; an operator approves by a signal, and it goes on by itself', async () => {
    const b = await useBuild({}, { limit: 1 });
    await b.request();
    await b.waiting();
    const { status, steps, blockedGrants, waiting } = await b.record();
    const [grant] = await b.grants();
    assert.ok(grant !== undefined);
    assert.equal(status, 'deploying');
    assert.equal(steps.find(({ key }) => key === 'scope-grants')?.state, 'running');
    const target = grant.target.name;
    assert.deepEqual(blockedGrants, [{ id: grant.id, service: target, state: 'pending', scopes: [`${target}:read`] }]);
    assert.equal(Number(waiting?.until) - Number(waiting?.since), 3_600_000);
    const log = (await parts.log.read(b.build.buildId, 0, 500)).map(({ text }) => text);
    assert.ok(
      log.some((line) => line.includes(`an admin of its org runs \`fairlead grants approve ${grant.id}\``)),
      log.join('\n'),
    );
    assert.ok(!log.some((line) => line.includes('deploy again')));
    await waitUntil('the coordinator to keep it', async () => (await b.asked()) !== null);
    const view = await b.asked();
    assert.deepEqual([view?.buildId, view?.step], [b.build.buildId, 'scope-grants']);
    assert.match(view?.reason ?? '', new RegExp(`fairlead grants approve ${grant.id}`));
    await waitUntil('its build slot to be free', slotIsFree);

    await b.workflows.getHandle(grantWorkflowId(grant)).signal('approve', 'ada');
    await b.end();
    const done = await b.record();
    assert.deepEqual([done.status, done.waiting, done.blockedGrants], ['completed', null, []]);
    assert.deepEqual(
      ['buildImage', 'createScopeGrants', 'installWorkload', 'paused scope-grants'].map((name) => b.ran(name)),
      [1, 2, 1, 0],
    );
    assert.equal(done.steps.find(({ key }) => key === 'scope-grants')?.attempt, 2);
  });

  it('denied: it fails with the code, the grant and the way to mend it', async () => {
    const b = await useBuild();
    await b.request();
    await b.waiting();
    await b.decide('deny');
    await b.end();
    const [grant] = await b.grants();
    const { status, reason, failure, waiting, blockedGrants } = await b.record();
    assert.deepEqual([status, reason, waiting], ['failed', 'step_failed', null]);
    assert.deepEqual([failure?.code, failure?.step], ['SCOPE_GRANT_BLOCKED', 'scope-grants']);
    assert.match(failure?.message ?? '', new RegExp(`grant ${grant?.id} was denied`));
    assert.deepEqual((blockedGrants as { state: string }[])[0]?.state, 'denied');
    assert.equal(b.ran('installWorkload'), 0);
  });

  it('nobody decides: at the deadline it fails with the code, the grant and the command', async () => {
    const b = await useBuild({ waitForGrantsSeconds: 26 * 3_600 });
    await b.request();
    await b.waiting();
    await b.end();
    const [grant] = await b.grants();
    const { failure, reason, waiting } = await b.record();
    assert.deepEqual([failure?.code, reason, waiting], ['SCOPE_GRANT_BLOCKED', 'step_failed', null]);
    assert.match(failure?.message ?? '', new RegExp(`fairlead grants approve ${grant?.id}.*\nNobody decided`));
    const { events } = await b.workflows.getHandle(b.coordinator).fetchHistory();
    const seconds = [events?.[0], events?.at(-1)].map((event) => Number(event?.eventTime?.seconds));
    const hours = ((seconds[1] ?? 0) - (seconds[0] ?? 0)) / 3_600;
    assert.ok(hours >= 26 && hours < 27, `${hours} hours`);
    assert.ok((events?.length ?? 0) < 600, `${events?.length} events in 26 hours: it polls`);
  });

  it('records that cannot be read when its time is up: what was approved before counts once they can', async () => {
    const b = await useBuild({ waitForGrantsSeconds: 600 });
    const { readGrantDecisions } = b.activities;
    let until = Number.POSITIVE_INFINITY;
    let refused = 0;
    b.activities.readGrantDecisions = async (input) => {
      // Long past the deadline.
      if ((await temporal.env.currentTimeMs()) < until + 3_600_000 && until < Number.POSITIVE_INFINITY) {
        refused += 1;
        throw new FairleadError('UNAVAILABLE', 'the database is away');
      }
      return await readGrantDecisions(input);
    };
    await b.request();
    await b.waiting();
    await waitUntil('the coordinator to keep it', async () => (await b.asked()) !== null);
    until = Number((await b.record()).waiting?.until);
    await b.decide('approve');
    await b.end();
    const { status, failure } = await b.record();
    assert.deepEqual([status, failure], ['completed', null]);
    assert.ok(refused > 10, `${refused} reads failed`);
  });

  it('cancelled while it waits: it ends at once, and an approval later changes nothing', async () => {
    const b = await useBuild();
    await b.request();
    await b.waiting();
    await waitUntil('the coordinator to keep it', async () => (await b.asked()) !== null);
    assert.equal(await temporal.commands.cancel(b.build), 'cancelled');
    const { status, reason, failure, steps, blockedGrants } = await b.record();
    assert.deepEqual([status, reason, failure?.code], ['failed', 'cancelled', 'BUILD_CANCELLED']);
    assert.equal(steps.find(({ key }) => key === 'scope-grants')?.state, 'cancelled');
    assert.equal(blockedGrants.length, 1);
    await b.decide('approve');
    await b.end();
    assert.equal(b.ran('installWorkload'), 0);
  });

  it('approved and revoked before it goes on: it fails, and installs nothing', async () => {
    const b = await useBuild({}, { limit: 1 });
    await b.request();
    await b.waiting();
    const holder = { buildId: 'bld_holds', workflowId: 'build/bld_holds', environment: 'prod', org: 'acme' } as const;
    await waitUntil('the slot to be free', slotIsFree);
    assert.ok(await temporal.directory.requestSlot({ ...holder, limit: 1 }));
    await b.decide('approve');
    const run = b.workflows.getHandle(buildWorkflowId(b.build.buildId));
    await waitUntil('the build to want a slot', async () => {
      const { status, runId } = await run.describe();
      return status.name === 'RUNNING' && runId !== '' && (await b.record()).waiting === null;
    });
    await b.decide('revoke');
    await temporal.directory.releaseSlot(holder.buildId);
    await b.end();
    const { failure, waiting } = await b.record();
    assert.deepEqual([failure?.code, waiting], ['SCOPE_GRANT_BLOCKED', null]);
    assert.match(failure?.message ?? '', /was revoked; ask anew with/);
    assert.equal(b.ran('installWorkload'), 0);
  });

  it('one of two grants decided: it waits for the other, and the record names that one alone', async () => {
    const b = await useBuild({}, { targets: 2 });
    await b.request();
    await b.waiting();
    const [first, second] = await b.grants();
    assert.ok(first !== undefined && second !== undefined);
    await b.workflows.getHandle(grantWorkflowId(first)).signal('approve');
    const left = async () => ((await b.record()).blockedGrants as { id: string }[]).map(({ id }) => id);
    await waitUntil('the record to name one', async () => (await left()).join() === second.id);
    assert.equal(b.ran('installWorkload'), 0);
    await b.workflows.getHandle(grantWorkflowId(second)).signal('approve');
    await b.end();
    assert.equal((await b.record()).status, 'completed');
  });

  it('the removal of its service ends it', async () => {
    const b = await useBuild();
    await b.request();
    await b.waiting();
    const { service, environment, serviceId } = b.build;
    await temporal.directory.removeTarget({ service, environment, serviceId });
    const { reason, waiting } = await b.record();
    assert.deepEqual([reason, waiting], ['cancelled', null]);
    await b.end();
    assert.equal(b.ran('installWorkload'), 0);
  });

  it('a service whose record is gone ends it: nothing is read for ever', async () => {
    const b = await useBuild();
    await b.request();
    await b.waiting();
    await waitUntil('the coordinator to keep it', async () => (await b.asked()) !== null);
    await parts.services.remove(b.build.serviceId);
    await b.decide('approve');
    await waitUntil('the build to end', async () => (await b.record()).status === 'failed');
    const { failure, reason } = await b.record();
    assert.deepEqual([failure?.code, failure?.step, reason], ['SERVICE_NOT_FOUND', 'scope-grants', 'step_failed']);
    await b.end();
    assert.equal(b.ran('installWorkload'), 0);
  });

  it('a build whose record is gone ends: nothing is read for ever', async () => {
    const b = await useBuild();
    let reads = 0;
    const gone = new FairleadError('BUILD_NOT_FOUND', `No build has the id ${b.build.buildId}`);
    const refused = (id: string) => (id === b.build.buildId ? Promise.reject(gone) : Promise.resolve(true));
    const builds = {
      ...parts.builds,
      find: async (id: string) => (id === b.build.buildId ? null : await parts.builds.find(id)),
      setWaiting: refused,
      finish: refused,
    };
    await b.request();
    await b.waiting();
    await waitUntil('the coordinator to keep it', async () => (await b.asked()) !== null);
    const workflows = { ...parts.workflows, releaseSlot: temporal.directory.releaseSlot };
    const { readGrantDecisions, finishBuild } = createDeploysActivities({ ...parts, builds, workflows });
    Object.assign(b.activities, {
      finishBuild,
      readGrantDecisions: (input: Parameters<Activities['readGrantDecisions']>[0]) => {
        reads += 1;
        return readGrantDecisions(input);
      },
    });
    await b.workflows.getHandle(b.coordinator).signal(GRANT_DECIDED);
    await b.end();
    assert.equal(reads, 1);
  });

  it('an org that is let in meanwhile is heard of at once, and so is the end of the service that was asked', async () => {
    for (const goes of ['shared', 'removed']) {
      const b = await useBuild();
      const [target = ''] = b.targets;
      await b.request();
      await b.waiting();
      await waitUntil('the coordinator to keep it', async () => (await b.asked()) !== null);
      const [grant] = await b.grants();
      assert.ok(grant !== undefined);
      if (goes === 'shared') {
        await shareService(parts.services, `svc_${target}`, ['acme']);
        const deps = { ...parts, workflows: temporal.directory, repositories: null, gitHost: null };
        await createSharingActivities(deps).tellWaitingBuilds({ serviceId: `svc_${target}`, org: 'acme' });
      } else {
        await parts.services.setRemoving(`svc_${target}`, true);
        await createGrantCommands(temporal.client).close(grant);
      }
      // No time is skipped here, so that it is no periodic look that finds it.
      await waitUntil('the build to complete', async () => (await b.record()).status === 'completed');
      await b.end();
    }
  });

  it('a newer deploy of another commit supersedes it, and waits in its place', async () => {
    const b = await useBuild();
    b.activities.resolveHead = async () => ({ commit: 'b'.repeat(40), branch: 'main' });
    await b.request();
    await b.waiting();
    const newer = { ...b.build, buildId: `${b.build.buildId}_newer` };
    const outcome = await b.request(newer);
    assert.deepEqual([outcome.deduplicated, outcome.supersededBuildId], [false, b.build.buildId]);
    const { reason, supersededBy, failure } = await b.record();
    assert.deepEqual([reason, supersededBy, failure?.code], ['superseded', newer.buildId, 'BUILD_SUPERSEDED']);
    assert.match(failure?.message ?? '', /while it waited for a decision/);
    await b.waiting(newer.buildId);
    await b.decide('approve');
    await b.end();
    assert.deepEqual([b.ran('installWorkload'), b.ran('installWorkload', newer.buildId)], [0, 1]);
  });

  it('the same commit is asked for again: it is attached to, and waits as long as the longer of the two', async () => {
    const b = await useBuild();
    await b.request();
    await b.waiting();
    const again = { ...b.build, buildId: `${b.build.buildId}_again`, waitForGrantsSeconds: 48 * 3_600 };
    assert.deepEqual((await b.request(again)).buildId, b.build.buildId);
    await waitUntil('a longer wait', async () => {
      const { waiting } = await b.record();
      return Number(waiting?.until) - Number(waiting?.since) >= 48 * 3_600_000;
    });
    await b.decide('approve');
    await b.end();
    assert.equal((await b.record()).status, 'completed');
  });

  it('one who attaches while it runs and waits for grants makes it wait as well', async () => {
    const { waitForGrantsSeconds: _, ...request } = buildRequest();
    const b = await useBuild({ ...request, waitForGrantsSeconds: 60 });
    const { waitForGrantsSeconds: __, ...without } = b.build;
    let release = (): void => {};
    let begun = false;
    const { buildImage } = b.activities;
    b.activities.buildImage = async (input) => {
      begun = true;
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return await buildImage(input);
    };
    await b.request(without);
    await waitUntil('the image to be built', () => begun);
    await b.request({ ...b.build, buildId: `${b.build.buildId}_again` });
    release();
    await b.waiting();
    await b.decide('approve');
    await b.end();
    assert.equal((await b.record()).status, 'completed');
  });

  it('the branch went on while it waited: it installs the commit that it built, and says so', async () => {
    const b = await useBuild();
    const { readGrantDecisions } = createDeploysActivities({
      ...parts,
      sources: { ...parts.sources, resolveHead: async () => ({ commit: 'b'.repeat(40), branch: 'main' }) },
    });
    b.activities.readGrantDecisions = readGrantDecisions;
    await b.request();
    await b.waiting();
    await b.decide('approve');
    await b.end();
    const { status, warnings } = await b.record();
    assert.equal(status, 'completed');
    assert.deepEqual(
      warnings.filter((warning) => /^main went on to bbbbbbb while the build waited: it installs aaaaaaa/.test(warning))
        .length,
      1,
      warnings.join('\n'),
    );
  });

  it('what changed while it waited is found anew: the gate, the dependencies, and the scopes that need no grant by then', async () => {
    const b = await useBuild();
    const [target = ''] = b.targets;
    const given = { ...parts, settings: { ...parts.settings, hasPlatformProxy: true } };
    const { resolveDependencies, provisionOAuthClient } = createDeploysActivities(given);
    Object.assign(b.activities, { resolveDependencies, provisionOAuthClient });
    let gates = 0;
    b.activities.prepareContainerFile = async () => ({ facts: { port: 3000 } });
    b.activities.applyDeployGate = async ({ build, attempts = 0 }) => {
      gates += 1;
      const step = { key: 'deploy-gate', stage: 'building' } as const;
      await parts.builds.markStep(build.buildId, step, {
        state: 'completed',
        attempt: attempts + 1,
        startedAt: new Date(),
      });
      return { facts: {} };
    };
    let installed: unknown = null;
    const { installWorkload } = b.activities;
    b.activities.installWorkload = async (input) => {
      installed = input.facts.dependencies;
      return await installWorkload(input);
    };
    await b.request();
    await b.waiting();
    // The other service was not deployed until now, and its org lets this one share it.
    const release = releaseRecord({ id: `rel_${target}`, serviceId: `svc_${target}`, service: target });
    await parts.releases.put(release);
    await parts.releases.activate(release.id, { at: new Date(), epoch: 1, buildId: 'bld_target' });
    await shareService(parts.services, `svc_${target}`, ['acme']);
    await b.end();
    const { status, warnings, steps } = await b.record();
    assert.equal(status, 'completed');
    assert.deepEqual(
      (installed as { service: string }[]).map(({ service }) => service),
      [target],
    );
    assert.deepEqual(
      warnings.filter((warning) => warning.includes('is not given')),
      [],
    );
    const client = await parts.clientStore.find(`${b.build.service}-prod`);
    assert.ok(client?.allowedScopes.includes(`${target}:read`), client?.allowedScopes.join());
    assert.deepEqual([gates, b.ran('buildImage')], [2, 1]);
    const attemptsOf = (key: string) => steps.find((step) => step.key === key)?.attempt;
    assert.deepEqual(['deploy-gate', 'dependencies', 'oauth-client', 'scope-grants'].map(attemptsOf), [2, 2, 2, 2]);
  });

  it('what the gate does not let through any more ends it: nothing is installed', async () => {
    const b = await useBuild();
    const { applyDeployGate } = b.activities;
    b.activities.applyDeployGate = async (input) => {
      if (input.attempts !== undefined) throw new FairleadError('INSUFFICIENT_GAS', 'gas is gone');
      const step = { key: 'deploy-gate', stage: 'building' } as const;
      await parts.builds.markStep(input.build.buildId, step, { state: 'completed', attempt: 1, startedAt: new Date() });
      return await applyDeployGate(input);
    };
    await b.request();
    await b.waiting();
    await b.decide('approve');
    await b.end();
    const { status, failure } = await b.record();
    assert.deepEqual([status, failure?.step, b.ran('installWorkload')], ['failed', 'deploy-gate', 0]);
  });

  it('what serves is repaired while it waits', async () => {
    const b = await useBuild();
    await b.request();
    await b.waiting();
    await waitUntil('the coordinator to keep it', async () => (await b.asked()) !== null);
    await temporal.directory.requestRepair(b.build);
    await waitUntil('the repair', () => b.journal.includes(`${b.build.service} repair`));
    assert.notEqual((await b.record()).waiting, null);
    await b.decide('approve');
    await b.end();
    assert.equal((await b.record()).status, 'completed');
  });

  it('its deadline does not begin anew when it has to wait once more', async () => {
    const b = await useBuild({}, { limit: 1 });
    await b.request();
    await b.waiting();
    const { waiting } = await b.record();
    // Approved, and asked for anew by a person before the build had its slot.
    const holder = { buildId: 'bld_holds2', workflowId: 'build/bld_holds2', environment: 'prod', org: 'acme' } as const;
    await waitUntil('the slot to be free', slotIsFree);
    assert.ok(await temporal.directory.requestSlot({ ...holder, limit: 1 }));
    await b.decide('approve');
    await waitUntil('the build to go on', async () => (await b.record()).waiting === null);
    await b.decide('revoke');
    const [grant] = await b.grants();
    assert.ok(grant !== undefined);
    const { scopes } = grant;
    await createGrantCommands(temporal.client).request(grant, { scopes, by: 'usr_eve', as: 'person', requestId: null });
    await temporal.directory.releaseSlot(holder.buildId);
    await b.waiting();
    assert.deepEqual((await b.record()).waiting, waiting);
    await b.decide('approve');
    await b.end();
    assert.equal((await b.record()).status, 'completed');
  });

  it('without the flag, it fails at once as before', async () => {
    const b = await useBuild();
    const { waitForGrantsSeconds: _, ...without } = b.build;
    await b.request(without);
    await b.end();
    const { failure, waiting } = await b.record();
    assert.deepEqual([failure?.code, waiting, b.ran('createScopeGrants')], ['SCOPE_GRANT_BLOCKED', null, 1]);
    assert.match(failure?.message ?? '', /then deploy again/);
  });

  it('that its coordinator began and lost is ended by the next comparison, while the coordinator goes on', async () => {
    const b = await useBuild();
    await b.request();
    await b.waiting();
    await waitUntil('the coordinator to keep it', async () => (await b.asked()) !== null);
    // A newer request takes its place, and its end cannot be written.
    const { finishBuild } = b.activities;
    b.activities.finishBuild = async (end) => {
      if (end.build.buildId !== b.build.buildId) return await finishBuild(end);
      throw ApplicationFailure.nonRetryable('a record that cannot be read', 'INTERNAL');
    };
    const source = { kind: 'git', url: 'https://git.example/other.git', branch: null, commit: null } as const;
    const later = { ...b.build, buildId: `${b.build.buildId}_later`, source };
    await assert.rejects(b.request(later));
    assert.equal(await temporal.directory.isInHand(b.build, b.build.buildId), false);
    b.activities.finishBuild = finishBuild;
    parts.advance(120_000);
    const ended = await reconcileBuilds({ ...parts, workflows: temporal.directory }, new AbortController().signal);
    assert.ok(ended.includes(b.build.buildId), ended.join());
    assert.equal((await b.record()).reason, 'abandoned');
  });

  // The last one: the server skips no time any more, or more than it should, once a workflow was terminated at work.
  it('is known to its coordinator, and to none that was started after that one was terminated', async () => {
    const b = await useBuild();
    const inHand = (id = b.build.buildId) => temporal.directory.isInHand(b.build, id);
    assert.equal(await inHand(), false, 'there is no coordinator yet');
    await b.request();
    await b.waiting();
    await waitUntil('the coordinator to keep it', async () => (await b.asked()) !== null);
    assert.equal(await inHand(), true);
    await b.workflows.getHandle(b.coordinator).terminate('operator');
    assert.equal(await inHand(), false);
    const later = { ...b.build, buildId: `${b.build.buildId}_later` };
    await b.request(later);
    await b.waiting(later.buildId);
    await waitUntil('the coordinator to keep it', async () => (await b.asked())?.buildId === later.buildId);
    assert.deepEqual([await inHand(), await inHand(later.buildId)], [false, true]);
    const deps = { ...parts, workflows: temporal.directory };
    parts.advance(120_000);
    assert.deepEqual(
      (await reconcileBuilds(deps, new AbortController().signal)).filter((id) => id.startsWith(b.build.buildId)),
      [b.build.buildId],
    );
    const { reason, waiting, failure } = await b.record();
    assert.deepEqual([reason, waiting, failure?.code], ['abandoned', null, 'BUILD_ABANDONED']);
    assert.notEqual((await b.record(later.buildId)).waiting, null);
    await b.decide('approve');
    await b.end();
    assert.equal((await b.record(later.buildId)).status, 'completed');
  });
});
