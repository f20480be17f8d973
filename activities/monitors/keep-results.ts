import { FairleadError } from '../../domain/errors.ts';
import type { MonitorResult } from '../../domain/monitors/check-result.ts';
import type { ShardRecorder } from '../../domain/monitors/ports.ts';
import type { ShardSpool } from '../../domain/monitors/result-spool.ts';

export interface KeepResultsDeps {
  readonly recorder: Pick<ShardRecorder, 'record'>;
  readonly spool: ShardSpool;
  readonly nowMs: () => number;
  readonly warn: (problem: { readonly err: unknown }, message: string) => void;
}

/** Keeps results in the order of the checks. @throws CONFLICT when the shard has another holder */
export type KeepResults = (results: readonly MonitorResult[]) => Promise<void>;

/** While the database takes nothing, it is asked so often. */
const RETRY_EVERY_MS = 1_000;

/**
 * Records results, and keeps them on the disk while the database is away or full. What waits there is recorded first, a file at a
 * time, so that new results never wait long for a place. Idempotent: a result that was recorded twice counts once.
 */
export function createKeepResults({ recorder, spool, nowMs, warn }: KeepResultsDeps): KeepResults {
  /** Also what a holder before this one left. */
  let isSpooling = true;
  let isTold = false;
  let retryAtMs = 0;

  async function isRecorded(...batch: Parameters<ShardRecorder['record']>): Promise<boolean> {
    try {
      await recorder.record(...batch);
      isTold = false;
      return true;
    } catch (error) {
      if (error instanceof FairleadError && error.code === 'CONFLICT') throw error;
      if (!isTold) warn({ err: error }, 'results wait on the disk: the database does not take them');
      isTold = true;
      retryAtMs = nowMs() + RETRY_EVERY_MS;
      return false;
    }
  }

  /** Whether nothing waits on the disk any more. */
  async function isDrained(): Promise<boolean> {
    if (nowMs() < retryAtMs) return false;
    const oldest = await orTold(() => spool.oldest());
    if (oldest === null) return true;
    if (!(await isRecorded(oldest.results, 'disk'))) return false;
    const isGone = await orTold(async () => {
      await oldest.done();
      return true;
    });
    // What stays on the disk is not given again all the time.
    return isGone === null;
  }

  /** A disk that fails ends no check. @returns null when it does */
  async function orTold<T>(look: () => Promise<T>): Promise<T | null> {
    try {
      return await look();
    } catch (err) {
      warn({ err }, 'results that wait on the disk cannot be read or removed');
      return null;
    }
  }

  async function spoolAway(results: readonly MonitorResult[]): Promise<void> {
    try {
      await spool.append(results);
    } catch (err) {
      // Checks go on: a gap in the history is better than none of them.
      warn({ err }, 'results are lost: neither the database nor the disk takes them');
    }
  }

  return async (results) => {
    if (isSpooling && (await isDrained())) isSpooling = false;
    if (results.length === 0) return;
    if (!isSpooling && (await isRecorded(results, 'checks'))) return;
    isSpooling = true;
    await spoolAway(results);
  };
}
