import { setTimeout as sleep } from 'node:timers/promises';
import { type OutputLine, type OutputPosition, positionAfter } from '../domain/logs/output-line.ts';

/** The process that a workload has, or had last. */
export interface ProcessRun {
  /** Which one it is, and whether it runs. */
  readonly run: string;
  readonly isRunning: boolean;
  /** Its output after a position, until it ends. */
  read(position: OutputPosition): AsyncIterable<readonly OutputLine[]>;
}

/** How long after the end of a process it is looked whether there is another one. */
const LOOK_EVERY_MS = 1_000;

/**
 * Follows the output of a workload through restarts of its process, until it is removed.
 * @param look at what there is now
 * @param failure what an error is thrown as
 */
export async function* followRuns(
  look: () => Promise<ProcessRun | 'not started' | 'gone'>,
  {
    after,
    signal,
    failure,
  }: { readonly after: OutputPosition; readonly signal: AbortSignal; readonly failure: (error: unknown) => Error },
): AsyncGenerator<readonly OutputLine[]> {
  let position = after;
  let read: string | null = null;
  try {
    while (!signal.aborted) {
      const found = await look();
      if (found === 'gone') return;
      // What a process wrote right before its end is read once more after it.
      if (found !== 'not started' && (found.isRunning || found.run !== read)) {
        for await (const lines of found.read(position)) {
          position = lines.reduce(positionAfter, position);
          yield lines;
        }
        read = found.run;
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) return;
    throw failure(error);
  }
}
