import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { CliFailure } from './cli-failure.ts';
import type { CliContext } from './context.ts';
import { interruptible } from './interrupt.ts';
import type { Tone } from './terminal/style.ts';

/** What the commands of backups and of restores have in common. */

export interface OfService {
  readonly service?: string;
}

/** A command as it has to be typed for the same service and environment: `db backups --service shop -e uat`. */
export function dbCommand({ environment }: Pick<CliContext, 'environment'>, command: string, service: string): string {
  return `db ${command} --service ${service}${environment === 'prod' ? '' : ` -e ${environment}`}`;
}

const TONES: Readonly<Record<string, Tone>> = { completed: 'good', failed: 'bad', missed: 'bad', running: 'warn' };

export function toneOf(status: string): { readonly tone?: Tone } {
  const tone = TONES[status];
  return tone === undefined ? {} : { tone };
}

/**
 * Asks the API by a dry run whether it would do something, before a person is asked: nobody confirms what is refused then.
 * A builder of before, which knows no dry runs, refuses the word alone.
 * @throws CliFailure as the API answers
 */
export async function tryFirst(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'VALIDATION_FAILED') throw error;
  }
}

interface Followed<T> {
  readonly schema: z.ZodType<T>;
  /** Of the route that tells how it is. */
  readonly path: string;
  readonly progress: (item: T) => string;
  /** What was begun; told once Ctrl-C is heard, for whoever types it at once. */
  readonly begun: string;
  /** What becomes of it when nobody waits any more: who waits is told so at Ctrl-C. */
  readonly left: { readonly message: string; readonly remedy: string };
}

const POLL_MS = 1_000;

/**
 * Asks until the status leaves `running`; what is new is a note.
 * @throws CliFailure INTERRUPTED at Ctrl-C: what is followed goes on
 */
export async function followWork<T extends { readonly status: string }>(
  { api, output }: CliContext,
  started: T,
  { schema, path, progress, begun, left }: Followed<T>,
): Promise<T> {
  return await interruptible(left, async (signal) => {
    output.note(begun);
    let item = started;
    let told = '';
    while (item.status === 'running') {
      await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      item = await api.call(schema, { method: 'GET', path });
      signal.throwIfAborted();
      const line = progress(item);
      if (item.status === 'running' && line !== told) output.note(line);
      told = line;
    }
    return item;
  });
}
