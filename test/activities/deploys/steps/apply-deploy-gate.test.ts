import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { applyDeployGate } from '../../../../activities/deploys/steps/apply-deploy-gate.ts';
import { createWalletReader } from '../../../../adapters/wallet/wallet-reader.ts';
import type { Catalog } from '../../../../domain/catalog/catalog.ts';
import { catalogRecord } from '../../../ports/records.ts';
import { freePort } from '../../../support/free-port.ts';
import { KEY, startWallet, type TestWallet } from '../../../support/start-wallet.ts';
import { useDeploy } from '../use-deploy.ts';

/** With the real wallet over HTTP. */
describe('deploy-gate', () => {
  let wallet: TestWallet;
  before(async () => {
    wallet = await startWallet();
  });
  after(() => wallet.stop());

  const reader = () => createWalletReader({ url: wallet.address, internalKey: KEY });
  async function useGate(catalog: Partial<Catalog> = {}) {
    const { parts, attempt } = await useDeploy();
    return { deps: { ...parts, wallet: reader() }, step: attempt({ catalog: catalogRecord(catalog) }) };
  }

  it('lets a service through whose owner has the reserve, takes nothing, and says what it found', async () => {
    const { deps, step } = await useGate({ owner: 'acme' });
    assert.deepEqual(await applyDeployGate(deps, step), {});
    assert.deepEqual(step.warnings, []);
    assert.match(step.lines.join('\n'), /The wallet of acme holds 50000 tokens, and the reserve is 10800/);
    assert.equal((await wallet.call('GET', '/wallets/acme')).body.data.balance, 50_000);
  });

  it('refuses a tier that the owner cannot pay for three months, until tokens are added', async () => {
    const { deps, step } = await useGate({ owner: 'acme', podTier: 'large' });
    await assert.rejects(applyDeployGate(deps, step), {
      ...{ code: 'INSUFFICIENT_GAS', retryable: false, message: /^Deploy gate: insufficient gas reserve/ },
      details: { balance: 50_000, required: 90_720, shortfall: 40_720 },
    });
    const headers = { 'x-internal-key': KEY, 'idempotency-key': 'invoice-1' };
    await wallet.call('POST', '/wallets/acme/credits', { amount: 40_720, reason: 'invoice 1' }, headers);
    assert.deepEqual(await applyDeployGate(deps, step), {});
  });

  it('refuses a catalog that names another org than the service has', async () => {
    const { deps, step } = await useGate({ owner: 'rival' });
    await assert.rejects(applyDeployGate(deps, step), {
      code: 'SERVICE_OWNER_MISMATCH',
      message: /^Deploy gate: owner mismatch/,
    });
  });

  it('tries a wallet that is away three times; the third failure is the last', async () => {
    const { deps, step } = await useGate();
    const url = `http://127.0.0.1:${await freePort()}`;
    const away = { ...deps, wallet: createWalletReader({ url, internalKey: KEY }) };
    for (const [attempt, retryable] of [
      [1, true],
      [2, true],
      [3, false],
    ] as const) {
      await assert.rejects(applyDeployGate(away, { ...step, attempt }), {
        ...{ code: 'UNAVAILABLE', system: 'wallet', retryable },
      });
    }
  });

  it('goes on by the wallet’s error on a worker that knows no wallet, though the plan has the gate', async () => {
    const { deps, step } = await useGate();
    await assert.rejects(applyDeployGate({ ...deps, wallet: null }, step), {
      ...{ code: 'UNAVAILABLE', system: 'wallet', retryable: false },
    });
  });
});
