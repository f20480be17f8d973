import { after, before, beforeEach } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type AnchoringActivities, createAnchoringActivities } from '../../../activities/audit-ledger/anchoring.ts';
import type { AnchoringDeps } from '../../../activities/audit-ledger/anchoring-deps.ts';
import { createAnchorChain } from '../../../adapters/chain/anchor-chain.ts';
import { createEnvSigner } from '../../../adapters/chain/env-signer.ts';
import { createLedgerSigner } from '../../../adapters/crypto/ledger-signer.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createTreeBuilder } from '../../../adapters/merkle/tree-builder.ts';
import { createAnchoringIndexes } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createBatchStore } from '../../../adapters/mongo/audit-ledger/batches.ts';
import { createCheckpointStore } from '../../../adapters/mongo/audit-ledger/checkpoints.ts';
import { idOfKey } from '../../../adapters/mongo/audit-ledger/event-id.ts';
import { createEventWriter } from '../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../../adapters/mongo/audit-ledger/indexes.ts';
import { createNamespaceLeases } from '../../../adapters/mongo/audit-ledger/namespace-leases.ts';
import { createPendingAnchorStore } from '../../../adapters/mongo/audit-ledger/pending-anchors.ts';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import type { BatchLeaf } from '../../../domain/audit-ledger/ports.ts';
import { verifyChain } from '../../../domain/audit-ledger/verify-chain.ts';
import { draftOf } from '../../ports/audit-ledger/drafts.ts';
import { ANCHORER, clockAt, startAnvil, type TestChain } from '../../support/start-anvil.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

export const DAY = '2026-01-05';
export const LEDGER_NAME = 'audit.example.org';
export const SIGNER = createLedgerSigner([Buffer.alloc(32, 3)]);
export const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** The anchoring activities on a database and chains of their own, both fresh for each test of one `describe`. */
export function useLedgerDay(chainIds: readonly number[]) {
  const parts = {} as { mongo: TestMongo; chains: readonly TestChain[]; ledger: ReturnType<typeof open> };
  const clock = { now: new Date(`${DAY}T12:00:00Z`) };
  const fresh = new Map<TestChain, string>();

  before(async () => {
    const chains = Promise.all(chainIds.map((chainId) => startAnvil(chainId, clockAt('2026-01-20'))));
    [parts.mongo, parts.chains] = await Promise.all([startMongo(), chains]);
  });
  after(() => Promise.all([parts.mongo, ...parts.chains].map((part) => part.stop())));
  beforeEach(async () => {
    const { db } = parts.mongo.connection;
    await db.dropDatabase();
    await createLedgerIndexes(db);
    await createAnchoringIndexes(db);
    for (const chain of parts.chains) await chain.rpc('evm_revert', fresh.get(chain) ?? '0x0').catch(() => false);
    for (const chain of parts.chains) fresh.set(chain, (await chain.rpc('evm_snapshot')) as string);
    clock.now = new Date(`${DAY}T12:00:00Z`);
    parts.ledger = open();
  });

  function open(changes: Partial<AnchoringDeps> = {}) {
    const { db } = parts.mongo.connection;
    const now = () => clock.now;
    const events = createEventStore({ db });
    const pending = createPendingAnchorStore({ db });
    const signer = createEnvSigner(Buffer.from(ANCHORER.privateKey.slice(2), 'hex'));
    const deps: AnchoringDeps = {
      events,
      writer: createEventWriter({ store: events, newId, now }),
      leases: createNamespaceLeases({ db, now: () => new Date() }),
      batches: createBatchStore({ db }),
      checkpoints: createCheckpointStore({ db }),
      ledgerName: LEDGER_NAME,
      keys: SIGNER.keys,
      trees: createTreeBuilder(),
      chains: parts.chains.map(({ chainId, rpcUrl, contract }) =>
        createAnchorChain(
          { chainId, rpcUrls: [rpcUrl], contract, finality: 'confirmations', confirmations: 1, explorerUrl: null },
          {
            signer,
            pending,
            now: () => new Date(),
            feeCapWei: 500n * 10n ** 9n,
            timing: { pollMs: 20, attemptMs: 2_000 },
          },
        ),
      ),
      idOfKey,
      now,
      platformOrg: 'platform',
      ...changes,
    };
    return { ...deps, activities: createAnchoringActivities(deps) };
  }

  /** Runs an activity as a worker would. */
  function run<K extends keyof AnchoringActivities>(name: K, ...args: Parameters<AnchoringActivities[K]>) {
    const activity = parts.ledger.activities[name] as (...given: unknown[]) => ReturnType<AnchoringActivities[K]>;
    return new MockActivityEnvironment({}, { logger: SILENT }).run(activity, ...args) as ReturnType<
      AnchoringActivities[K]
    >;
  }

  return {
    parts,
    clock,
    run,
    /** The ledger as a worker with other parts has it, from then on. */
    reopen(changes: Partial<AnchoringDeps> = {}): void {
      parts.ledger = open(changes);
    },
    async emit(namespace: string, count: number, at: string): Promise<LedgerEvent[]> {
      clock.now = new Date(at);
      const drafts = Array.from({ length: count }, (_, index) =>
        draftOf({ namespace, orgSlug: index % 2 ? 'acme' : 'other' }),
      );
      return await Promise.all(drafts.map((draft) => parts.ledger.writer.emit(draft)));
    },
    async leavesOf(day: string): Promise<BatchLeaf[]> {
      const leaves: BatchLeaf[] = [];
      for await (const leaf of parts.ledger.batches.leaves(day)) leaves.push(leaf);
      return leaves;
    },
    verdictOf: (namespace: string) => verifyChain(parts.ledger.events.stream(namespace, 0)),
  };
}
