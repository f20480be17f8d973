import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createGrantsActivities, type DecisionInput, type GrantsActivities } from '../../../activities/grants/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createGrantCommands } from '../../../adapters/temporal/grant-commands.ts';
import { coordinatorWorkflowId, GRANT_DECIDED, WORKFLOW_TYPES } from '../../../domain/deploys/messages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { GrantKey } from '../../../domain/grants/grant.ts';
import type { GrantView } from '../../../domain/grants/grant-schema.ts';
import { GRANT_STATE, GRANTS_WORKFLOWS, grantWorkflowId } from '../../../domain/grants/messages.ts';
import type { GrantCommands } from '../../../domain/grants/ports.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { clientRecord } from '../../ports/identity/records.ts';
import { createInMemoryDeploys, type InMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('holdGrant', { timeout: 300_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let commands: GrantCommands;
  let parts: InMemoryDeploys;
  /** What fails in place of the real activity. */
  let failing: Partial<Record<keyof GrantsActivities, () => void>> = {};
  /** What the activity of decisions was called with. */
  let decisions: DecisionInput[] = [];
  let real: GrantsActivities;
  let services = 0;

  before(async () => {
    env = await startTimeSkipping();
    commands = createGrantCommands(env.client);
    parts = createInMemoryDeploys();
    real = createGrantsActivities({ ...parts, newId });
    const activities = Object.fromEntries(
      Object.entries(real).map(([name, activity]) => [
        name,
        async (input: never) => {
          if (name === 'recordDecision') decisions.push(input);
          failing[name as keyof GrantsActivities]?.();
          return await (activity as (input: never) => Promise<unknown>)(input);
        },
      ]),
    );
    worker = await startModuleWorker(env.nativeConnection, { module: 'grants', activities });
  });
  beforeEach(() => {
    failing = {};
    decisions = [];
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
  });

  /** A grant of its own, with the client of the service that asks. */
  async function newKey(): Promise<{ key: GrantKey; scopes: string[]; given: () => Promise<boolean> }> {
    services += 1;
    const [holder, target] = await Promise.all(
      [`shop${services}`, `notes${services}`].map(async (name, index) => {
        const org = index === 0 ? 'acme' : 'platform';
        const { service } = await parts.services.upsert({ id: `svc_${name}`, name, org }, {});
        return { serviceId: service.id, name, org };
      }),
    );
    assert.ok(holder !== undefined && target !== undefined);
    const clientId = `${holder.name}-prod`;
    const scopes = [`${target.name}:read`];
    await parts.clientStore.insert(
      clientRecord({ clientId, orgSlug: 'acme', service: holder.name, environment: 'prod', allowedScopes: [] }),
    );
    const given = async () =>
      (await parts.clientStore.find(clientId))?.allowedScopes.includes(scopes[0] ?? '') ?? false;
    return { key: { holder, environment: 'prod', target }, scopes, given };
  }
  const request = (key: GrantKey, scopes: readonly string[]) =>
    commands.request(key, { scopes, by: 'usr_eve', as: 'deploy', requestId: 'req_1' });
  const handleOf = (key: GrantKey) => env.client.workflow.getHandle(grantWorkflowId(key));
  const stateOf = (key: GrantKey) => handleOf(key).query<GrantView>(GRANT_STATE);

  it('operators approve and revoke by signals, as in the Temporal UI, and the query says how it stands', async () => {
    const { key, scopes, given } = await newKey();
    assert.equal((await request(key, scopes)).status, 'pending');
    assert.equal((await stateOf(key)).status, 'pending');
    await handleOf(key).signal('approve', 'ada');
    await waitUntil('the scopes to be given', given);
    const { status, decidedBy } = await stateOf(key);
    assert.deepEqual([status, decidedBy], ['approved', 'operator ada']);
    await handleOf(key).signal('revoke');
    await waitUntil('the scopes to be taken', async () => !(await given()));
    assert.equal((await stateOf(key)).decidedBy, 'operator');
  });

  it('a signal that does not fit the state changes nothing, and the grant goes on', async () => {
    const { key, scopes, given } = await newKey();
    await request(key, scopes);
    await handleOf(key).signal('revoke');
    await handleOf(key).signal('approve');
    await waitUntil('the scopes to be given', given);
  });

  it('a worker that was paused with an approval does not approve anew what was revoked meanwhile', async () => {
    const { key, scopes, given } = await newKey();
    await request(key, scopes);
    await handleOf(key).signal('approve', 'ada');
    await waitUntil('the scopes to be given', given);
    await handleOf(key).signal('revoke', 'ada');
    await waitUntil('the scopes to be taken', async () => !(await given()));
    const [approval] = decisions;
    assert.ok(approval !== undefined);
    await assert.rejects(real.recordDecision(approval), { code: 'CONFLICT' });
    assert.equal((await parts.grants.findFor(key))?.status, 'revoked');
  });

  it('the API decides by an update, and hears when the list was changed since it was looked at', async () => {
    const { key, scopes, given } = await newKey();
    const seen = await request(key, scopes);
    await request(key, [...scopes, `${key.target.name}:admin`]);
    const approve = (revision: number) =>
      commands.decide(key, { decision: 'approve', by: 'usr_ada', revision, requestId: null });
    await assert.rejects(approve(seen.revision), { code: 'CONFLICT', message: /:admin.* now; look at it again/ });
    assert.equal((await approve(seen.revision + 1)).status, 'approved');
    assert.ok(await given());
  });

  it('the provider is away when it is approved: the record says approved, and the client follows when it is back', async () => {
    const { key, scopes, given } = await newKey();
    await request(key, scopes);
    let attempts = 0;
    failing.applyGrant = () => {
      attempts += 1;
      if (attempts < 4) throw new FairleadError('UNAVAILABLE', 'the provider is away', { retryable: true });
    };
    await handleOf(key).signal('approve');
    await waitUntil('the first failure', () => attempts > 0);
    await env.sleep('10s');
    await waitUntil('the scopes to be given', given);
  });

  it('a workflow that was terminated is started anew, and knows what was decided', async () => {
    const { key, scopes } = await newKey();
    await request(key, scopes);
    await commands.decide(key, { decision: 'deny', by: 'usr_ada', revision: null, requestId: null });
    await handleOf(key).terminate();
    assert.equal((await request(key, scopes)).status, 'denied');
  });

  it('ends with one of its services, and a later service of that name begins with nothing', async () => {
    const { key, scopes } = await newKey();
    const { id } = await request(key, scopes);
    await commands.decide(key, { decision: 'approve', by: 'usr_ada', revision: null, requestId: null });
    await parts.grants.remove(id);
    await commands.close(key);
    await handleOf(key).result();
    await commands.close(key);
    const later = { ...key, target: { ...key.target, serviceId: 'svc_later' } };
    assert.equal((await request(later, scopes)).status, 'pending');
    const { type } = await handleOf(later).describe();
    assert.equal(type, GRANTS_WORKFLOWS.holdGrant);
  });

  it('tells the deploys of the service that asked when the one that was asked is removed', async () => {
    const { key, scopes } = await newKey();
    // Any workflow of that id takes the signal.
    const holder = { buildId: 'bld_holder', workflowId: 'build/bld_holder', environment: 'prod', limit: 1 } as const;
    const coordinator = await env.client.workflow.start(WORKFLOW_TYPES.grantBuildSlots, {
      workflowId: coordinatorWorkflowId(key.holder.name, key.environment),
      taskQueue: TASK_QUEUE,
      args: [{ holders: [holder], waiting: [] }],
    });
    await request(key, scopes);
    await commands.close(key);
    await handleOf(key).result();
    const { events } = await coordinator.fetchHistory();
    const signals = (events ?? []).flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? []);
    assert.deepEqual(signals, [GRANT_DECIDED]);
  });

  it('an end that comes late does not end the grant of a later service of that name', async () => {
    const { key, scopes } = await newKey();
    const later = { ...key, target: { ...key.target, serviceId: `${key.target.serviceId}_later` } };
    await request(later, scopes);
    await commands.close(key);
    assert.equal((await request(later, scopes)).status, 'pending');
    assert.equal((await handleOf(later).describe()).status.name, 'RUNNING');
  });
});
