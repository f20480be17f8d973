import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLedgerSigner } from '../../../adapters/crypto/ledger-signer.ts';
import { headOf } from '../../../domain/audit-ledger/chain.ts';
import { type Checkpoint, type CheckpointStore, signCheckpoint } from '../../../domain/audit-ledger/checkpoint.ts';
import { GENESIS_HASH, type LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import type { EventStore } from '../../../domain/audit-ledger/ports.ts';
import { verifyHistory } from '../../../domain/audit-ledger/verify-history.ts';
import { eventsAfter } from '../../ports/audit-ledger/drafts.ts';

const signer = createLedgerSigner([Buffer.alloc(32, 1)]);
const LEDGER_NAME = 'audit.example.org';
const CHAIN = eventsAfter(null, [{}, {}, {}, {}, {}]);

/** What is in the database: the first events of the chain; more of them once a scan has begun. */
function verdictOf(
  atFirst: number,
  scan: (events: readonly LedgerEvent[]) => readonly LedgerEvent[],
  checkpoints: readonly Checkpoint[],
) {
  const last = CHAIN[atFirst - 1];
  const store: Pick<EventStore, 'head' | 'pages'> = {
    head: async (namespace) => (namespace === 'payments' && last !== undefined ? headOf(last) : null),
    async *pages(namespace, fromIndex, toIndex = Number.POSITIVE_INFINITY) {
      if (namespace !== 'payments') return;
      yield scan(CHAIN).filter(({ chainIndex }) => chainIndex >= fromIndex && chainIndex <= toIndex);
    },
  };
  const kept: Pick<CheckpointStore, 'newest' | 'stream'> = {
    newest: async (namespace) => (namespace === 'payments' ? checkpoints.slice(0, 1) : []),
    async *stream(namespace) {
      if (namespace === 'payments') yield* checkpoints;
    },
  };
  const deps = {
    store: store as EventStore,
    checkpoints: kept as CheckpointStore,
    ledgerName: LEDGER_NAME,
    keys: signer.keys,
  };
  return verifyHistory({ kind: 'namespace', namespace: 'payments', expectedHead: null }, deps);
}

const checkpointAt = async (size: number, time: string): Promise<Checkpoint> => {
  const head = CHAIN[size - 1]?.eventHash ?? GENESIS_HASH;
  return signCheckpoint({ namespace: 'payments', size, head, time: new Date(time) }, LEDGER_NAME, signer);
};

const EARLIER = '2026-11-20T12:00:02.500Z';
const LATER = '2026-11-20T13:00:00.000Z';

it('events that services write while a chain is verified are left to the next verification', async () => {
  const outOfOrder = (events: readonly LedgerEvent[]) => events.filter(({ chainIndex }) => chainIndex !== 3);
  const { valid, count, heads } = await verdictOf(3, outOfOrder, []);
  assert.deepEqual([valid, count, heads[0]?.chainIndex], [true, 3, 2]);
});

it('a checkpoint that is made while a chain is verified does not make it look cut off', async () => {
  const checkpoints = [await checkpointAt(2, EARLIER), await checkpointAt(5, LATER)];
  const { valid, count } = await verdictOf(3, (events) => events, checkpoints);
  assert.deepEqual([valid, count], [true, 3]);
});

it('a chain that ends before a checkpoint of earlier is cut off', async () => {
  const checkpoints = [await checkpointAt(5, EARLIER)];
  const { valid, reason, brokenAt } = await verdictOf(3, (events) => events, checkpoints);
  assert.deepEqual([valid, reason, brokenAt?.chainIndex], [false, 'truncated', 3]);
});
