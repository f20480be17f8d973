import type { BuildLimit } from '../../../domain/deploys/build-limits.ts';
import type { Cgroups } from './cgroups.ts';

/** An attempt at a build that is under way. */
export interface Watched {
  readonly group: string;
  readonly freeAtStart: number;
  readonly startedAt: number;
  weight: number;
  /** Bytes by step; of those that ended, what they had when they were measured last. */
  readonly written: Map<string, number>;
  measuredAt: number;
  exceeded: BuildLimit | null;
}

/** What the steps of an attempt write to. */
export interface Step {
  readonly group: string;
  readonly attempt: string | null;
  readonly mounted: readonly string[];
}

export interface Watching {
  readonly root: string;
  /** By attempt. */
  readonly builds: ReadonlyMap<string, Watched>;
  readonly steps: Map<string, Step>;
}

/** Kills the steps of a build, because of the limit that it exceeded first. */
export async function end(cgroups: Cgroups, build: Watched, limit: BuildLimit): Promise<void> {
  build.exceeded ??= limit;
  await cgroups.kill(build.group);
}
