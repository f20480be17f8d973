import { CONDITION_REFRESH_MS, type Condition, GAP_INTERVALS } from './condition.ts';
import { isWatched, type Monitor, shardOf } from './monitor.ts';

/** Those of one shard, or of all: where each org has a shard of its own, they say together what none can say alone. */
type Scope = number | 'all';

/** The checks of an org: how many monitors, and of how many the last check is too long ago. */
interface OrgChecks {
  readonly watched: number;
  readonly late: number;
}

/** Where checks are late, by the orgs that have monitors there. */
export interface LateChecks {
  readonly shard: Scope;
  readonly orgs: number;
  readonly lateOrgs: number;
}

/**
 * Whether checks are made at their times, whatever they find. An org may have its own checks left out, by more than its share or by
 * targets that hang: so each org has one voice, however many monitors it has, and one is not enough. What is late by the prober is late
 * for all.
 */
export interface ChecksTally {
  /** @param now by the database's clock */
  add(watched: { readonly monitor: Monitor; readonly condition: Condition | null }, now: Date): void;
  /**
   * A shard, or all, is late where half of its orgs are, and two at least; of the org that runs the installation, or where there is no
   * other org at all, one is enough.
   */
  late(platformOrg: string): readonly LateChecks[];
}

/** Of the monitors of an org, and of the orgs: one in two. */
const MOST_LATE = 0.5;

export function createChecksTally(): ChecksTally {
  const scopes = new Map<Scope, Map<string | null, OrgChecks>>();
  return {
    add({ monitor, condition }, now) {
      if (!isWatched(monitor)) return;
      const late = isLate(monitor, condition, now) ? 1 : 0;
      for (const scope of ['all', shardOf(monitor)] as const) {
        const orgs = scopes.get(scope) ?? new Map<string | null, OrgChecks>();
        const checks = orgs.get(monitor.org) ?? { watched: 0, late: 0 };
        orgs.set(monitor.org, { watched: checks.watched + 1, late: checks.late + late });
        scopes.set(scope, orgs);
      }
    },
    late(platformOrg) {
      const isAlone = scopes.get('all')?.size === 1;
      const isEnough = (late: readonly (string | null)[]): boolean =>
        late.length > 1 || isAlone || late.some((org) => org === null || org === platformOrg);
      return [...scopes].flatMap(([shard, orgs]) => {
        const late = [...orgs].filter(([, { watched, late: count }]) => count / watched >= MOST_LATE);
        const isLateThere = late.length / orgs.size >= MOST_LATE && isEnough(late.map(([org]) => org));
        return isLateThere ? [{ shard, orgs: orgs.size, lateOrgs: late.length }] : [];
      });
    },
  };
}

/** One that is new, or was changed just now, has time for its first check. */
function isLate({ intervalSeconds, updatedAt }: Monitor, condition: Condition | null, now: Date): boolean {
  const gapMs = GAP_INTERVALS * intervalSeconds * 1_000 + 2 * CONDITION_REFRESH_MS;
  const lastAt = Math.max(condition?.last?.at ?? 0, updatedAt.getTime());
  // Of a clock that was ahead and is right again, what is to come is as old as what is past.
  return Math.abs(now.getTime() - lastAt) > gapMs;
}
