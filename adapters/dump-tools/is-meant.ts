import { FairleadError } from '../../domain/errors.ts';

/** For whoever asks nobody. */
export const ALWAYS = async (): Promise<boolean> => true;

/** A restore in place that was ended while it began. */
export function notMeant(database: string): FairleadError {
  return new FairleadError('CONFLICT', `The restore of ${database} has ended already: it changes nothing any more`);
}
