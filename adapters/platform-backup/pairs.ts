import type { Db, Document } from 'mongodb';
import { z } from 'zod';
import { EPOCH_STEP } from '../../domain/deploys/epoch.ts';
import { mongoCall } from '../mongo/connect.ts';
import { EMPTY_HEAD } from '../mongo/deploys/build-logs.ts';
import { COLLECTIONS as DEPLOYS } from '../mongo/deploys/indexes.ts';
import { COLLECTIONS as MONITORS } from '../mongo/monitors/indexes.ts';
import { LAST_NUMBER } from '../mongo/monitors/monitors.ts';
import { COLLECTIONS as WALLET } from '../mongo/wallet/indexes.ts';

/**
 * Collections of one database of which one counts what the other has. A backup that is not of one moment may have the counter of before
 * and documents of after: a number would be given twice, and the second one refused.
 */
interface CountedPair {
  readonly counter: string;
  /** Dotted: where a document of the counter has the last number. */
  readonly last: string;
  readonly counted: string;
  /** Which field of a counted document has its number. */
  readonly number: string;
  /** Fields that name the counter of a document, in the order in which its id has them with `/` between; none: there is one counter. */
  readonly by: readonly string[];
  readonly mend: Mend;
}

type Mend =
  /** The counter goes on behind the highest number that there is. */
  | {
      readonly kind: 'raise';
      /** Numbers are handed out in steps of so many. */
      readonly step: number;
      /** What else a counter has that is not there at all. */
      readonly begin: Document;
    }
  /** The counter has more than a number, so that what it does not know of goes. */
  | { readonly kind: 'drop' };

const byTarget = { counter: DEPLOYS.epochs, last: 'epoch', by: ['service', 'environment'] } as const;
const toEpoch = { kind: 'raise', step: EPOCH_STEP, begin: {} } as const;

/** Every such pair whose counter is not read after what it counts. */
const PAIRS: readonly CountedPair[] = [
  // The account has the balances with its newest entry: later movements are of after the backup.
  {
    ...{ counter: WALLET.accounts, last: 'last.sequence', by: ['org'], mend: { kind: 'drop' } },
    ...{ counted: WALLET.entries, number: 'sequence' },
  },
  { ...byTarget, counted: DEPLOYS.builds, number: 'epoch', mend: toEpoch },
  { ...byTarget, counted: DEPLOYS.releases, number: 'epoch', mend: toEpoch },
  { ...byTarget, counted: DEPLOYS.releases, number: 'withdrawnEpoch', mend: toEpoch },
  {
    ...{ counter: DEPLOYS.buildLogHeads, last: 'seq', by: ['buildId'] },
    ...{ counted: DEPLOYS.buildLogs, number: 'seq', mend: { kind: 'raise', step: 1, begin: EMPTY_HEAD } },
  },
  {
    ...{ counter: MONITORS.numbers, last: 'number', by: [] },
    ...{ counted: MONITORS.monitors, number: 'number', mend: { kind: 'raise', step: 1, begin: {} } },
  },
];

const highestSchema = z.object({ _id: z.record(z.string(), z.string()).nullable(), highest: z.number().nullable() });

/** Makes the pairs of a restored database fit each other. Idempotent; in one that fits it changes nothing. @throws UNAVAILABLE */
export async function mendPairs(db: Db): Promise<void> {
  for (const pair of PAIRS) await mendPair(db, pair);
}

async function mendPair(db: Db, { counter, last, counted, number, by, mend }: CountedPair): Promise<void> {
  const counters = db.collection<{ _id: string }>(counter);
  const names = by.length === 0 ? null : Object.fromEntries(by.map((field) => [field, `$${field}`]));
  const group = { $group: { _id: names, highest: { $max: `$${number}` } } };
  const groups = db.collection(counted).aggregate([group]);
  for (const found of await mongoCall(() => groups.toArray())) {
    const { _id: named, highest } = highestSchema.parse(found);
    if (highest === null) continue;
    const id = named === null ? LAST_NUMBER : by.map((field) => named[field]).join('/');
    if (mend.kind === 'raise') {
      const reached = Math.floor(highest / mend.step) * mend.step;
      const raised = { $max: { [last]: reached }, $setOnInsert: mend.begin };
      await mongoCall(() => counters.updateOne({ _id: id }, raised, { upsert: true }));
      continue;
    }
    const known = await mongoCall(() => counters.findOne({ _id: id }));
    const reached = z.number().parse(last.split('.').reduce<unknown>(fieldOf, known) ?? 0);
    if (highest > reached) {
      await mongoCall(() => db.collection(counted).deleteMany({ ...named, [number]: { $gt: reached } }));
    }
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return (value as Document | null | undefined)?.[name];
}
