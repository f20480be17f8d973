import { randomUUID } from 'node:crypto';
import type { Filter, MongoClient } from 'mongodb';
import type { Figures } from '../../domain/backups/backup.ts';
import type { SwapNames } from '../../domain/backups/ports.ts';
import { compareFigures } from '../../domain/backups/verification.ts';
import { FairleadError, isRetryable } from '../../domain/errors.ts';
import { closeDatabase, openDatabase } from '../mongodb-server/close-database.ts';
import { BACKUPS_DATABASE, type SwapRecord, scratchesOf, swapsOf } from '../mongodb-server/own-databases.ts';
import { notMeant } from './is-meant.ts';
import { countDocuments, isEmpty, sumOf } from './mongo-figures.ts';
import { asRestorer, endRestorers, endRestorersOf, type RestorerParts } from './mongo-restorer.ts';
import { isElsewhere, requireHeld, setPhase } from './mongo-swap-record.ts';
import { namespacesOf } from './mongo-tools.ts';

export interface SwapParts extends RestorerParts {
  /** How long a call that was killed while it closed or opened a database keeps others from that; see `gate.ts`. */
  readonly patienceMs?: number | undefined;
}

/**
 * Puts a scratch database in the place of a live one, which is kept. MongoDB renames no databases, so both are copied, and a
 * record on the server says how far it is; nobody of the service reaches the database meanwhile. Until the record says
 * `replacing`, what is live is as it was; from then on the old and the new one are both there whole, under the names of the
 * kept and the scratch database, whatever is live. So a call that was killed anywhere is made up for by the next one, which
 * goes on, or by {@link undoSwap}, which goes back. Done already, it changes nothing of what is live.
 *
 * A call that was paused may live on beside the next one. The record names the one that goes on; each asks it before it closes,
 * opens or empties a database, and empties none whose replacement is not there as the record knows it. It empties and writes as a user
 * of its own (`mongo-restorer.ts`), which the next one drops.
 * @throws RESTORE_FAILED where there is nothing to swap, or a copy is not what it was made of; CONFLICT (retryable) when
 *   another call goes on with it
 */
export async function swapDatabases(parts: SwapParts, names: SwapNames): Promise<void> {
  const { client } = parts;
  const { live, scratch, kept } = names;
  // What an earlier restore has left half done is not to be kept.
  await undo(parts, { live, _id: { $ne: kept } });
  const record = await begin(parts, names);
  if (record.phase !== 'done') {
    await close(parts, record);
    if (record.phase === 'keeping') {
      const keptSum = await copyDatabase(parts, record, { from: live, to: kept, sum: null });
      await setPhase(client, record, { phase: 'replacing', keptSum });
    }
    await copyDatabase(parts, record, { from: scratch, to: live, sum: record.scratchSum });
    await setPhase(client, record, { phase: 'done' });
  }
  // A call that was killed may have left it closed.
  await openWhole(parts, live);
  await client.db(scratch).dropDatabase();
  await scratchesOf(client).deleteOne({ _id: scratch });
}

/**
 * Ends a swap that nobody goes on with: a call of it that was paused changes nothing any more. Unless it was done, what is live
 * is as it was, or as a later restore has made it. Idempotent.
 * @returns whether it was done. @throws UNAVAILABLE (retryable) when what it has replaced in part could not be put back
 */
export async function endSwap(parts: SwapParts, { live, scratch, kept }: SwapNames): Promise<boolean> {
  const { client } = parts;
  // First: from now on no call begins it.
  await scratchesOf(client).deleteOne({ _id: scratch });
  await undo(parts, { live, _id: kept });
  const done = await swapsOf(client).findOne({ live, _id: kept, phase: 'done' });
  await openWhole(parts, live);
  await client.db(scratch).dropDatabase();
  return done !== null;
}

/**
 * Opens a live database that a swap or a restore in place has left closed. What a swap was replacing is put back before,
 * from the copy, so that it is as it was. Idempotent.
 * @throws UNAVAILABLE (retryable) when it could not be put back: it stays closed until it is
 */
export async function undoSwap(parts: SwapParts, live: string): Promise<void> {
  await undo(parts, { live });
  await openWhole(parts, live);
}

async function undo(parts: SwapParts, which: Filter<SwapRecord>): Promise<void> {
  const { client } = parts;
  const isBegun: Filter<SwapRecord> = { ...which, phase: { $ne: 'done' } };
  for (const { _id } of await swapsOf(client).find(isBegun).toArray()) {
    const record = await swapsOf(client).findOneAndUpdate(
      { _id, phase: { $ne: 'done' } },
      { $set: { attempt: randomUUID() } },
      { returnDocument: 'after' },
    );
    // Another call has ended it meanwhile.
    if (record === null) continue;
    await endRestorers(parts, record);
    if (record.phase === 'replacing') await putBack(parts, record);
    if (record.phase !== 'overwriting') await dropKept(parts, record);
    await swapsOf(client).deleteOne({ _id, attempt: record.attempt });
  }
}

/** The copy of what is live, which is as it was. */
async function dropKept(parts: SwapParts, record: SwapRecord): Promise<void> {
  await asRestorer(parts, { record, database: record._id }, ({ client }) => client.db(record._id).dropDatabase());
}

async function putBack(parts: SwapParts, record: SwapRecord): Promise<void> {
  const { _id: kept, live, keptSum } = record;
  try {
    await copyDatabase(parts, record, { from: kept, to: live, sum: keptSum });
  } catch (cause) {
    if (isRetryable(cause)) throw cause;
    // Given up, it would stay closed, and half of it another one: so it is tried again, whatever was said.
    const why = cause instanceof FairleadError ? `: ${cause.message}` : '';
    const remedy = `To open it as it is, delete the row ${kept} of swaps in ${BACKUPS_DATABASE}`;
    const text = `${live} could not be put back from ${kept}, and is closed until it is${why}. ${remedy}`;
    throw new FairleadError('UNAVAILABLE', text, { system: 'mongodb', retryable: true, cause });
  }
  // What is live is as it was, and needs no copy: a call that goes on from here must not take what is left of it for one.
  await setPhase(parts.client, record, { phase: 'keeping' });
}

/**
 * Closes a database whose documents a restore overwrites. Idempotent.
 * @param isMeant asked once whoever ends the restore finds it on record, and before anybody is kept out
 * @throws CONFLICT, retryable when another call does, or has ended this one
 */
export async function beginOverwriting(
  parts: SwapParts,
  live: string,
  isMeant: () => Promise<boolean>,
): Promise<SwapRecord> {
  const { client } = parts;
  await undo(parts, { live });
  const fields = {
    live,
    scratch: '',
    phase: 'overwriting',
    attempt: randomUUID(),
    scratchSum: '',
    keptSum: '',
  } as const;
  const _id = overwritingId(live);
  await swapsOf(client).updateOne({ _id }, { $set: fields }, { upsert: true });
  const record = { _id, ...fields };
  await endRestorers(parts, record);
  if (!(await isMeant())) {
    await endOverwriting(parts, record);
    throw notMeant(live);
  }
  await close(parts, record);
  await requireHeld(client, record);
  return record;
}

/** Opens it again, whatever is in it, unless another call overwrites it by now. Idempotent. */
export async function endOverwriting(parts: SwapParts, { _id, attempt, live }: SwapRecord): Promise<void> {
  // The server may be at work still for a tool that was ended.
  await endRestorersOf(parts, { live, attempt });
  await swapsOf(parts.client).deleteOne({ _id, attempt });
  await openWhole(parts, live);
}

/** It keeps no database, so its record has the name of none. */
function overwritingId(live: string): string {
  return `in place: ${live}`;
}

/** Nobody of the service reaches the database, unless another call goes on with the record by now. */
async function close({ client, signal, patienceMs }: SwapParts, record: SwapRecord): Promise<void> {
  const isMeant = () => requireHeld(client, record).then(() => true);
  await closeDatabase(client, record.live, { signal, patienceMs, isMeant });
}

/** Opens a database that no restore has under way: the end of one that was paused does not open what another one replaces. */
async function openWhole({ client, signal, patienceMs }: SwapParts, live: string): Promise<void> {
  const isMeant = async () => (await swapsOf(client).findOne({ live, phase: { $ne: 'done' } })) === null;
  // Before it has its turn, which another call may need.
  if (await isMeant()) await openDatabase(client, live, { signal, patienceMs, isMeant });
}

/** @throws DUMP_FAILED for a database of which half is another one: a copy of it would be no backup */
export async function requireWhole(client: MongoClient, live: string): Promise<void> {
  if ((await swapsOf(client).findOne({ live, phase: { $in: ['replacing', 'overwriting'] } })) === null) return;
  throw new FairleadError('DUMP_FAILED', `A restore of ${live} was broken off: restore a backup of it first`);
}

/** @returns the record, which names this call from now on, unless it is done */
async function begin(parts: SwapParts, { live, scratch, kept }: SwapNames): Promise<SwapRecord> {
  const { client } = parts;
  const found = await swapsOf(client).findOne({ _id: kept });
  if (found !== null && (found.live !== live || found.scratch !== scratch)) {
    throw new FairleadError('RESTORE_FAILED', `${kept} keeps another database than ${live}: nothing was swapped`);
  }
  if (found?.phase === 'done') return found;
  const restored = await scratchesOf(client).findOne({ _id: scratch });
  if (restored === null) throw isGone(scratch);
  const first = { live, scratch, phase: 'keeping', scratchSum: restored.sum, keptSum: '' } as const;
  const record = await swapsOf(client).findOneAndUpdate(
    { _id: kept },
    { $setOnInsert: first, $set: { attempt: randomUUID() } },
    { upsert: true, returnDocument: 'after' },
  );
  if (record === null) throw isElsewhere(live);
  // Ended meanwhile, it must not begin anew.
  if ((await scratchesOf(client).findOne({ _id: scratch })) === null) {
    await swapsOf(client).deleteOne({ _id: kept, attempt: record.attempt });
    throw isGone(scratch);
  }
  await endRestorers(parts, record);
  return record;
}

function isGone(scratch: string): FairleadError {
  return new FairleadError('RESTORE_FAILED', `The database ${scratch} is not there: nothing was swapped`);
}

/**
 * Makes one database what another one is, which nobody writes meanwhile.
 * @param sum of what the other one has; null when that is not known
 * @returns the sum of what both have. @throws RESTORE_FAILED when they differ, and before anything is dropped when the
 *   other one is not what it was
 */
async function copyDatabase(
  parts: SwapParts,
  record: SwapRecord,
  { from, to, sum }: { readonly from: string; readonly to: string; readonly sum: string | null },
): Promise<string> {
  const { client, tools, signal } = parts;
  if (sum !== null && sumOf(await countDocuments(client, from)) !== sum) {
    throw new FairleadError('RESTORE_FAILED', `${from} is not what it was any more: ${to} was not replaced by it`);
  }
  await asRestorer(parts, { record, database: to }, async (restorer) => {
    await restorer.client.db(to).dropDatabase();
    if (await isEmpty(client, from)) return;
    const names = [`--nsInclude=${namespacesOf(from)}`, `--nsFrom=${namespacesOf(from)}`, `--nsTo=${namespacesOf(to)}`];
    await tools.dump([`--db=${from}`], (archive) => restorer.tools.restore(names, archive, signal), signal);
  });
  const [before, after] = [await countDocuments(client, from), await countDocuments(client, to)];
  requireSame(before, after, to);
  // Somebody emptied both.
  if (sum !== null && sumOf(after) !== sum) throw new FairleadError('RESTORE_FAILED', `${to}: its source was changed`);
  return sumOf(after);
}

function requireSame(before: Figures, after: Figures, database: string): void {
  const difference = compareFigures(before, after);
  if (difference !== null) throw new FairleadError('RESTORE_FAILED', `${database}: ${difference.message}`);
}
