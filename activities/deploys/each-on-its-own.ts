import { FairleadError } from '../../domain/errors.ts';

export interface Failure {
  /** What it happened to, such as `shop/prod`. */
  readonly name: string;
  readonly error: unknown;
}

export interface EachOptions<T> {
  readonly nameOf: (item: T) => string;
  readonly work: (item: T) => Promise<unknown>;
  readonly signal: AbortSignal;
  /** Items that are worked on side by side. */
  readonly lanes?: number;
}

/** Failures that a message names; of the others it gives the number. */
const NAMED = 20;

/**
 * Does the work for every item; one that fails hinders no other.
 * @returns what failed
 * @throws the reason of the signal; what the source of the items throws
 */
export async function eachOnItsOwn<T>(
  items: AsyncIterable<T> | Iterable<T>,
  { nameOf, work, signal, lanes = 1 }: EachOptions<T>,
): Promise<readonly Failure[]> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const failures: Failure[] = [];
  const lane = async (): Promise<void> => {
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      signal.throwIfAborted();
      try {
        await work(next.value);
      } catch (error) {
        signal.throwIfAborted();
        failures.push({ name: nameOf(next.value), error });
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return failures;
}

/**
 * Tells all failures in one error.
 * @throws UNAVAILABLE with names and reasons, when there are any
 */
export function throwFailures(what: string, failures: readonly Failure[], { retryable }: { retryable: boolean }): void {
  if (failures.length === 0) return;
  const named = failures.slice(0, NAMED).map(({ name, error }) => `${name}: ${messageOf(error)}`);
  const more = failures.length > NAMED ? [`and ${failures.length - NAMED} more`] : [];
  throw new FairleadError('UNAVAILABLE', `${what}: ${[...named, ...more].join('; ')}`, {
    retryable,
    cause: new AggregateError(failures.map(({ error }) => error)),
  });
}

/** Other messages than those of domain errors are for the platform's log, where the cause goes. */
function messageOf(error: unknown): string {
  return error instanceof FairleadError ? error.message : 'unexpected error; see the log of the worker';
}
