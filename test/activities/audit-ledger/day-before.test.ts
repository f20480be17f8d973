import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANCHORING_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import type { Batch } from '../../../domain/audit-ledger/batch.ts';
import { isBatchSigned } from '../../../domain/audit-ledger/batch-signature.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { DAY, LEDGER_NAME, SIGNER, useLedgerDay } from './use-ledger-day.ts';

const CHAIN = 31_337;
const BEFORE = '2026-01-04';
const NIGHT = new Date('2026-01-06T00:10:00Z');

/** Who can write to the database changes what it says of the day before: its root on the chain stays what it was. */
describe('a day before whose batch was changed', { timeout: 300_000 }, () => {
  const { parts, clock, run, reopen, emit, rewrite } = useLedgerDay([CHAIN]);
  const db = () => parts.mongo.connection.db;
  const records = () => db().collection<{ _id: string }>(ANCHORING_COLLECTIONS.batches);
  const found = async (day: string): Promise<Batch> => (await parts.ledger.batches.find(day)) ?? assert.fail(day);

  /** As its workflow does: a chain that has not mined yet is asked again. */
  async function anchor(day: string, attempts = 10): Promise<void> {
    await run('anchorBatch', { day, chainId: CHAIN }).catch(async (error: unknown) => {
      if (attempts === 1 || !(error instanceof FairleadError) || error.code !== 'CHAIN_UNREACHABLE') throw error;
      await anchor(day, attempts - 1);
    });
  }

  /** The day before, anchored, and five events on the day. */
  async function twoDays(): Promise<Batch> {
    await emit('shop', 3, `${BEFORE}T10:00:00Z`);
    clock.now = new Date(`${DAY}T00:10:00Z`);
    await run('batchDay', BEFORE);
    await anchor(BEFORE);
    await emit('shop', 5, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    return await found(BEFORE);
  }

  const change = async (update: object, day = BEFORE) => await records().updateOne({ _id: day }, update);
  const refused = (day: string) => assert.rejects(run('batchDay', day), { code: 'ANCHOR_REFUSED' });

  for (const leafCount of [null, 0, 1, 4_000]) {
    for (const signature of ['kept', 'stripped']) {
      const count = leafCount === null ? 'its own' : `${leafCount}`;
      it(`with ${count} leaves and its signature ${signature} lets no chain pass that was written anew`, async () => {
        const { root } = await twoDays();
        if (leafCount !== null) await change({ $set: { leafCount } });
        if (signature === 'stripped') await change({ $unset: { signature: '' } });
        await rewrite();
        await refused(DAY);
        assert.equal(await parts.ledger.batches.find(DAY), null);
        assert.equal((await found(BEFORE)).root, root);
      });
    }
  }

  it('is not signed anew over chains that were written anew', async () => {
    await twoDays();
    await change({ $set: { leafCount: 0 } });
    const before = await found(BEFORE);
    await rewrite();
    await refused(BEFORE);
    await assert.rejects(run('anchorBatch', { day: BEFORE, chainId: CHAIN }), { code: 'ANCHOR_REFUSED' });
    assert.deepEqual(await found(BEFORE), before);
  });

  it('gets its count of leaves and its chains back from the events, where nothing else was changed', async () => {
    const before = await twoDays();
    await change({ $set: { leafCount: 0, chainIds: [] } });
    await run('batchDay', DAY);
    const after = await found(BEFORE);
    const { root, leafCount, chainIds } = before;
    assert.deepEqual([after.root, after.leafCount, after.chainIds], [root, leafCount, chainIds]);
    assert.ok(isBatchSigned(after, LEDGER_NAME, SIGNER.keys));
    await anchor(BEFORE);
    assert.equal((await found(BEFORE)).anchors[0]?.txHash, before.anchors[0]?.txHash);
  });

  it('a worker that is killed while it builds a batch anew leaves the day one, which the next night looks at', async () => {
    await twoDays();
    const { root } = await run('batchDay', DAY);
    await emit('shop', 1, '2026-01-06T10:00:00Z');
    clock.now = new Date('2026-01-07T00:10:00Z');
    await run('batchDay', '2026-01-06');
    await change({ $set: { leafCount: 0 } }, DAY);
    const { batches } = parts.ledger;
    const killed = async () => Promise.reject(new Error('killed'));
    reopen({ batches: { ...batches, insert: killed, replace: killed } });
    await assert.rejects(run('anchorBatch', { day: DAY, chainId: CHAIN }), /killed/);
    reopen();
    assert.deepEqual(await run('listDaysToAnchor', '2026-01-06'), [BEFORE, DAY, '2026-01-06']);
    await anchor(DAY);
    const { anchors, ...again } = await found(DAY);
    assert.deepEqual([again.root, anchors.length], [root, 1]);
  });

  it('a day whose batch was lost before it came onto a chain gets it again there', async () => {
    await twoDays();
    const { root } = await run('batchDay', DAY);
    await records().deleteOne({ _id: DAY });
    await anchor(DAY);
    const { root: again, anchors } = await found(DAY);
    assert.deepEqual([again, anchors.length], [root, 1]);
  });
});
