import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createAnchoringActivities } from '../../../activities/audit-ledger/anchoring.ts';
import { createChainActivities } from '../../../activities/audit-ledger/chains.ts';
import { createAnchorChain } from '../../../adapters/chain/anchor-chain.ts';
import { createEnvSigner } from '../../../adapters/chain/env-signer.ts';
import { buildTree } from '../../../adapters/merkle/build-tree.ts';
import { ANCHORING_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { type EventDocument, eventDocument } from '../../../adapters/mongo/audit-ledger/event-document.ts';
import { idOfKey } from '../../../adapters/mongo/audit-ledger/event-id.ts';
import { LEDGER_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/indexes.ts';
import { createPendingAnchorStore } from '../../../adapters/mongo/audit-ledger/pending-anchors.ts';
import { signBatch } from '../../../domain/audit-ledger/batch-signature.ts';
import { signCheckpoint, verifierKey } from '../../../domain/audit-ledger/checkpoint.ts';
import { isClose } from '../../../domain/audit-ledger/day-close.ts';
import { addDays, startOfDay } from '../../../domain/audit-ledger/days.ts';
import { GENESIS_HASH, type Hash, type LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { hashOfEvent } from '../../../domain/audit-ledger/hash.ts';
import { fromHash, toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import type { BatchLeaf } from '../../../domain/audit-ledger/ports.ts';
import { type Receipt, signReceipt } from '../../../domain/audit-ledger/receipt.ts';
import { anchorRegistryArtifact } from '../../../infra/contracts/contract-artifact.ts';
import { deployAnchorRegistry } from '../../../infra/contracts/deploy-anchor-registry.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { SILENT } from '../../activities/audit-ledger/use-ledger-day.ts';
import { anchorRoot } from '../../sdk/audit/anchored-day.ts';
import { ANCHORER, clockAt, startAnvil, type TestChain } from '../../support/start-anvil.ts';
import { LEDGER, startLedger } from '../../support/start-ledger.ts';

export const DAY = '2026-01-05';
const SHOP = 'shop';
/** An event of `shop` at half past each hour from 8:30 on; the fifth is the last that the kept checkpoint counts. */
const EVENTS = 8;
const KEPT = 4;
const KEPT_AT = new Date(`${DAY}T13:00:00.000Z`);
const NEXT_HOUR = new Date(`${DAY}T17:00:00.000Z`);
const OTHER_ROOT: Hash = `0x${'77'.repeat(32)}`;

const CHANGES = {
  alter: (events) => events.with(2, { ...at(events, 2), entityId: 'altered' }),
  deleteFirst: (events) => events.slice(1),
  deleteMiddle: (events) => events.toSpliced(2, 1),
  cutTail: (events) => events.slice(0, KEPT),
  // Times do not go back: the two change all but theirs.
  reorder: (events) =>
    events
      .with(2, { ...at(events, 3), createdAt: at(events, 2).createdAt })
      .with(3, { ...at(events, 2), createdAt: at(events, 3).createdAt }),
  insert: (events) => events.toSpliced(2, 0, { ...at(events, 2), id: 'evt_put_in', entityId: 'put-in' }),
  fork: (events) => events.map((event, index) => (index < 3 ? event : { ...event, entityId: 'forked' })),
  backDate: (events) =>
    events.slice(0, -1).toSpliced(2, 0, { ...at(events, EVENTS - 1), createdAt: at(events, 1).createdAt }),
} satisfies Record<string, (events: readonly LedgerEvent[]) => LedgerEvent[]>;

type Change = keyof typeof CHANGES;
export type Attack =
  | Change
  | `${Change}Late`
  | 'withholdDay'
  | 'dropFromDay'
  | 'plantBatch'
  | 'deleteBatch'
  | 'splitChains'
  | 'splitContracts'
  | 'splitContractsBelieved'
  | 'splitReaders'
  | 'stolenAnchorer'
  | 'stolenSigner'
  | 'deleteAll';

/** What a holder has, and is shown, after an attack; files by their paths. */
export interface Scene {
  /** Where the leaf list comes from, and the contract that is asked. */
  readonly list: readonly string[];
  readonly contract: string;
  readonly receipt: string;
  readonly checkpoint: string;
  /** What another is told: beside the receipt, and beside the checkpoint. */
  readonly shown: { readonly receipt: string; readonly checkpoint: string };
}

export type AttackedLedger = Awaited<ReturnType<typeof startAttackedLedger>>;

/**
 * A real ledger after two good nights and a day that is not closed yet, and two real chains that hold the roots of the
 * nights. Each attack begins there. Whoever attacks has the database and the keys, and gets all hashes right.
 */
export async function startAttackedLedger() {
  const clock = { now: startOfDay(addDays(DAY, -2)) };
  const folder = mkdtempSync(join(tmpdir(), 'who-finds-out-'));
  const [ledger, ...chains] = await Promise.all([
    startLedger({ now: () => clock.now }),
    startAnvil(31_337, clockAt(addDays(DAY, -1))),
    startAnvil(31_338, clockAt(addDays(DAY, -1))),
  ]);
  const { db, signer } = ledger;
  const events = db.collection<EventDocument>(LEDGER_COLLECTIONS.events);
  const worker = () => new MockActivityEnvironment({}, { logger: SILENT });

  const contract = chains[0].contract;
  const otherContract = await deployOther(chains);
  for (const day of [addDays(DAY, -2), addDays(DAY, -1)]) {
    await emit('billing', day, 2);
    await night(day);
    for (const chain of chains) {
      await chain.rpc('evm_increaseTime', 86_400);
      await chain.rpc('evm_mine');
    }
  }
  await emit('billing', DAY, 2);
  const receipts = await emit(SHOP, DAY, EVENTS);
  const { writeCheckpoints } = createChainActivities({ ...ledger, ledgerName: LEDGER, now: () => NEXT_HOUR });
  await worker().run(writeCheckpoints, NEXT_HOUR.toISOString());
  const kept = { namespace: SHOP, size: KEPT + 1, head: at(receipts, KEPT).eventHash, time: KEPT_AT };
  await ledger.checkpoints.insert(await signCheckpoint(kept, LEDGER, signer));
  const [, checkpoint] = (await ledger.call(null, 'GET', `/v1/checkpoints?namespace=${SHOP}`)).body.data.checkpoints;
  const stored = await snapshot();
  const snapshots = new Map<TestChain, unknown>();
  for (const chain of chains) snapshots.set(chain, await chain.rpc('evm_snapshot'));

  async function emit(service: string, day: string, count: number): Promise<Receipt[]> {
    const emitted: Receipt[] = [];
    for (let index = 0; index < count; index += 1) {
      clock.now = new Date(startOfDay(day).getTime() + (8.5 + index) * 3_600_000);
      const body = { eventType: 'order.changed', entityId: `order-${index}`, data: { index } };
      const answer = await ledger.call(`${service}-prod/acme`, 'POST', '/v1/events/emit', body);
      assert.equal(answer.status, 201, answer.text);
      emitted.push(answer.body.data.receipt);
    }
    return emitted;
  }

  /** @param onto of an operator who anchors nothing: none, as the ledger builds no batch whose root another one stands for */
  function activities(onto: readonly TestChain[] = chains) {
    const deps = {
      signer: createEnvSigner(Buffer.from(ANCHORER.privateKey.slice(2), 'hex')),
      pending: createPendingAnchorStore({ db }),
      now: () => new Date(),
      feeCapWei: 500n * 10n ** 9n,
      timing: { pollMs: 5, attemptMs: 5_000 },
    };
    const settings = { finality: 'confirmations', confirmations: 1, explorerUrl: null } as const;
    return createAnchoringActivities({
      ...ledger.night,
      // Without the thread, which takes longer to start than such a tree to build.
      trees: { build: async (eventHashes) => buildTree(eventHashes) },
      chains: onto.map(({ chainId, rpcUrl }) =>
        createAnchorChain({ ...settings, chainId, rpcUrls: [rpcUrl], contract }, deps),
      ),
      idOfKey,
      now: () => clock.now,
      platformOrg: 'platform',
    });
  }

  async function closeAndBatch(day = DAY, onto: readonly TestChain[] = chains): Promise<void> {
    clock.now = new Date(startOfDay(addDays(day, 1)).getTime() + 10 * 60_000);
    await worker().run(activities(onto).batchDay, day);
  }

  async function anchor(day = DAY, onto: readonly TestChain[] = chains): Promise<void> {
    const { anchorBatch } = activities();
    for (const { chainId } of onto) await worker().run(anchorBatch, { day, chainId });
  }

  async function night(day = DAY): Promise<void> {
    await closeAndBatch(day);
    await anchor(day);
  }

  async function snapshot() {
    const collections = (await db.collections()).filter(({ collectionName }) => !collectionName.startsWith('system.'));
    return await Promise.all(
      collections.map(async (collection) => ({ collection, documents: await collection.find().toArray() })),
    );
  }

  async function deleteAll(): Promise<void> {
    for (const collection of await db.collections()) await collection.deleteMany({});
  }

  async function restoreDatabase(): Promise<void> {
    await deleteAll();
    for (const { collection, documents } of stored) if (documents.length > 0) await collection.insertMany(documents);
    ledger.restart();
  }

  /** Whether the chains hold the root of the day as it was, for attacks that come after its night. */
  let isDayOver = false;

  async function restore(): Promise<void> {
    await restoreDatabase();
    isDayOver = false;
    for (const chain of chains) {
      await chain.rpc('evm_revert', snapshots.get(chain));
      snapshots.set(chain, await chain.rpc('evm_snapshot'));
    }
  }

  /** Events of the chain that are no closes. */
  async function shopEvents(): Promise<LedgerEvent[]> {
    const found: LedgerEvent[] = [];
    for await (const event of ledger.store.stream(SHOP, 0)) if (!isClose(event.eventType)) found.push(event);
    return found;
  }

  /** Writes the chain anew, and signs the checkpoint of the next hour anew; those kept in the ledger are gone. */
  async function rewrite(change: Change): Promise<readonly LedgerEvent[]> {
    const chain = rechained(CHANGES[change](await shopEvents()));
    await events.deleteMany({ namespace: SHOP });
    await events.insertMany(chain.map(eventDocument));
    await db.collection(LEDGER_COLLECTIONS.checkpoints).deleteMany({});
    return chain;
  }

  /** As if the night had been over the changed chain; the chains hold the root of before. */
  async function rewriteLate(change: Change): Promise<void> {
    if (!isDayOver) {
      await restore();
      await night();
      isDayOver = true;
    }
    await restoreDatabase();
    await rewrite(change);
    await closeAndBatch(DAY, []);
  }

  async function forgetBatch(): Promise<void> {
    await db.collection<{ _id: string }>(ANCHORING_COLLECTIONS.batches).deleteOne({ _id: DAY });
  }

  /** The leaf list as the ledger serves it now, in a file. */
  async function saveList(): Promise<string> {
    const { status, text } = await ledger.call(null, 'GET', `/v1/batches/${DAY}/leaves`);
    assert.equal(status, 200, text);
    return save('leaves', text);
  }

  function save(name: string, document: unknown): string {
    const path = join(folder, name);
    writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document));
    return path;
  }

  /** Receipt and checkpoint that the ledger gives others of a chain, as its operator has it now. */
  async function shownOf(chain: readonly LedgerEvent[], of: 'place' | 'end') {
    const last = of === 'end' ? at(chain, chain.length - 1) : at(chain, KEPT);
    const fields = { namespace: SHOP, size: last.chainIndex + 1, head: last.eventHash, time: NEXT_HOUR };
    const signed = save('shown-checkpoint', await signCheckpoint(fields, LEDGER, signer));
    const receipt = of === 'end' ? signed : save('shown-receipt', await signReceipt(last, signer));
    return { receipt, checkpoint: signed };
  }

  const sceneOf = async (changes: Partial<Scene> & { readonly receiptOf?: number } = {}): Promise<Scene> => {
    const { receiptOf = KEPT, ...rest } = changes;
    return {
      list: ['--ledger', ledger.address],
      contract,
      receipt: save('receipt', at(receipts, receiptOf)),
      checkpoint: save('checkpoint', { success: true, data: { checkpoints: [checkpoint] } }),
      ...rest,
      shown: rest.shown ?? (await shownOf(await shopEvents(), 'end')),
    };
  };

  /** The ledger's own chain goes to the published contract, and another one is told to some. */
  async function splitView(): Promise<{ list: readonly string[]; root: Hash; chain: readonly LedgerEvent[] }> {
    const chain = await rewrite('fork');
    await closeAndBatch();
    const list = await saveList();
    const root = (await ledger.batches.find(DAY))?.root ?? GENESIS_HASH;
    await restoreDatabase();
    await night();
    return { list: ['--leaves', list], root, chain };
  }

  async function dropFromDay(index: number): Promise<void> {
    await closeAndBatch();
    const batch = await ledger.batches.find(DAY);
    assert.ok(batch);
    const leaves: BatchLeaf[] = [];
    for await (const leaf of ledger.batches.leaves(DAY)) leaves.push(leaf);
    const kept = leaves.filter(({ namespace, chainIndex }) => namespace !== SHOP || chainIndex !== index);
    const eventHashes = Buffer.concat(kept.map(({ eventHash }) => fromHash(eventHash)));
    const tree = buildTree(eventHashes);
    const segments = kept.map(({ namespace, chainIndex }, firstLeafIndex) => {
      return { namespace, firstChainIndex: chainIndex, firstLeafIndex, count: 1 };
    });
    await forgetBatch();
    const changed = { ...batch, root: toHash(tree.nodes.subarray(0, 32)), leafCount: kept.length };
    await ledger.batches.insert(await signBatch(changed, LEDGER, signer), {
      segments,
      eventHashes,
      tree,
      eventIds: kept.map(({ eventId }) => eventId),
      orgSlugs: kept.map(({ orgSlug }) => orgSlug),
    });
    await anchor();
  }

  const attackers: Record<Exclude<Attack, Change | `${Change}Late`>, () => Promise<Scene>> = {
    withholdDay: () => sceneOf(),
    async dropFromDay() {
      await dropFromDay(2);
      return await sceneOf({ receiptOf: 2 });
    },
    async plantBatch() {
      await closeAndBatch();
      await db
        .collection<{ _id: string }>(ANCHORING_COLLECTIONS.batches)
        .updateOne({ _id: DAY }, { $set: { root: OTHER_ROOT }, $unset: { signature: '' } });
      await night();
      return await sceneOf();
    },
    async deleteBatch() {
      await night();
      await forgetBatch();
      return await sceneOf();
    },
    async splitChains() {
      const [one, two] = chains;
      await closeAndBatch();
      await anchor(DAY, [one]);
      await anchorRoot(two, OTHER_ROOT, DAY, contract);
      return await sceneOf();
    },
    async splitContracts() {
      const { list, root } = await splitView();
      for (const chain of chains) await anchorRoot(chain, root, DAY, otherContract);
      return await sceneOf({ list });
    },
    async splitContractsBelieved() {
      return { ...(await attackers.splitContracts()), contract: otherContract };
    },
    async splitReaders() {
      const { list, chain } = await splitView();
      return await sceneOf({ list, shown: await shownOf(chain, 'place') });
    },
    async stolenAnchorer() {
      for (const chain of chains) await anchorRoot(chain, OTHER_ROOT, DAY, contract);
      await assert.rejects(closeAndBatch(), { code: 'ANCHOR_REFUSED' });
      return await sceneOf();
    },
    async stolenSigner() {
      await night();
      const forged = rechained(CHANGES.fork(await shopEvents()));
      return await sceneOf({ shown: await shownOf(forged, 'place') });
    },
    async deleteAll() {
      await night();
      const scene = await sceneOf();
      await deleteAll();
      return scene;
    },
  };

  return {
    key: verifierKey(LEDGER, at(signer.keys, 0)),
    nodes: chains.flatMap(({ rpcUrl }) => ['--rpc', rpcUrl]),
    /** Carries an attack out, on the ledger as it was before the night of the day, and has the night after it. */
    async carryOut(attack: Attack): Promise<Scene> {
      if (isAttacker(attack)) {
        await restore();
        return await attackers[attack]();
      }
      const [change, isLate] = changeOf(attack);
      if (isLate) {
        await rewriteLate(change);
        return await sceneOf();
      }
      await restore();
      const chain = await rewrite(change);
      await night();
      return await sceneOf({ shown: await shownOf(chain, change === 'fork' ? 'place' : 'end') });
    },
    /** Of the day, which makes a batch that was lost again. */
    night: () => night(),
    /** What nobody did anything to. */
    async goodDay(): Promise<Scene> {
      await restore();
      await night();
      return await sceneOf();
    },
    saveList,
    deleteAll,
    async stop(): Promise<void> {
      await Promise.all([ledger.stop(), ...chains.map((chain) => chain.stop())]);
      rmSync(folder, { recursive: true });
    },
  };

  function isAttacker(attack: Attack): attack is keyof typeof attackers {
    return attack in attackers;
  }
}

function changeOf(attack: Change | `${Change}Late`): readonly [Change, boolean] {
  const isChange = (name: string): name is Change => name in CHANGES;
  if (isChange(attack)) return [attack, false];
  const change = attack.replace(/Late$/, '');
  assert.ok(isChange(change));
  return [change, true];
}

/** Indexes, links and hashes anew, from the first event on. */
function rechained(events: readonly LedgerEvent[]): readonly LedgerEvent[] {
  let prevHash = GENESIS_HASH;
  return events.map((event, chainIndex) => {
    const moved = { ...event, chainIndex, prevHash };
    prevHash = hashOfEvent(moved);
    return { ...moved, eventHash: prevHash };
  });
}

/** A contract of the same code at another address, as its owner is another. */
async function deployOther(chains: readonly TestChain[]): Promise<string> {
  const artifact = await anchorRegistryArtifact(process.env, silentReporter);
  let address = '';
  for (const { provider, rpc, owner: from } of chains) {
    const send = async (transaction: { to: string; data: string }): Promise<void> => {
      await rpc('eth_sendTransaction', { ...transaction, from });
      await rpc('evm_mine');
    };
    const code = (at: string) => provider.getCode(at);
    address = await deployAnchorRegistry({ code, send }, artifact, {
      owner: ANCHORER.address,
      anchorer: ANCHORER.address,
    });
  }
  return address;
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  assert.ok(found !== undefined);
  return found;
}
