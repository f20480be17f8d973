import { setTimeout as delay } from 'node:timers/promises';
import { type FairleadError, isRetryable } from '../../domain/errors.ts';
import type { OpenServiceLog, ServiceLogLine } from '../../domain/logs/service-log.ts';

export interface LineBuffer {
  /** Takes lines to be written soon. Waits while too many are not written yet. @throws as the log does, if nothing helps */
  add(lines: readonly ServiceLogLine[]): Promise<void>;
  /** Writes what is left. @throws as the log does */
  flush(): Promise<void>;
}

interface BufferOptions {
  readonly log: Pick<OpenServiceLog, 'append'>;
  /** Ends the waiting for a disk that is full. */
  readonly signal: AbortSignal;
  /** Lines cannot be written, whatever comes: no more need be read. */
  readonly onFailure: () => void;
  /** A disk is full; called once for the lines that wait for it. */
  readonly onDelay: (error: FairleadError) => void;
  /** Shortened in tests. */
  readonly retryMs?: number;
}

const GATHER_MS = 100;
const RETRY_MS = 5_000;
const MOST_CHARACTERS = 1024 ** 2;

/**
 * Gathers the lines of a workload for a tenth of a second, so that many small ones become one write. While the disk is slow
 * or full, at most a megabyte waits here, and the reader of the workload's output with it; the runtime keeps the rest.
 */
export function createLineBuffer({ log, signal, onFailure, onDelay, retryMs = RETRY_MS }: BufferOptions): LineBuffer {
  let lines: ServiceLogLine[] = [];
  let characters = 0;
  let writing: Promise<void> | null = null;
  let failure: unknown = null;

  const write = async (batch: readonly ServiceLogLine[]): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await log.append(batch);
      } catch (error) {
        if (!isRetryable(error) || signal.aborted) throw error;
        if (attempt === 1) onDelay(error);
        await delay(retryMs, undefined, { signal });
      }
    }
  };
  const drain = async (): Promise<void> => {
    while (lines.length > 0) {
      const batch = lines;
      lines = [];
      characters = 0;
      await write(batch);
    }
  };
  const begin = (gatherMs: number): Promise<void> => {
    writing ??= delay(gatherMs)
      .then(drain)
      .catch((error: unknown) => {
        failure = error;
        onFailure();
      })
      .finally(() => {
        writing = null;
      });
    return writing;
  };
  const throwFailure = (): void => {
    if (failure !== null) throw failure;
  };

  return {
    async add(more) {
      throwFailure();
      lines.push(...more);
      characters += more.reduce((sum, { text }) => sum + text.length, 0);
      const written = begin(GATHER_MS);
      if (characters < MOST_CHARACTERS) return;
      await written;
      throwFailure();
    },
    async flush() {
      while (lines.length > 0 && failure === null) await begin(0);
      await writing;
      throwFailure();
    },
  };
}
