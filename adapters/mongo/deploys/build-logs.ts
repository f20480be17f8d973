import type { Db } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import type { BuildLog } from '../../../domain/deploys/build-store.ts';
import {
  bytesOf,
  capNotice,
  cutLine,
  DEFAULT_LOG_LIMITS,
  fittingPrefix,
  type LogLimits,
  reserveOf,
} from '../../../domain/logs/log-limits.ts';
import type { LogLine, NewLogLine } from '../../../domain/logs/log-line.ts';
import { insertOnce, isDuplicateKey, mongoCall } from '../connect.ts';
import { readLogLine } from './documents.ts';
import { COLLECTIONS } from './indexes.ts';

/**
 * Build logs in MongoDB. A head document for each build hands out sequence numbers: a writer reserves a range with one
 * conditional `$inc`, then inserts its lines, so two writers never share a number and lines of one call stay together.
 * Ranges are counted from the document as it was *before* the update: what the embedded stand-in returns as "after"
 * can already hold a later writer's increment.
 *
 * A reader that meets a missing number cannot know whether its writer is slow or dead. It waits: lines behind a gap
 * are held back until the first of them is {@link GAP_PATIENCE_MS} old, then the gap is passed over. A writer slower
 * than that has its lines in the full log, though a reader who follows live may have gone by.
 */

interface HeadDocument {
  readonly _id: string;
  readonly seq: number;
  readonly bytes: number;
  readonly capped: boolean;
  readonly tailLines: number;
  readonly tailErrors: number;
  /** Keys of what is written once. */
  readonly once?: readonly string[];
}

interface LineDocument extends LogLine {
  readonly buildId: string;
  /** When the writer reserved it; tells how old a gap before it is. */
  readonly reservedAt: Date;
}

export const GAP_PATIENCE_MS = 2_000;

const EMPTY_RESERVES = { tailLines: 0, tailErrors: 0 } as const;

/** What a head has before any line, but for its number. */
export const EMPTY_HEAD = { bytes: 0, capped: false, ...EMPTY_RESERVES } as const;

export function createBuildLog(deps: { db: Db; now: Clock; limits?: LogLimits }): BuildLog {
  const { now, limits = DEFAULT_LOG_LIMITS } = deps;
  const heads = deps.db.collection<HeadDocument>(COLLECTIONS.buildLogHeads);
  const rows = deps.db.collection<LineDocument>(COLLECTIONS.buildLogs);

  async function head(buildId: string): Promise<HeadDocument> {
    const found = await mongoCall(() => heads.findOne({ _id: buildId }));
    if (found !== null) return found;
    await insertOnce(heads, buildId, { seq: 0, ...EMPTY_HEAD });
    return head(buildId);
  }

  async function insert(buildId: string, lines: readonly NewLogLine[], lastSeq: number): Promise<void> {
    const firstSeq = lastSeq - lines.length + 1;
    const reservedAt = now();
    const documents = lines.map(({ time, step, level, text }, index) => {
      return { buildId, seq: firstSeq + index, time, step, level, text, reservedAt };
    });
    await mongoCall(() => rows.insertMany(documents));
  }

  /** What a head must have so that these lines fit. */
  function roomFor(buildId: string, lines: readonly NewLogLine[], bytes: number) {
    const [seq, kept] = [{ $lte: limits.lines - lines.length }, { $lte: limits.bytes - bytes }];
    return { _id: buildId, capped: false, seq, bytes: kept };
  }

  /**
   * Reserves numbers for all of the lines in one call, and makes the head where there is none. Lines under a key come once.
   * @returns the number before the first; null when not all fit, or the key is known
   */
  async function reserveForAll(buildId: string, lines: readonly NewLogLine[], once?: string): Promise<number | null> {
    if (fittingPrefix(lines, { seq: 0, bytes: 0 }, limits).length < lines.length) return null;
    const bytes = bytesOf(lines);
    const [isNew, keep] = once === undefined ? [{}, {}] : [{ once: { $ne: once } }, { $push: { once } }];
    try {
      const { value } = await mongoCall(() =>
        heads.findOneAndUpdate(
          { ...roomFor(buildId, lines, bytes), ...isNew },
          { $inc: { seq: lines.length, bytes }, $setOnInsert: EMPTY_RESERVES, ...keep },
          { returnDocument: 'before', upsert: true, includeResultMetadata: true },
        ),
      );
      return value?.seq ?? 0;
    } catch (error) {
      // There is a head that does not fit the filter.
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  /** Reserves numbers for as many of the lines as fit and stores them. @returns the lines that did not fit. */
  async function appendWithinCap(buildId: string, lines: readonly NewLogLine[]): Promise<readonly NewLogLine[]> {
    for (;;) {
      const before = await head(buildId);
      const fitting = before.capped ? [] : fittingPrefix(lines, before, limits);
      if (fitting.length === 0) return lines;
      const bytes = bytesOf(fitting);
      const reserved = await mongoCall(() =>
        heads.findOneAndUpdate(
          roomFor(buildId, fitting, bytes),
          { $inc: { seq: fitting.length, bytes } },
          { returnDocument: 'before' },
        ),
      );
      // Null: another writer took the room in between. The next look at the head sees how much is left.
      if (reserved === null) continue;
      await insert(buildId, fitting, reserved.seq + fitting.length);
      return lines.slice(fitting.length);
    }
  }

  /** One writer turns `capped` on, and that one writes the line that says so. */
  async function announceCap(buildId: string): Promise<void> {
    const winner = await mongoCall(() =>
      heads.findOneAndUpdate(
        { _id: buildId, capped: false },
        { $set: { capped: true }, $inc: { seq: 1 } },
        { returnDocument: 'before' },
      ),
    );
    if (winner !== null) await insert(buildId, [capNotice(now(), limits)], winner.seq + 1);
  }

  /** Past the cap a reserve is left for lines that explain how the build ended. */
  async function appendPastCap(buildId: string, line: NewLogLine): Promise<void> {
    const reserve = reserveOf(line);
    if (reserve === null) return;
    const reserved = await mongoCall(() =>
      heads.findOneAndUpdate(
        { _id: buildId, [reserve]: { $lt: limits.reserve } },
        { $inc: { seq: 1, [reserve]: 1 } },
        { returnDocument: 'before' },
      ),
    );
    if (reserved !== null) await insert(buildId, [line], reserved.seq + 1);
  }

  /** True for the first call with a key. */
  async function isFirst(buildId: string, key: string): Promise<boolean> {
    await head(buildId);
    const change = { $push: { once: key } };
    const { matchedCount } = await mongoCall(() => heads.updateOne({ _id: buildId, once: { $ne: key } }, change));
    return matchedCount === 1;
  }

  return {
    async append(buildId, lines, once) {
      if (lines.length === 0) return;
      const cut = lines.map((line) => cutLine(line, limits.lineBytes));
      const before = await reserveForAll(buildId, cut, once);
      if (before !== null) return await insert(buildId, cut, before + cut.length);
      if (once !== undefined && !(await isFirst(buildId, once))) return;
      const left = await appendWithinCap(buildId, cut);
      if (left.length === 0) return;
      await announceCap(buildId);
      for (const line of left) await appendPastCap(buildId, line);
    },
    async read(buildId, after, limit) {
      const documents = await mongoCall(() =>
        rows
          .find({ buildId, seq: { $gt: after } })
          .sort({ seq: 1 })
          .limit(limit)
          .toArray(),
      );
      return upToYoungGap(documents, after, now()).map(readLogLine);
    },
    async readBefore(buildId, before, limit) {
      const newestFirst = await mongoCall(() =>
        rows
          .find({ buildId, seq: { $lt: before } })
          .sort({ seq: -1 })
          .limit(limit)
          .toArray(),
      );
      const documents = newestFirst.reverse();
      return upToYoungGap(documents, (documents[0]?.seq ?? 1) - 1, now()).map(readLogLine);
    },
    async hasMore(buildId, after) {
      const next = await mongoCall(() => rows.findOne({ buildId, seq: { $gt: after } }, { projection: { _id: 1 } }));
      return next !== null;
    },
  };
}

function upToYoungGap(documents: readonly LineDocument[], after: number, now: Date): readonly LineDocument[] {
  let expected = after + 1;
  for (const [index, { seq, reservedAt }] of documents.entries()) {
    // The gap was reserved before the line behind it, so it is at least as old as that line.
    if (seq !== expected && now.getTime() - reservedAt.getTime() < GAP_PATIENCE_MS) return documents.slice(0, index);
    expected = seq + 1;
  }
  return documents;
}
