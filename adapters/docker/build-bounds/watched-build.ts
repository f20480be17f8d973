import {
  type BuildLimit,
  type BuildLimits,
  type BuildShortage,
  exceeds,
} from '../../../domain/deploys/build-limits.ts';
import type { Cgroups } from './cgroups.ts';
import { keepRefusals, type MemoryRefusals, wasMemoryRefused } from './memory-refusals.ts';

/** An attempt at a build that is under way. */
export interface Watched {
  readonly group: string;
  /** The group of its org, in which that is. */
  readonly org: string;
  readonly freeAtStart: number;
  readonly startedAt: number;
  weight: number;
  /** Bytes by step; of those that ended, what they had when they were measured last. */
  readonly written: Map<string, number>;
  measuredAt: number;
  /** What no limit of its own was the reason of. */
  notCharged: NotCharged;
  memoryRefusals: MemoryRefusals;
  /** It lost a process because of its own limit, and may go on without. */
  wasOverMemory: boolean;
  exceeded: BuildLimit | null;
  /** Ended for the sake of others, while it kept its limits. */
  gaveWay: boolean;
  /** By group, what settles once the processes in it are gone, or could not be ended. */
  readonly endings: Map<string, Promise<void>>;
}

/** An attempt that has just begun. */
export function newWatched(
  facts: Pick<Watched, 'group' | 'org' | 'freeAtStart' | 'startedAt' | 'memoryRefusals'>,
): Watched {
  return {
    ...facts,
    ...{ weight: 1, written: new Map(), measuredAt: facts.startedAt, notCharged: NOTHING_CHARGED },
    ...{ wasOverMemory: false, exceeded: null, gaveWay: false, endings: new Map() },
  };
}

/** Processes that a build was refused, and those that were killed for want of memory. */
export interface NotCharged {
  readonly refusedForks: number;
  readonly memoryKills: number;
}

export const NOTHING_CHARGED: NotCharged = { refusedForks: 0, memoryKills: 0 };

interface Charging {
  readonly cgroups: Cgroups;
  readonly limits: BuildLimits;
  /** Told when it loses a process for want of memory while it keeps its limits. */
  readonly onMemoryShort: (org: string) => void;
}

/**
 * The limit that a build has exceeded by now; null when it kept them all. What is refused while it keeps its limits is never
 * charged to it later.
 */
export async function exceededBy(
  build: Watched,
  { cgroups, limits, onMemoryShort }: Charging,
): Promise<BuildLimit | null> {
  if (isEnded(build)) return build.exceeded;
  // In this order: what it had when it was refused, and what refused it, is counted by then.
  const events = await cgroups.events(build.group);
  const [mostProcesses, mostOfOrg] = await Promise.all([build.group, build.org].map(cgroups.mostProcesses));
  const memoryKills = events.memoryKills - build.notCharged.memoryKills;
  if (memoryKills > 0 && (await wasMemoryRefused(build, cgroups))) build.wasOverMemory = true;
  await keepRefusals(build, cgroups);
  if (memoryKills > 0 && !build.wasOverMemory) onMemoryShort(build.org);
  const limit = exceeds(
    {
      refusedForks: events.refusedForks - build.notCharged.refusedForks,
      ...{ mostProcesses: mostProcesses ?? null, mostOfOrg: mostOfOrg ?? null },
      ...{ memoryKills, wasMemoryRefused: build.wasOverMemory },
    },
    limits,
  );
  const before = build.notCharged;
  build.notCharged = {
    refusedForks: limit === 'processes' ? before.refusedForks : Math.max(events.refusedForks, before.refusedForks),
    memoryKills: build.wasOverMemory ? before.memoryKills : Math.max(events.memoryKills, before.memoryKills),
  };
  return limit;
}

/** What this machine had none left of for a build that kept its limits; null when it got all that it asked for. */
export function shortageOf({ exceeded, gaveWay, notCharged }: Watched): BuildShortage | null {
  if (exceeded !== null) return null;
  if (gaveWay || notCharged.memoryKills > 0) return 'memory';
  return notCharged.refusedForks > 0 ? 'processes' : null;
}

/** What the steps of an attempt write to. */
export interface Step {
  readonly group: string;
  readonly attempt: string | null;
  readonly mounted: readonly string[];
  /** Looks, one after the other, at which processes of it were not in its build's group. */
  looksOutside: number;
}

export interface Watching {
  readonly root: string;
  /** By attempt. */
  readonly builds: ReadonlyMap<string, Watched>;
  readonly steps: Map<string, Step>;
}

type Ending = { readonly cgroups: Cgroups; readonly onWarning: (message: string) => void };

/**
 * Begins to kill the steps of a build, because of the limit that it exceeded first. Nobody waits for the end of thousands of
 * processes: those of other builds are watched meanwhile.
 */
export function end(options: Ending, build: Watched, limit: BuildLimit): void {
  build.exceeded ??= limit;
  killSteps(options, build);
}

/** The same with a build that has kept its limits, so that others have room. */
export function endForOthers(options: Ending, build: Watched): void {
  build.gaveWay = true;
  killSteps(options, build);
}

export function isEnded({ exceeded, gaveWay }: Watched): boolean {
  return exceeded !== null || gaveWay;
}

/** @param unmoved the group of a step of the build that is not in the build's yet */
export function killSteps({ cgroups, onWarning }: Ending, build: Watched, unmoved?: string): void {
  for (const group of unmoved === undefined ? [build.group] : [build.group, unmoved]) {
    if (build.endings.has(group)) continue;
    const ended = cgroups
      .kill(group)
      .catch((error: unknown) => onWarning(`Steps of a build could not be ended: ${String(error)}`))
      .then(() => void build.endings.delete(group));
    build.endings.set(group, ended);
  }
}
