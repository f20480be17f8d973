import { setImmediate as nextTick } from 'node:timers/promises';
import type { EventDocument } from './event-document.ts';

/** What one write takes at most, but for a single append that has more. */
const MAX_EVENTS = 500;
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** Consecutive events of one namespace, all or none of which follow the head that they were chained to. */
interface Append {
  readonly documents: readonly EventDocument[];
  readonly resolve: (durable: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins the appends of many namespaces into one ordered write at a time: what arrives meanwhile shares the next one. An
 * ordered write ends at the first event that is refused. Appends before it are durable, the one it belongs to is told how
 * much of it is, and nothing of those behind it was written: they share the next write. After a failure nobody knows what
 * the write kept, so all of its appends fail, as each would have by itself.
 *
 * @param insert writes in order and returns how many, from the first on, are durable
 */
export function createSharedAppend(insert: (documents: readonly EventDocument[]) => Promise<number>) {
  const waiting: Append[] = [];
  let writing = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await nextTick();
      const appends = takeAppends(waiting);
      try {
        waiting.unshift(...tell(appends, await insert(appends.flatMap(({ documents }) => documents))));
      } catch (error) {
        for (const { reject } of appends) reject(error);
      }
    }
    writing = false;
  }

  /** @returns how many of the documents are durable, from the first on */
  return (documents: readonly EventDocument[]): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    waiting.push({ documents, resolve, reject });
    if (!writing) {
      writing = true;
      void run();
    }
    return promise;
  };
}

/** Tells each append how much of it is durable. @returns those behind the event that was refused */
function tell(appends: readonly Append[], durable: number): readonly Append[] {
  let left = durable;
  for (const [index, { documents, resolve }] of appends.entries()) {
    resolve(Math.min(left, documents.length));
    if (left < documents.length) return appends.slice(index + 1);
    left -= documents.length;
  }
  return [];
}

/** Takes what fits into one write, and always the first. */
function takeAppends(waiting: Append[]): readonly Append[] {
  let [events, characters, count] = [0, 0, 0];
  for (const { documents } of waiting) {
    events += documents.length;
    characters += documents.reduce((sum, { payload }) => sum + payload.length, 0);
    if (count > 0 && (events > MAX_EVENTS || characters > MAX_CHARACTERS)) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
