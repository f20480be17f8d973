import { FairleadError } from '../errors.ts';

/** The same answer for an org that is not there and for one the caller is not in. */
export function orgNotFound(): FairleadError {
  return new FairleadError('ORG_NOT_FOUND', 'There is no such org, or you are not in it');
}
