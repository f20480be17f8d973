import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Context } from '@temporalio/activity';
import type { DeploysDeps } from '../../../activities/deploys/deps.ts';
import { applyDeployGate } from '../../../activities/deploys/steps/apply-deploy-gate.ts';
import { createWalletReader } from '../../../adapters/wallet/wallet-reader.ts';
import type { Catalog } from '../../../domain/catalog/catalog.ts';
import { type BuildOutcome, buildWorkflowId } from '../../../domain/deploys/messages.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { recordingStep } from '../../activities/deploys/step-context.ts';
import { buildRequest, catalogRecord } from '../../ports/records.ts';
import { freePort } from '../../support/free-port.ts';
import { createInMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { KEY, startWallet, type TestWallet } from '../../support/start-wallet.ts';
import { createFakeActivities, createTemporal, planOf } from './harness.ts';

/** The gate as the table of steps has it, with its real work and the real wallet, in the real workflow. */
describe('the deploy gate in a build', () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  let wallet: TestWallet;
  before(async () => {
    [temporal, wallet] = await Promise.all([createTemporal(), startWallet()]);
  });
  after(async () => {
    await temporal.stop();
    await wallet.stop();
  });

  /** A build that has its catalog, with the gate and the build of the image left to run. */
  async function build(catalog: Catalog, changes: Partial<DeploysDeps> = {}) {
    const request = buildRequest({ serviceId: 'svc_gated', service: 'gated', org: 'acme' });
    const parts = createInMemoryDeploys();
    await parts.services.upsert({ id: 'svc_gated', name: 'gated', org: 'acme' }, {});
    const deps = { ...parts, wallet: createWalletReader({ url: wallet.address, internalKey: KEY }), ...changes };
    const attempts: number[] = [];
    const { activities, journal, finished } = createFakeActivities(temporal.directory, {
      requestSlot: async () => true,
      applyDeployGate: async ({ build: asked }) => {
        const { attempt } = Context.current().info;
        attempts.push(attempt);
        return { facts: await applyDeployGate(deps, { ...recordingStep(asked, { catalog }), attempt }) };
      },
    });
    const plan = planOf(request, catalog).filter(({ key }) => key === 'deploy-gate' || key === 'image-build');
    assert.equal(plan.length, 2);
    const outcome = await temporal.withActivities(activities, async () => {
      const options = { workflowId: buildWorkflowId(request.buildId), taskQueue: TASK_QUEUE, args: [request, plan] };
      return (await temporal.client.workflow.execute('runBuild', options)) as BuildOutcome;
    });
    const entries = journal.map((entry) => entry.replace(`${request.buildId} `, ''));
    return { outcome, entries, attempts, failure: finished[0]?.failure };
  }

  it('goes on with a warning when the wallet is away at each of three attempts', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const away = createWalletReader({ url, internalKey: KEY });
    const { outcome, entries, attempts } = await build(catalogRecord({ owner: 'acme' }), { wallet: away });
    assert.equal(outcome.status, 'completed');
    assert.deepEqual(entries, ['warned deploy-gate UNAVAILABLE', 'buildImage', 'completed']);
    assert.deepEqual(attempts, [1, 2, 3]);
  });

  it('builds no image for an owner without the reserve, and says what is missing', async () => {
    const { outcome, entries, attempts, failure } = await build(catalogRecord({ owner: 'acme', podTier: 'xlarge' }));
    assert.equal(outcome.status, 'failed');
    assert.deepEqual(entries, ['failed step_failed']);
    assert.deepEqual(attempts, [1]);
    assert.deepEqual([failure?.code, failure?.step], ['INSUFFICIENT_GAS', 'deploy-gate']);
    assert.deepEqual(failure?.details, { balance: 50_000, required: 179_280, shortfall: 129_280 });
  });

  it('builds no image of a catalog with another owner, though the wallet is away', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const away = createWalletReader({ url, internalKey: KEY });
    const { entries, failure } = await build(catalogRecord({ owner: 'rival' }), { wallet: away });
    assert.deepEqual(entries, ['failed step_failed']);
    assert.deepEqual([failure?.code, failure?.step], ['SERVICE_OWNER_MISMATCH', 'deploy-gate']);
  });

  it('opens by no failure of another system, such as our own database', async () => {
    const parts = createInMemoryDeploys();
    const services = { ...parts.services, find: () => Promise.reject(new TypeError('not a wallet')) };
    const { entries, failure } = await build(catalogRecord({ owner: 'acme' }), { services });
    assert.deepEqual(entries, ['failed step_failed']);
    assert.deepEqual([failure?.code, failure?.step], ['INTERNAL', 'deploy-gate']);
  });
});
