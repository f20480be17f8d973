import type { Collection, Db } from 'mongodb';
import { FairleadError } from '../../../domain/errors.ts';
import { emptyCondition } from '../../../domain/monitors/apply-result.ts';
import type { Condition } from '../../../domain/monitors/condition.ts';
import type { ConditionStore } from '../../../domain/monitors/ports.ts';
import { mongoCall } from '../connect.ts';
import { insertMissing } from '../insert-new.ts';
import { type ConditionDocument, readCondition } from './condition-document.ts';
import { COLLECTIONS } from './indexes.ts';

/** Documents of one command. */
const AT_ONCE = 500;

/**
 * Conditions in MongoDB: one document a monitor, with the fence of whoever may write it. Each write names the fence, so that
 * the holder that was replaced is refused at every single document.
 */
export function createConditionStore({ db }: { readonly db: Db }): ConditionStore {
  const collection: Collection<ConditionDocument> = db.collection(COLLECTIONS.conditions);
  const read = async (ids: readonly string[]) => {
    const documents = await mongoCall(() => collection.find({ _id: { $in: [...ids] } }).toArray());
    return documents.map(readCondition);
  };
  return {
    async find(monitorIds) {
      const found = await inParts(monitorIds, read);
      return new Map(found.map(({ condition }) => [condition.monitorId, condition]));
    },
    async claim(monitorIds, fence) {
      const found = await inParts(monitorIds, async (ids) => {
        await takeOver(collection, ids, fence);
        return read(ids);
      });
      if (found.some((each) => each.fence !== fence)) throw replaced();
      return new Map(found.map(({ condition }) => [condition.monitorId, condition]));
    },
    async write(conditions, fence) {
      await inParts(conditions, async (part) => {
        const updates = part.map(({ monitorId, ...fields }) => ({
          updateOne: { filter: { _id: monitorId, fence }, update: { $set: fields } },
        }));
        const { matchedCount } = await mongoCall(() => collection.bulkWrite(updates, { ordered: false }));
        if (matchedCount !== part.length) throw replaced();
        return [];
      });
    },
    async remove(monitorId) {
      await mongoCall(() => collection.deleteOne({ _id: monitorId }));
    },
  };
}

async function takeOver(collection: Collection<ConditionDocument>, ids: readonly string[], fence: number) {
  const older = { _id: { $in: [...ids] }, fence: { $lt: fence } };
  await mongoCall(() => collection.updateMany(older, { $set: { fence } }));
  const known = await mongoCall(() =>
    collection.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray(),
  );
  const there = new Set(known.map(({ _id }) => _id));
  const missing = ids.filter((id) => !there.has(id)).map((id) => documentOf(emptyCondition(id), fence));
  // Where another holder made one, its fence is found by the read that follows.
  await insertMissing(collection, missing);
}

function documentOf({ monitorId, ...fields }: Condition, fence: number): ConditionDocument {
  return { _id: monitorId, fence, ...fields };
}

async function inParts<T, R>(items: readonly T[], each: (part: readonly T[]) => Promise<readonly R[]>): Promise<R[]> {
  const all: R[] = [];
  for (let first = 0; first < items.length; first += AT_ONCE) {
    for (const result of await each(items.slice(first, first + AT_ONCE))) all.push(result);
  }
  return all;
}

function replaced(): FairleadError {
  return new FairleadError('CONFLICT', 'Another worker checks these monitors now; this one stops.');
}
