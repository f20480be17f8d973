import { pino } from 'pino';

/** Bytes that are written at once; more wait for nobody. */
const BUFFER_BYTES = 8_192;

/** How long a line may wait for others: what a killed process loses at most. */
const FLUSH_MS = 250;

export interface LogOutput {
  write(line: string): void;
  /** Writes what is held back, before it returns. */
  flush(): void;
}

/**
 * A file descriptor that gets lines in batches: a write for each costs a busy service more than making the line. This
 * process writes by itself, at the latest after a quarter of a second and when it ends, an uncaught error included.
 */
export function createBufferedOutput(fileDescriptor: number): LogOutput {
  const output = pino.destination({ dest: fileDescriptor, sync: true, minLength: BUFFER_BYTES });
  let timer: NodeJS.Timeout | null = null;

  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    output.flush();
  }

  process.on('exit', flush);
  return {
    write(line) {
      output.write(line);
      // A process that has nothing else to do may end: it writes on its way out.
      timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    flush,
  };
}
