import { type Collection, type Db, MongoNetworkError, MongoServerError } from 'mongodb';
import type { EventDocument } from '../../../../adapters/mongo/audit-ledger/event-document.ts';
import { LEDGER_COLLECTIONS } from '../../../../adapters/mongo/audit-ledger/indexes.ts';

const INTERRUPTED_BY_FAILOVER = 11_602;

/**
 * What becomes of an ordered write: `kept` of its documents are stored, by one member `alone` or by a majority, and then
 * the connection is cut. Null: nothing goes wrong.
 */
export type WriteFault = { readonly kept: number; readonly alone: boolean } | null;

/**
 * A database whose events are on several members, one of which answers: what it has alone is lost when it fails over. Plain
 * reads show it, as those of a replica set do; a linearizable read waits for a majority, finds that there is none, and the
 * member steps down. No replica set can be had here: its rules are laid over the one server that can.
 */
export function createFailingMembers(db: Db) {
  const events = db.collection<EventDocument>(LEDGER_COLLECTIONS.events);
  const alone = new Set<string>();
  const state = {
    /** Asked before each write of that many events. */
    fault: (_count: number): WriteFault => null,
    /** Whether the member fails over before the next write, when it has events alone; else the others catch up. */
    failsOver: () => true,
    /** What another member, which has taken over by then, does before it answers a linearizable read; null: nobody has. */
    tookOver: null as (() => Promise<unknown>) | null,
  };
  // A primary does one thing after the other.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  async function stepDown(): Promise<void> {
    await events.deleteMany({ _id: { $in: [...alone] } });
    alone.clear();
  }

  async function insertMany(documents: EventDocument[]): Promise<unknown> {
    if (alone.size > 0 && state.failsOver()) await stepDown();
    alone.clear();
    const fault = state.fault(documents.length);
    if (fault === null) return await events.insertMany(documents, { ordered: true });
    const kept = documents.slice(0, fault.kept);
    if (kept.length > 0) await events.insertMany(kept, { ordered: true });
    if (fault.alone) for (const { _id } of kept) alone.add(_id);
    throw new MongoNetworkError('connection cut');
  }

  async function findOne(...[filter, options]: Parameters<typeof events.findOne>): Promise<unknown> {
    if (options?.readConcern === 'linearizable' && alone.size > 0) {
      await stepDown();
      if (state.tookOver !== null) {
        await state.tookOver();
        return await events.findOne(filter ?? {});
      }
      throw new MongoServerError({ message: 'interrupted', code: INTERRUPTED_BY_FAILOVER });
    }
    // The rule above is all there is to it: the server would refuse the read concern, and be asked a second time.
    const { readConcern: _, ...others } = options ?? {};
    return await events.findOne(filter ?? {}, others);
  }

  const failing: object = {
    insertMany: (documents: EventDocument[]) => inTurn(() => insertMany(documents)),
    findOne: (...args: Parameters<typeof events.findOne>) => inTurn(() => findOne(...args)),
  };
  const members = new Proxy(db, {
    get(target, property) {
      if (property !== 'collection') return Reflect.get(target, property, target);
      return (name: string) => (name === LEDGER_COLLECTIONS.events ? overlaid(events, failing) : db.collection(name));
    },
  });
  return { db: members, state };
}

function overlaid<T extends object>(collection: Collection<EventDocument>, methods: object): T {
  return new Proxy(collection, {
    get(target, property) {
      const found = Reflect.get(property in methods ? methods : target, property);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  }) as unknown as T;
}
