import { FairleadError } from '../../domain/errors.ts';

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
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take(address, gone) {
      const own = taken.get(address) ?? 0;
      if (own >= MOST_OF_ADDRESS || all >= MOST) {
        const message = `Too many lists are read at once: end one of them, or try again in ${RETRY_SECONDS} s`;
        throw new FairleadError('RATE_LIMITED', message, { details: { retryAfterSeconds: RETRY_SECONDS } });
      }
      taken.set(address, own + 1);
      all += 1;
      let isTaken = true;
      const leave = (): void => {
        if (!isTaken) return;
        isTaken = false;
        all -= 1;
        const left = (taken.get(address) ?? 1) - 1;
        if (left === 0) taken.delete(address);
        else taken.set(address, left);
      };
      if (gone.aborted) leave();
      else gone.addEventListener('abort', leave, { once: true });
      return leave;
    },
  };
}
