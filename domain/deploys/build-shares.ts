/** How builds share the CPU. A weight is the part that a group gets beside others that are as busy; 1 is usual. */

/** CPU time that an org's builds used lately: of it, half is forgotten each minute. */
export interface RecentCpu {
  readonly usedMs: number;
  /** When it was that much; by a clock that nobody sets back, in milliseconds. */
  readonly at: number;
}

export const NO_RECENT_CPU: RecentCpu = { usedMs: 0, at: 0 };

const HALF_LIFE_MS = 60_000;
/** Below it, an org is as good as one that has built nothing. */
const FORGOTTEN_MS = 100;
/** CPU time of a minute: one CPU that was busy for so long. */
const LIGHT_MS = 10_000;
const HEAVY_MS = 60_000;

export function addRecentCpu(recent: RecentCpu, usedMs: number, at: number): RecentCpu {
  return { usedMs: recent.usedMs * 0.5 ** (Math.max(0, at - recent.at) / HALF_LIFE_MS) + usedMs, at };
}

export function isForgotten({ usedMs }: RecentCpu): boolean {
  return usedMs < FORGOTTEN_MS;
}

/** The weight of all builds of an org together, however many they are: who used much gives way to who used little. */
export function weightOfOrg({ usedMs }: RecentCpu): number {
  if (usedMs >= HEAVY_MS) return 1 / 16;
  return usedMs >= LIGHT_MS ? 1 / 4 : 1;
}

/** The weight of a build among those of its org, by how long it has run: nobody's short build waits for hours of others. */
export function weightOfBuild(ageMs: number): number {
  if (ageMs >= 60_000) return 1 / 16;
  return ageMs >= 10_000 ? 1 / 4 : 1;
}

/**
 * The weight of all builds together, beside the platform's processes and workloads, which answer people: where the kernel
 * does not know groups that give way to all others, and while such a group starves.
 */
export const WEIGHT_OF_ALL_BUILDS = 1 / 4;

const STARVING_SHARE = 1 / 20;
const BUSY_IDLE_SHARE = 1 / 50;

/** Whether builds that give way to all else got next to nothing of a machine that was busy all the time. Shares are of all CPUs. */
export function areStarving({ idle, builds }: { readonly idle: number; readonly builds: number }): boolean {
  return idle < BUSY_IDLE_SHARE && builds < STARVING_SHARE;
}
