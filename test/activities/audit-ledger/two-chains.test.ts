import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANCHORING_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import type { AnchorChain } from '../../../domain/audit-ledger/anchoring-ports.ts';
import type { Batch } from '../../../domain/audit-ledger/batch.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { anchorRoot } from '../../sdk/audit/anchored-day.ts';
import { DAY, useLedgerDay } from './use-ledger-day.ts';

const [ONE, OTHER] = [31_337, 31_338];
const BEFORE = '2026-01-04';

/** Who can write to the database rewrites an anchored day, while the chain that has its root is away. */
describe('a day that one of two chains missed', { timeout: 120_000 }, () => {
  const { parts, clock, run, reopen, emit, rewrite } = useLedgerDay([ONE, OTHER]);
  const lose = async () => await parts.mongo.connection.db.collection(ANCHORING_COLLECTIONS.batches).deleteMany({});
  const away = (chain: AnchorChain): AnchorChain => {
    const fails = () => Promise.reject(new FairleadError('CHAIN_UNREACHABLE', 'away', { retryable: true }));
    return { ...chain, anchor: fails, rootOf: fails };
  };

  /** As its workflow does: a chain that has not mined yet is asked again. */
  async function anchor(attempts = 10): Promise<void> {
    await run('anchorBatch', { day: BEFORE, chainId: ONE }).catch(async (error: unknown) => {
      if (attempts === 1 || !(error instanceof FairleadError) || error.code !== 'CHAIN_UNREACHABLE') throw error;
      await anchor(attempts - 1);
    });
  }

  /** The root of the day stands on one chain; its record is gone, and its events are others. @returns what its record was */
  async function rewritten(): Promise<Batch> {
    await emit('shop', 3, `${BEFORE}T10:00:00Z`);
    clock.now = new Date(`${DAY}T00:10:00Z`);
    await run('batchDay', BEFORE);
    await anchor();
    const honest = (await parts.ledger.batches.find(BEFORE)) ?? assert.fail();
    await emit('shop', 5, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await lose();
    await rewrite();
    return honest;
  }

  it('gets no other root while the chain that has it is away, and none once it is back; the next day is not held up', async () => {
    const { root } = await rewritten();
    const [one, other] = parts.ledger.chains;
    assert.ok(one && other);
    reopen({ chains: [away(one), other] });
    await assert.rejects(run('batchDay', BEFORE), { code: 'CHAIN_UNREACHABLE', message: /Not every chain says/ });
    await run('batchDay', DAY);
    assert.equal(await parts.ledger.batches.find(BEFORE), null);
    reopen();
    const message = new RegExp(`the root ${root} stands on chain ${ONE}`);
    await assert.rejects(run('batchDay', BEFORE), { code: 'ANCHOR_REFUSED', message });
  });

  it('that has just ended does not wait for a chain that is away', async () => {
    await emit('shop', 3, `${BEFORE}T10:00:00Z`);
    clock.now = new Date(`${DAY}T00:10:00Z`);
    const [one, other] = parts.ledger.chains;
    assert.ok(one && other);
    reopen({ chains: [away(one), other] });
    await run('batchDay', BEFORE);
    assert.notEqual((await parts.ledger.batches.find(BEFORE))?.signature, undefined);
  });

  it('is refused where the other chain has another root, as of a thief of the anchoring key', async () => {
    const { root } = await rewritten();
    reopen({ chains: [] });
    await run('batchDay', BEFORE);
    const forged = (await parts.ledger.batches.find(BEFORE))?.root ?? assert.fail();
    assert.notEqual(forged, root);
    await lose();
    const [, chain] = parts.chains;
    assert.ok(chain);
    await anchorRoot(chain, forged, BEFORE, chain.contract);
    reopen();
    const message = new RegExp(`the root ${root} stands on chain ${ONE}`);
    await assert.rejects(run('batchDay', BEFORE), { code: 'ANCHOR_REFUSED', message });
  });
});
