import { FairleadError } from '../domain/errors.ts';

/** Of the slots of a worker; each attempt is put off for a moment while its org has them all. */
const MOST_OF_ONE_ORG = 4;
const RETRY_SECONDS = 3;

/** Takes a place of an org. @returns what gives it back @throws UNAVAILABLE (retryable) while the org has all it may have */
export type TakeOrgPlace = (org: string) => () => void;

/**
 * A share of this worker for each org. What an org names, such as a git host or a DNS server, may answer slowly and so hold a
 * slot for minutes: it is to hold up the work of its own org alone.
 * @param what is waited for, such as `Git hosts`
 */
export function createTakeOrgPlace(what: string, most = MOST_OF_ONE_ORG): TakeOrgPlace {
  return createTakePlace((org) => `${what} of the org ${org}`, most);
}

/** The same for whatever a key names. @param say what is waited for there */
export function createTakePlace(say: (key: string) => string, most: number): (key: string) => () => void {
  const taken = new Map<string, number>();
  return (key) => {
    const own = taken.get(key) ?? 0;
    if (own >= most) {
      const details = { retryAfterSeconds: RETRY_SECONDS };
      const message = `${say(key)} are waited for at ${most} places already`;
      throw new FairleadError('UNAVAILABLE', message, { retryable: true, details });
    }
    taken.set(key, own + 1);
    return () => {
      const left = (taken.get(key) ?? 1) - 1;
      if (left === 0) taken.delete(key);
      else taken.set(key, left);
    };
  };
}

/** Does work of an org. @throws UNAVAILABLE (retryable) while as much work of the org is under way as may be */
export type InOrgPlace = <T>(org: string | null, work: () => Promise<T>) => Promise<T>;

/** As {@link createTakeOrgPlace}, for work that is tried again later where there is no place. */
export function createOrgPlaces(what: string, most = MOST_OF_ONE_ORG): InOrgPlace {
  const takePlace = createTakeOrgPlace(what, most);
  return async (org, work) => {
    if (org === null) return await work();
    const leave = takePlace(org);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
