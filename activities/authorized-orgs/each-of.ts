import { FairleadError } from '../../domain/errors.ts';

/** One after the other; what fails keeps no other from being tried. @throws what may pass, before what is refused */
export async function eachOf<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  if (failures.length === 0) return;
  throw failures.find((error) => !(error instanceof FairleadError) || error.retryable) ?? failures[0];
}
