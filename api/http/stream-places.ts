import { FairleadError } from '../../domain/errors.ts';
import { createPlaces } from './places.ts';

export interface StreamPlaces {
  /**
   * @param holder whose share it is of: an address, or the name of a caller
   * @param gone aborted when the client is
   * @returns gives the place back; so does the end of the client
   * @throws RATE_LIMITED when all are taken
   */
  take(holder: string, gone: AbortSignal): () => void;
}

const RETRY_SECONDS = 10;

/**
 * Places for answers that take long, in this process: each holds memory, and what it reads from.
 * @param what what there are too many of, such as "lists are read"
 */
export function createStreamPlaces({
  what,
  ...shares
}: {
  readonly what: string;
  readonly perKey: number;
  readonly inAll: number;
}): StreamPlaces {
  const places = createPlaces(shares);
  return {
    take(holder, gone) {
      if (!places.take(holder)) {
        const message = `Too many ${what} at once: end one of them, or try again in ${RETRY_SECONDS} s`;
        throw new FairleadError('RATE_LIMITED', message, { details: { retryAfterSeconds: RETRY_SECONDS } });
      }
      let isTaken = true;
      const leave = (): void => {
        if (!isTaken) return;
        isTaken = false;
        places.release(holder);
      };
      if (gone.aborted) leave();
      else gone.addEventListener('abort', leave, { once: true });
      return leave;
    },
  };
}
