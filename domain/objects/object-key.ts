import { FairleadError } from '../errors.ts';

/** What S3 takes at most. */
const LONGEST_KEY = 1_024;

/** Characters that every S3 server keeps as they are, so that keys have one order everywhere. */
const SEGMENT = /^[A-Za-z0-9!_.*'()-]+$/;

/**
 * Checks the key of an object: segments of letters, digits and `!_.*'()-`, with `/` between them.
 * @returns the key
 * @throws FairleadError VALIDATION_FAILED
 */
export function checkObjectKey(key: string): string {
  const isKey = key.length <= LONGEST_KEY && key.split('/').every(isSegment);
  if (isKey) return key;
  const message = `The key of an object has at most ${LONGEST_KEY} letters, digits and !_.*'()- in segments with / between`;
  throw new FairleadError('VALIDATION_FAILED', message, { details: { field: 'key' } });
}

function isSegment(segment: string): boolean {
  return SEGMENT.test(segment) && segment !== '.' && segment !== '..';
}
