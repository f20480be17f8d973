import { LRUCache } from 'lru-cache';
import { FairleadError } from '../../domain/errors.ts';

/** Counts one call of an org. @throws RATE_LIMITED for one above the limit */
export type OrgLimit = (org: string | null) => void;

const MINUTE_MS = 60_000;
const MOST_ORGS = 1_000;

/** A limit of calls of one org in a minute, whoever of it makes them: what each of them sends goes to people. @param what such as `tests` */
export function createOrgLimit(most: number, what: string): OrgLimit {
  const counts = new LRUCache<string, { calls: number }>({ max: MOST_ORGS, ttl: MINUTE_MS });
  return (org) => {
    const key = org ?? '';
    const counted = counts.get(key) ?? { calls: 0 };
    if (counted.calls === 0) counts.set(key, counted);
    counted.calls += 1;
    if (counted.calls <= most) return;
    throw new FairleadError('RATE_LIMITED', `There are ${most} ${what} a minute: wait for a minute`);
  };
}
