import { randomBytes } from 'node:crypto';
import type { BuildLimit, BuildLimits, BuildShortage } from '../../../domain/deploys/build-limits.ts';
import type { ProcessEnv } from '../../process/base-env.ts';
import type { EngineInfo } from '../engine-info.ts';
import { buildsGroup, createBuildGroups } from './build-groups.ts';
import { markOf } from './buildkit-steps.ts';
import type { Cgroups } from './cgroups.ts';
import { createMemoryRoom } from './memory-room.ts';
import { createCpuShares } from './share-cpu.ts';
import { watchBuilds } from './watch-builds.ts';
import { exceededBy, isEnded, shortageOf, type Watched, type Watching } from './watched-build.ts';

export interface BuildBoundsOptions {
  /** Null where this process cannot bound builds. */
  readonly cgroups: Cgroups | null;
  readonly stackId: string;
  readonly limits: BuildLimits;
  readonly engineInfo: () => Promise<Pick<EngineInfo, 'rootDirectory' | 'cgroupDriver'>>;
  /** True where the engine was told to start steps in the group that this stack has for that: see `startingGroup`. */
  readonly hasOwnEngine?: boolean;
  /** Environment of the programs that measure. */
  readonly env: ProcessEnv;
  readonly onWarning: (message: string) => void;
}

/** The RUN instructions of one build, held to limits until `close`. */
export interface BoundBuild {
  /** Among the hosts that need no proxy, it tells the steps of this attempt at the build from others. */
  readonly noProxyHost: string;
  /** The control group for containers of the legacy builder; null where there is none. */
  readonly group: string | null;
  /** The limit that the build exceeded; null when it kept them all. */
  exceeded(): Promise<BuildLimit | null>;
  /** What this machine had none left of, while the build kept its limits; null when it got all that it asked for. */
  shortage(): Promise<BuildShortage | null>;
  close(): Promise<void>;
}

/** Of whom a build is: all builds of an org share what one org may have. */
export interface BuildOfOrg {
  readonly buildId: string;
  readonly org: string;
}

/**
 * Bounds what RUN instructions use. BuildKit in the engine ignores limits that a build asks for (engines before 23 also
 * `--cgroup-parent`), and runs all steps of all builds in one group without limits. So each build gets a control group
 * of its own, in one of its org, and the processes of its steps are moved into it as soon as they are there; what they start
 * stays in it. A step is known by the configuration that BuildKit writes for it, which its programs can neither read nor change.
 *
 * Until then, all of them together are bounded where the driver of the engine's groups is `cgroupfs`; systemd bounds each
 * by its own default. On a busy machine a fork bomb may have seconds before it is moved.
 *
 * A build that cannot start another process because of its limit or its org's, or wrote too much, is killed, and ends once its processes are gone; one that
 * uses too much memory loses processes to the kernel. Either way its instruction fails, and nothing else. While all builds together
 * have no memory left, the largest gives way, and is tried again as those are whose processes the kernel ended.
 *
 * Each attempt at a build has a group of its own: one that ends late, in this worker or in another, leaves the next one's
 * alone. A group is named after the process that made it, too: what a killed worker left is removed by the next build.
 */
export function createBuildBounds(options: BuildBoundsOptions): (build: BuildOfOrg) => Promise<BoundBuild> {
  const { cgroups, onWarning } = options;
  if (cgroups === null) {
    onWarning('Steps of builds are bounded in time alone: the worker must run as root, on the machine of the engine');
    return async ({ buildId }) => unbounded(attemptAt(buildId));
  }
  const open = createOpenBounds({ ...options, cgroups });
  return ({ buildId, org }) => {
    const attempt = attemptAt(buildId);
    return open(attempt, org).catch((error: unknown) => {
      onWarning(`The steps of ${buildId} are bounded in time alone: ${String(error)}`);
      return unbounded(attempt);
    });
  };
}

type WithCgroups = BuildBoundsOptions & { readonly cgroups: Cgroups };

function createOpenBounds(options: WithCgroups): (attempt: string, org: string) => Promise<BoundBuild> {
  const { cgroups, engineInfo, onWarning } = options;
  const builds = new Map<string, Watched>();
  const steps: Watching['steps'] = new Map();
  const parent = buildsGroup(options.stackId);
  const shares = createCpuShares(cgroups, parent);
  const memoryRoom = createMemoryRoom(options, { parent, builds });
  const exceeded = (build: Watched) => exceededBy(build, { ...options, onMemoryShort: memoryRoom.want });
  const engineRoot = async () => (await engineInfo()).rootDirectory;
  const groups = createBuildGroups(options, { shares, builds });
  let isWatching = false;
  const watch = async (): Promise<void> => {
    if (isWatching) return;
    isWatching = true;
    // A build may begin in the moment in which the watch over the last one ends.
    while (builds.size > 0)
      await watchBuilds({ builds, steps }, { ...options, ...{ shares, memoryRoom, groups, engineRoot } });
    isWatching = false;
  };
  return async (attempt, org) => {
    const build = await groups.begin(attempt, org);
    const { group } = build;
    void watch();
    return {
      noProxyHost: markOf(attempt),
      group: `/${group}`,
      exceeded: () => exceeded(build),
      shortage: async () => ((await exceeded(build)) === null ? shortageOf(build) : null),
      close: async () => {
        if (!builds.delete(attempt)) return;
        build.exceeded = await exceeded(build);
        await Promise.all(build.endings.values());
        if (await groups.remove(build)) return;
        const removed = groups
          .removeLater(build)
          .catch((error: unknown) => onWarning(`A build's group stays: ${String(error)}`));
        // The next build of a tenant waits for the end of all that this one has started.
        if (isEnded(build)) await removed;
      },
    };
  };
}

function attemptAt(buildId: string): string {
  return `${buildId}-${randomBytes(6).toString('hex')}`;
}

function unbounded(attempt: string): BoundBuild {
  return {
    noProxyHost: markOf(attempt),
    group: null,
    exceeded: async () => null,
    shortage: async () => null,
    close: async () => undefined,
  };
}
