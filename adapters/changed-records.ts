import { isSame } from '../domain/custom-domains/conflicts.ts';
import type { AddressRecord } from '../domain/custom-domains/mode.ts';
import { FairleadError } from '../domain/errors.ts';

/** Whether two lists hold the same records, in any order. */
export function hasSameRecords(some: readonly AddressRecord[], others: readonly AddressRecord[]): boolean {
  if (some.length !== others.length) return false;
  return some.every((one) => others.some((other) => isSame(one, other)));
}

/** Somebody wrote between a look and a write: the next attempt looks again. */
export function recordsChanged(name: string): FairleadError {
  const message = `Somebody is changing the records of ${name} at this moment; try again`;
  return new FairleadError('CONFLICT', message, { retryable: true, system: 'dns' });
}
