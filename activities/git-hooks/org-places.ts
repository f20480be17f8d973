import { FairleadError } from '../../domain/errors.ts';

/** Of the slots of a worker; each look is put off for a moment while its org has them all. */
const MOST_OF_ONE_ORG = 4;
const RETRY_SECONDS = 3;

/** Does work of an org. @throws UNAVAILABLE (retryable) while as much work of the org is under way as may be */
export type InOrgPlace = <T>(org: string | null, work: () => Promise<T>) => Promise<T>;

/**
 * A share of this worker for each org. A git host that answers slowly, or a repository in which git searches for long, holds
 * its slot for minutes: it is to hold up the pushes of its own org alone.
 */
export function createOrgPlaces(most = MOST_OF_ONE_ORG): InOrgPlace {
  const taken = new Map<string, number>();
  return async (org, work) => {
    if (org === null) return await work();
    const own = taken.get(org) ?? 0;
    if (own >= most) {
      const details = { retryAfterSeconds: RETRY_SECONDS };
      const message = `Git hosts of the org ${org} are waited for at ${most} places already`;
      throw new FairleadError('UNAVAILABLE', message, { retryable: true, details });
    }
    taken.set(org, own + 1);
    try {
      return await work();
    } finally {
      const left = (taken.get(org) ?? 1) - 1;
      if (left === 0) taken.delete(org);
      else taken.set(org, left);
    }
  };
}
