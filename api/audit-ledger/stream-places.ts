import { FairleadError } from '../../domain/errors.ts';
import { createPlaces } from '../http/places.ts';

/** Long answers that one address may read at once: a slow reader holds memory and a cursor of the database. */
const MOST_OF_ADDRESS = 4;
/** All addresses together. */
const MOST = 64;
const RETRY_SECONDS = 10;

/** Places for long answers of a public route, in this process. */
export function createStreamPlaces(): {
  /**
   * @param gone aborted when the client is
   * @returns gives the place back; so does the end of the client
   * @throws RATE_LIMITED when all are taken
   */
  take(address: string, gone: AbortSignal): () => void;
} {
  const places = createPlaces({ perKey: MOST_OF_ADDRESS, inAll: MOST });
  return {
    take(address, gone) {
      if (!places.take(address)) {
        const message = `Too many lists are read at once: end one of them, or try again in ${RETRY_SECONDS} s`;
        throw new FairleadError('RATE_LIMITED', message, { details: { retryAfterSeconds: RETRY_SECONDS } });
      }
      let isTaken = true;
      const leave = (): void => {
        if (!isTaken) return;
        isTaken = false;
        places.release(address);
      };
      if (gone.aborted) leave();
      else gone.addEventListener('abort', leave, { once: true });
      return leave;
    },
  };
}
