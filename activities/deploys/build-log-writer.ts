import type { BuildLog } from '../../domain/deploys/ports.ts';
import type { StepKey } from '../../domain/deploys/steps.ts';
import type { LogLevel, NewLogLine } from '../../domain/logs/log-line.ts';

export interface BuildLogWriter {
  write(text: string, level?: LogLevel): void;
  /** Stores what is still buffered. @throws the first error of the store. */
  close(): Promise<void>;
}

const FLUSH_AFTER_MS = 200;
const FLUSH_AT_LINES = 100;
/** A step that writes faster than the log can store waits for nobody: past this many lines the oldest batch is awaited. */
const MAX_BUFFERED_LINES = 20_000;

/** Writes the log lines of one step in batches: redacted here, before anything is stored, in the order of the calls. */
export function createBuildLogWriter(options: {
  log: BuildLog;
  buildId: string;
  step: StepKey | null;
  redact: (line: string) => string;
  now: () => Date;
}): BuildLogWriter {
  const { log, buildId, step, redact, now } = options;
  let buffer: NewLogLine[] = [];
  let timer: NodeJS.Timeout | null = null;
  let dropped = 0;
  let stored: Promise<void> = Promise.resolve();
  let failure: unknown;

  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (buffer.length === 0) return;
    const batch = buffer;
    buffer = [];
    stored = stored
      .then(() => log.append(buildId, batch))
      .catch((error: unknown) => {
        failure ??= error;
      });
  };

  return {
    write(text, level = 'info') {
      if (buffer.length >= MAX_BUFFERED_LINES) {
        dropped += 1;
        return;
      }
      for (const line of text.split(/\r?\n/)) buffer.push({ time: now(), step, level, text: redact(line) });
      if (buffer.length >= FLUSH_AT_LINES) flush();
      else timer ??= setTimeout(flush, FLUSH_AFTER_MS);
    },
    async close() {
      if (dropped > 0) {
        buffer.push({
          time: now(),
          step,
          level: 'warn',
          text: `${dropped} lines came faster than they could be stored and were left out`,
        });
      }
      flush();
      await stored;
      if (failure !== undefined) throw failure;
    },
  };
}
