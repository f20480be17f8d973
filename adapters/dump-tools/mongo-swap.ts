import type { Filter, MongoClient } from 'mongodb';
import type { Figures } from '../../domain/backups/backup.ts';
import { compareFigures } from '../../domain/backups/verification.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type SwapRecord, scratchesOf, swapsOf } from '../mongodb-server/own-databases.ts';
import { closeDatabase, openDatabase } from '../mongodb-server/service-role.ts';
import { countDocuments, isEmpty } from './mongo-figures.ts';
import { type MongoTools, namespacesOf } from './mongo-tools.ts';

/** A database whose place another one takes. */
export interface SwapNames {
  readonly live: string;
  readonly scratch: string;
  readonly kept: string;
}

export interface SwapParts {
  readonly client: MongoClient;
  readonly tools: MongoTools;
  readonly signal: AbortSignal;
}

/**
 * Puts a scratch database in the place of a live one, which is kept. MongoDB renames no databases, so both are copied, and a
 * record on the server says how far it is; nobody of the service reaches the database meanwhile. Until the record says
 * `replacing`, what is live is as it was; from then on the old and the new one are both there whole, under the names of the
 * kept and the scratch database, whatever is live. So a call that was killed anywhere is made up for by the next one, which
 * goes on, or by {@link undoSwap}, which goes back. Done already, it changes nothing of what is live.
 * @throws RESTORE_FAILED where there is nothing to swap, or a copy is not what it was made of
 */
export async function swapDatabases(parts: SwapParts, names: SwapNames): Promise<void> {
  const { client } = parts;
  const { live, scratch, kept } = names;
  // What an earlier restore has left half done is not to be kept.
  await undo(parts, { live, _id: { $ne: kept } });
  const phase = await begin(client, names);
  if (phase !== 'done') {
    await closeDatabase(client, live);
    if (phase === 'keeping') {
      await copyDatabase(parts, live, kept);
      await setPhase(client, kept, 'replacing');
    }
    await copyDatabase(parts, scratch, live);
    await setPhase(client, kept, 'done');
  }
  // A call that was killed may have left it closed.
  await openDatabase(client, live);
  await client.db(scratch).dropDatabase();
  await scratchesOf(client).deleteOne({ _id: scratch });
}

/**
 * Opens a live database that a swap or a restore in place has left closed. What a swap was replacing is put back before,
 * from the copy, so that it is as it was. Idempotent.
 */
export async function undoSwap(parts: SwapParts, live: string): Promise<void> {
  await undo(parts, { live });
  await openDatabase(parts.client, live);
}

async function undo(parts: SwapParts, which: Filter<SwapRecord>): Promise<void> {
  const { client } = parts;
  const begun = await swapsOf(client)
    .find({ ...which, phase: { $ne: 'done' } })
    .toArray();
  for (const { _id: kept, live, phase } of begun) {
    if (phase === 'replacing') await copyDatabase(parts, kept, live);
    if (phase !== 'overwriting') await client.db(kept).dropDatabase();
    await swapsOf(client).deleteOne({ _id: kept });
  }
}

/** Closes a database whose documents a restore overwrites. Idempotent. */
export async function beginOverwriting(parts: SwapParts, live: string): Promise<void> {
  const { client } = parts;
  await undo(parts, { live });
  const record: Omit<SwapRecord, '_id'> = { live, scratch: '', phase: 'overwriting' };
  await swapsOf(client).updateOne({ _id: overwritingId(live) }, { $set: record }, { upsert: true });
  await closeDatabase(client, live);
}

/** Opens it again, whatever is in it. Idempotent. */
export async function endOverwriting({ client }: Pick<SwapParts, 'client'>, live: string): Promise<void> {
  await swapsOf(client).deleteOne({ _id: overwritingId(live) });
  await openDatabase(client, live);
}

/** It keeps no database, so its record has the name of none. */
function overwritingId(live: string): string {
  return `in place: ${live}`;
}

/** @throws DUMP_FAILED for a database of which half is another one: a copy of it would be no backup */
export async function requireWhole(client: MongoClient, live: string): Promise<void> {
  if ((await swapsOf(client).findOne({ live, phase: { $in: ['replacing', 'overwriting'] } })) === null) return;
  throw new FairleadError('DUMP_FAILED', `A restore of ${live} was broken off: restore a backup of it first`);
}

/** @returns how far the swap is */
async function begin(client: MongoClient, { live, scratch, kept }: SwapNames): Promise<SwapRecord['phase']> {
  const found = await swapsOf(client).findOne({ _id: kept });
  if (found !== null && (found.live !== live || found.scratch !== scratch)) {
    throw new FairleadError('RESTORE_FAILED', `${kept} keeps another database than ${live}: nothing was swapped`);
  }
  if (found?.phase === 'done') return 'done';
  if ((await scratchesOf(client).findOne({ _id: scratch })) === null) {
    throw new FairleadError('RESTORE_FAILED', `The database ${scratch} is not there: nothing was swapped`);
  }
  if (found !== null) return found.phase;
  await swapsOf(client).insertOne({ _id: kept, live, scratch, phase: 'keeping' });
  return 'keeping';
}

async function setPhase(client: MongoClient, kept: string, phase: SwapRecord['phase']): Promise<void> {
  await swapsOf(client).updateOne({ _id: kept }, { $set: { phase } });
}

/** Makes one database what another one is, which nobody writes meanwhile. @throws RESTORE_FAILED when it is not */
async function copyDatabase({ client, tools, signal }: SwapParts, from: string, to: string): Promise<void> {
  await client.db(to).dropDatabase();
  if (await isEmpty(client, from)) return;
  const names = [`--nsInclude=${namespacesOf(from)}`, `--nsFrom=${namespacesOf(from)}`, `--nsTo=${namespacesOf(to)}`];
  await tools.dump([`--db=${from}`], (archive) => tools.restore(names, archive, signal), signal);
  requireSame(await countDocuments(client, from), await countDocuments(client, to), to);
}

function requireSame(before: Figures, after: Figures, database: string): void {
  const difference = compareFigures(before, after);
  if (difference !== null) throw new FairleadError('RESTORE_FAILED', `${database}: ${difference.message}`);
}
