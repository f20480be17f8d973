import type { CgroupMemory } from './cgroup-memory.ts';

/** How often the limits of a build and of its org had refused memory: two looks, of which the newer one is a second old at most. */
export interface MemoryRefusals {
  readonly older: Look;
  readonly newer: Look;
}

interface Look {
  /** By a clock that nobody sets back, in milliseconds. */
  readonly at: number;
  /** Null where the kernel does not say. */
  readonly refusals: number | null;
}

export const NO_MEMORY_REFUSED: MemoryRefusals = { older: { at: 0, refusals: 0 }, newer: { at: 0, refusals: 0 } };

type Counters = Pick<CgroupMemory, 'memoryRefusals'>;

interface Groups {
  readonly group: string;
  readonly org: string;
}

/** By then a refusal has led to a kill; one that led to none was made good by what could be given back. */
const LOOK_EVERY_MS = 1_000;

/** The first look, as soon as the groups are there: that of the org may have been refused memory for others. */
export async function firstRefusals(groups: Groups, cgroups: Counters, now: number): Promise<MemoryRefusals> {
  const look = await lookAt(groups, cgroups, now);
  return { older: look, newer: look };
}

type Build = Groups & { memoryRefusals: MemoryRefusals };

/** Looks again, once a second. */
export async function keepRefusals(build: Build, cgroups: Counters, now: number = performance.now()): Promise<void> {
  const { newer } = build.memoryRefusals;
  if (now - newer.at < LOOK_EVERY_MS) return;
  build.memoryRefusals = { older: newer, newer: await lookAt(build, cgroups, now) };
}

/**
 * Whether one of these limits refused memory since the older look: then that is why a process was killed that is killed now.
 * True where the kernel does not say.
 */
export async function wasMemoryRefused(
  build: Build,
  cgroups: Counters,
  now: number = performance.now(),
): Promise<boolean> {
  const { refusals } = await lookAt(build, cgroups, now);
  return refusals === null || refusals > (build.memoryRefusals.older.refusals ?? 0);
}

async function lookAt({ group, org }: Groups, cgroups: Counters, at: number): Promise<Look> {
  const [own, ofOrg] = await Promise.all([
    cgroups.memoryRefusals(group, { below: true }),
    cgroups.memoryRefusals(org, { below: false }),
  ]);
  return { at, refusals: own === null || ofOrg === null ? null : own + ofOrg };
}
