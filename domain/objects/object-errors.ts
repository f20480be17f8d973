import { FairleadError } from '../errors.ts';

export function objectNotFound(key: string): FairleadError {
  return new FairleadError('OBJECT_NOT_FOUND', `The object store has no object ${key}`, { details: { key } });
}

/** What the store keeps is not what was sent. */
export function objectDamaged(key: string, difference: string): FairleadError {
  const message = `The object store did not keep ${key} as it was sent: ${difference}`;
  return new FairleadError('OBJECT_DAMAGED', message, { details: { key }, system: 'object-store', retryable: true });
}

/** @param what completes "The object store …", such as "does not answer" */
export function objectStoreUnreachable(what: string, cause?: unknown): FairleadError {
  const options = { system: 'object-store', retryable: true, ...(cause === undefined ? {} : { cause }) };
  return new FairleadError('OBJECT_STORE_UNREACHABLE', `The object store ${what}`, options);
}

/** @param why the code that the store answered with, such as `AccessDenied` */
export function objectStoreRefused(why: string, cause?: unknown): FairleadError {
  const message = `The object store refused the platform (${why}): check its credentials and the policy of the bucket`;
  return new FairleadError('OBJECT_STORE_REFUSED', message, { system: 'object-store', cause });
}

export function objectStoreFull(cause?: unknown): FairleadError {
  const message = 'The object store has no space left: free some, or raise its quota, and retry';
  return new FairleadError('OBJECT_STORE_FULL', message, { system: 'object-store', cause });
}

/** A range that begins where the object has ended already. */
export function rangeNotSatisfiable(key: string): FairleadError {
  return new FairleadError('VALIDATION_FAILED', `The range begins behind the end of ${key}`, { details: { key } });
}
