import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../domain/clock.ts';
import type { BuildLog } from '../../domain/deploys/build-store.ts';
import { isRetryable } from '../../domain/errors.ts';
import type { LogLevel, NewLogLine } from '../../domain/logs/log-line.ts';

export interface BuildLogWriter {
  write(text: string, level?: LogLevel): void;
  /** Stores what is still buffered, for which it may wait a minute. @throws the first error of the store. */
  close(): Promise<void>;
}

const FLUSH_AFTER_MS = 200;
const FLUSH_AT_LINES = 100;
/** A step that writes faster than the log can store waits for nobody: lines past this many are left out. */
const MAX_UNSTORED_LINES = 20_000;
/** What one step may write. Output beyond it is dropped, but for errors, which say why the step ended. */
const MAX_STEP_CHARACTERS = 4 * 1024 * 1024;
/** How long a store that is away may take to come back: a step must not be repeated for the sake of its log. */
const STORE_PATIENCE_MS = 60_000;
const STORE_RETRY_MS = 250;

/** Writes the log lines of one step in batches: redacted here, before anything is stored, in the order of the calls. */
export function createBuildLogWriter(options: {
  log: Pick<BuildLog, 'append'>;
  buildId: string;
  step: string | null;
  redact: (line: string) => string;
  now: Clock;
}): BuildLogWriter {
  const { log, buildId, step, redact, now } = options;
  let buffer: NewLogLine[] = [];
  let timer: NodeJS.Timeout | null = null;
  let dropped = 0;
  let unstored = 0;
  let written = 0;
  let beyond = 0;
  let stored: Promise<void> = Promise.resolve();
  let failure: unknown;

  /** A line may be stored twice when the store went away in the middle of it; none is lost. */
  const store = async (batch: readonly NewLogLine[]): Promise<void> => {
    const deadline = performance.now() + STORE_PATIENCE_MS;
    for (;;) {
      try {
        return await log.append(buildId, batch);
      } catch (error) {
        const mayPass = isRetryable(error);
        if (!mayPass || failure !== undefined || performance.now() > deadline) throw error;
        await delay(STORE_RETRY_MS);
      }
    }
  };

  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (buffer.length === 0) return;
    const batch = buffer;
    buffer = [];
    stored = stored
      .then(() => store(batch))
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => {
        unstored -= batch.length;
      });
  };

  return {
    write(text, level = 'info') {
      if (unstored >= MAX_UNSTORED_LINES) {
        dropped += 1;
        return;
      }
      for (const line of text.split(/\r?\n/)) {
        written += line.length;
        if (written > MAX_STEP_CHARACTERS && level !== 'error') {
          beyond += 1;
          continue;
        }
        buffer.push({ time: now(), step, level, text: redact(line) });
        unstored += 1;
      }
      if (buffer.length >= FLUSH_AT_LINES) flush();
      else timer ??= setTimeout(flush, FLUSH_AFTER_MS);
    },
    async close() {
      const reasons: readonly (readonly [number, string])[] = [
        [dropped, 'they came faster than they could be stored'],
        [beyond, `a step may write ${MAX_STEP_CHARACTERS / 1024 / 1024} MiB`],
      ];
      for (const [lines, reason] of reasons) {
        if (lines === 0) continue;
        buffer.push({ time: now(), step, level: 'warn', text: `${lines} lines were dropped: ${reason}` });
      }
      flush();
      await stored;
      if (failure !== undefined) throw failure;
    },
  };
}
