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
import type { EventDocument } from '../../../adapters/mongo/audit-ledger/event-document.ts';
import { idOfKey } from '../../../adapters/mongo/audit-ledger/event-id.ts';
import { createEventWriter } from '../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes, LEDGER_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/indexes.ts';
import { createNamespaceLeases } from '../../../adapters/mongo/audit-ledger/namespace-leases.ts';
import { createPendingAnchorStore } from '../../../adapters/mongo/audit-ledger/pending-anchors.ts';
import { type Hash, LEDGER_NAMESPACE, type LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { hashOfEvent } from '../../../domain/audit-ledger/hash.ts';
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
      signer: SIGNER,
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
    /**
     * Writes the chains of `shop` and of the ledger anew with another event of `shop`, all hashes right, those in closes
     * of days included, and drops the checkpoints: what somebody does who can write to the database and has no key.
     */
    async rewrite(index = 0): Promise<void> {
      const { db } = parts.mongo.connection;
      const documents = db.collection<EventDocument>(LEDGER_COLLECTIONS.events);
      const changed = new Map<string, Hash>();
      for (const namespace of ['shop', LEDGER_NAMESPACE]) {
        for await (const event of parts.ledger.events.stream(namespace, 0)) {
          const forged = namespace === 'shop' && event.chainIndex === index ? { entityId: 'forged' } : {};
          const payload = event.payload.replaceAll(/0x[0-9a-f]{64}/g, (hash) => changed.get(hash) ?? hash);
          const prevHash = changed.get(event.prevHash) ?? event.prevHash;
          const eventHash = hashOfEvent({ ...event, ...forged, payload, prevHash });
          changed.set(event.eventHash, eventHash);
          const { id, ...fields } = { ...event, ...forged, payload, prevHash, eventHash };
          await documents.replaceOne({ _id: id }, fields);
        }
      }
      await db.collection(LEDGER_COLLECTIONS.checkpoints).deleteMany({});
      // As a new process would, it knows nothing of the chains.
      parts.ledger = open();
    },
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
    verdictOf: (namespace: string) => verifyChain(parts.ledger.events.pages(namespace, 0)),
  };
}
