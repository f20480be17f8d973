import type { BuildLimit } from '../../../domain/deploys/build-limits.ts';
import type { Cgroups, GroupEvents } from './cgroups.ts';

/** A build that is under way. */
export interface Watched {
  readonly group: string;
  readonly freeAtStart: number;
  readonly startedAt: number;
  weight: number;
  /** Bytes by step; of those that ended, what they had when they were measured last. */
  readonly written: Map<string, number>;
  /** What an earlier attempt of the build left in the counters of its group. */
  readonly before: GroupEvents;
  measuredAt: number;
  exceeded: BuildLimit | null;
}

/** What the steps of one build write to. */
export interface Step {
  readonly group: string;
  readonly buildId: string | null;
  readonly mounted: readonly string[];
}

export interface Watching {
  readonly root: string;
  readonly builds: ReadonlyMap<string, Watched>;
  readonly steps: Map<string, Step>;
}

/** What its counters show of this attempt. */
export async function newEvents(cgroups: Cgroups, { group, before }: Watched): Promise<GroupEvents> {
  const { refusedForks, memoryKills } = await cgroups.events(group);
  return { refusedForks: refusedForks - before.refusedForks, memoryKills: memoryKills - before.memoryKills };
}

/** Kills the steps of a build, because of the limit that it exceeded first. */
export async function end(cgroups: Cgroups, build: Watched, limit: BuildLimit): Promise<void> {
  build.exceeded ??= limit;
  await cgroups.kill(build.group);
}
