import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BuildLimit, type BuildLimits, exceeds } from '../../../domain/deploys/build-limits.ts';
import { createMutex } from '../../../domain/mutex.ts';
import { freeBytes } from '../../free-bytes.ts';
import type { ProcessEnv } from '../../process/base-env.ts';
import type { EngineInfo } from '../engine-info.ts';
import { markOf, readStep, runningSteps, stepsFolder } from './buildkit-steps.ts';
import type { Cgroups } from './cgroups.ts';
import { endFillers } from './end-fillers.ts';
import { isOrphan, ownedName, ownMark } from './group-owner.ts';
import { end, type Watched, type Watching } from './watched-build.ts';

export interface BuildBoundsOptions {
  /** Null where this process cannot bound builds. */
  readonly cgroups: Cgroups | null;
  readonly stackId: string;
  readonly limits: BuildLimits;
  readonly engineInfo: () => Promise<Pick<EngineInfo, 'rootDirectory' | 'cgroupDriver'>>;
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
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 50;
const LOOK_AT_DISK_EVERY_MS = 1_000;
/** Of the CPU that busy builds share, by how long a build has run. */
const WEIGHTS = [
  { fromMs: 60_000, weight: 1 / 16 },
  { fromMs: 10_000, weight: 1 / 4 },
] as const;
/** Of all builds together, beside the platform's own processes and beside workloads, which answer people. */
const WEIGHT_OF_ALL = 1 / 4;
const REMOVE_ATTEMPTS = 10;
/** Where engines with the driver `cgroupfs` start steps, those of other stacks and of people as well. */
const STARTING_GROUP = 'docker/buildkit';
/** Of all steps that are not in the groups of their builds yet, so that nothing hangs on how soon the worker moves them. */
const STARTING_PROCESSES = 8_192;

/**
 * Bounds what RUN instructions use. BuildKit in the engine ignores limits that a build asks for (engines before 23 also
 * `--cgroup-parent`), and runs all steps of all builds in one group without limits. So each build gets a control group
 * of its own, and the processes of its steps are moved into it as soon as they are there; what they start stays in it.
 * A step is known by the configuration that BuildKit writes for it, which its programs can neither read nor change.
 *
 * Until then, all of them together are bounded where the driver of the engine's groups is `cgroupfs`; systemd bounds each
 * by its own default. On a busy machine a fork bomb may have seconds before it is moved.
 *
 * A build that cannot start another process, or wrote too much, is killed, and ends once its processes are gone; one that
 * uses too much memory loses processes to the kernel. Either way its instruction fails, and nothing else.
 *
 * Each attempt at a build has a group of its own: one that ends late, in this worker or in another, leaves the next one's
 * alone. A group is named after the process that made it, too: what a killed worker left is removed by the next build.
 */
export function createBuildBounds(options: BuildBoundsOptions): (buildId: string) => Promise<BoundBuild> {
  const { cgroups, stackId, limits, engineInfo, onWarning } = options;
  if (cgroups === null) {
    onWarning('Steps of builds are bounded in time alone: the worker must run as root, on the machine of the engine');
    return async (buildId) => unbounded(attemptAt(buildId));
  }
  const warn = (error: unknown): void =>
    onWarning(`What builds start is not bounded before it is moved: ${String(error)}`);
  const builds = new Map<string, Watched>();
  const steps: Watching['steps'] = new Map();
  const parent = `fairlead-${stackId}`;
  let isWatching = false;
  const watch = async (): Promise<void> => {
    if (isWatching) return;
    isWatching = true;
    // A build may begin in the moment in which the watch over the last one ends.
    while (builds.size > 0) await watchBuilds(cgroups, { builds, steps }, options);
    isWatching = false;
  };
  // Whoever removes a group must not meet another who has just made it.
  const exclusively = createMutex();
  const begin = async (attempt: string, group: string): Promise<Watched> => {
    const { rootDirectory, cgroupDriver } = await engineInfo();
    const freeAtStart = await freeBytes(rootDirectory);
    return await exclusively(parent, async () => {
      await removeOrphans(cgroups, parent);
      // In this order: a parent with a group in it is not removed by the end of another worker's build.
      await cgroups.make(group, limits.ofBuild);
      await cgroups.make(parent, limits.ofAllBuilds);
      const now = performance.now();
      const build: Watched = {
        ...{ group, freeAtStart, startedAt: now, measuredAt: now },
        ...{ weight: 1, written: new Map(), exceeded: null },
      };
      if (cgroupDriver === 'cgroupfs') await boundStarting(cgroups).catch(warn);
      await cgroups.weigh(parent, WEIGHT_OF_ALL);
      await cgroups.weigh(group, build.weight);
      builds.set(attempt, build);
      return build;
    });
  };
  /** @returns false when the group is left as it still has processes */
  const removeGroup = (group: string): Promise<boolean> =>
    exclusively(parent, async () => {
      const isRemoved = await cgroups.remove(group);
      if (builds.size === 0) await cgroups.removeEmpty(parent);
      return isRemoved;
    });
  /** The steps of a build that was aborted end a moment after it; those of one that exceeded a limit are killed again. */
  const removeLater = async ({ group, exceeded }: Watched): Promise<void> => {
    for (let attempt = 0; attempt < REMOVE_ATTEMPTS; attempt += 1) {
      if (exceeded !== null) await cgroups.kill(group);
      await delay(LOOK_AT_DISK_EVERY_MS, undefined, { ref: false });
      if (await removeGroup(group).catch(() => true)) return;
    }
    onWarning(`Processes of a build are left in ${group}: the next build removes it once they have ended`);
  };

  const open = async (attempt: string): Promise<BoundBuild> => {
    const group = `${parent}/${ownedName(attempt, await ownMark())}`;
    const build = await begin(attempt, group);
    void watch();
    return {
      noProxyHost: markOf(attempt),
      group: `/${group}`,
      exceeded: async () => build.exceeded ?? exceeds(await cgroups.events(group)),
      close: async () => {
        if (!builds.delete(attempt)) return;
        build.exceeded ??= exceeds(await cgroups.events(group));
        if (await removeGroup(group)) return;
        const removed = removeLater(build).catch((error: unknown) =>
          onWarning(`A build's group stays: ${String(error)}`),
        );
        // The next build of a tenant waits for the end of all that this one has started.
        if (build.exceeded !== null) await removed;
      },
    };
  };
  return (buildId) => {
    const attempt = attemptAt(buildId);
    return open(attempt).catch((error: unknown) => {
      onWarning(`The steps of ${buildId} are bounded in time alone: ${String(error)}`);
      return unbounded(attempt);
    });
  };
}

function attemptAt(buildId: string): string {
  return `${buildId}-${randomBytes(6).toString('hex')}`;
}

/** Those that still have processes stay for the next build. */
async function removeOrphans(cgroups: Cgroups, parent: string): Promise<void> {
  for (const name of await cgroups.children(parent)) {
    if (await isOrphan(name)) await cgroups.remove(`${parent}/${name}`);
  }
}

async function watchBuilds(
  cgroups: Cgroups,
  watching: Omit<Watching, 'root'>,
  { engineInfo, limits, env, onWarning }: BuildBoundsOptions,
): Promise<void> {
  const { builds, steps } = watching;
  const warn = (error: unknown): void => onWarning(`Steps of builds could not be bounded: ${String(error)}`);
  let lookedAtDisk = Number.NEGATIVE_INFINITY;
  let isMeasuring = false;
  // Measuring many files takes long, and nobody's processes are to be free meanwhile.
  const lookAtDisk = async (root: string): Promise<void> => {
    if (isMeasuring || performance.now() - lookedAtDisk <= LOOK_AT_DISK_EVERY_MS) return;
    isMeasuring = true;
    await endFillers(cgroups, { ...watching, root, limits, env }).catch(warn);
    lookedAtDisk = performance.now();
    isMeasuring = false;
  };
  while (builds.size > 0) {
    try {
      const { rootDirectory: root } = await engineInfo();
      await moveSteps(cgroups, { ...watching, root }, limits.ofBuild.processes);
      for (const { group } of builds.values()) await keepCounters(cgroups, group);
      await endBombs(cgroups, builds);
      for (const build of builds.values()) await giveWay(cgroups, build);
      void lookAtDisk(root);
    } catch (error) {
      warn(error);
      await delay(LOOK_AT_DISK_EVERY_MS);
    }
    await delay(LOOK_EVERY_MS);
  }
  steps.clear();
}

function unbounded(attempt: string): BoundBuild {
  return {
    noProxyHost: markOf(attempt),
    group: null,
    exceeded: async () => null,
    close: async () => undefined,
  };
}

/** Brings what runs in the engine's own groups into those of their builds. What is too much already is ended there. */
async function moveSteps(cgroups: Cgroups, { root, builds, steps }: Watching, mostProcesses: number): Promise<void> {
  const folder = stepsFolder(root);
  const running = new Set(await runningSteps(folder));
  for (const id of steps.keys()) if (!running.has(id)) steps.delete(id);
  for (const id of running) {
    const step = steps.get(id) ?? (await readStep(folder, id, root));
    if (step === null) continue;
    steps.set(id, step);
    const build = builds.get(step.attempt ?? '');
    if (build === undefined) continue;
    if (build.exceeded === null && !(await isBomb(cgroups, step.group, mostProcesses))) {
      await cgroups.move(step.group, `${build.group}/${id}`);
      continue;
    }
    await end(cgroups, build, 'processes');
    await cgroups.kill(step.group);
  }
}

/** The group is everybody's on the engine: an operator's lower limit stays, and so does the limit after the last build. */
async function boundStarting(cgroups: Cgroups): Promise<void> {
  await cgroups.make(STARTING_GROUP, {});
  await cgroups.holdProcesses(STARTING_GROUP, STARTING_PROCESSES);
}

/** Holds a step to its limit where it is. @returns whether it has reached it: a shell ends with its first refused process */
async function isBomb(cgroups: Cgroups, group: string, mostProcesses: number): Promise<boolean> {
  await cgroups.holdProcesses(group, mostProcesses);
  const { length } = await cgroups.processes(group);
  // Version 1 counts here, too, what a step with few processes was refused for want of room among all that are starting.
  return length >= mostProcesses || (length > mostProcesses / 2 && (await cgroups.events(group)).refusedForks > 0);
}

const CONTAINER_ID = /^[0-9a-f]{64}$/;

/** The engine removes the groups of the legacy builder's containers, with their counters, as soon as they end. */
async function keepCounters(cgroups: Cgroups, group: string): Promise<void> {
  for (const name of await cgroups.children(group)) {
    if (CONTAINER_ID.test(name)) await cgroups.move(`${group}/${name}`, `${group}/of-${name}`);
  }
}

/** Builds give way to shorter ones: nobody's deploy waits for the CPU of builds that have had it for minutes. */
async function giveWay(cgroups: Cgroups, build: Watched): Promise<void> {
  const ageMs = performance.now() - build.startedAt;
  const weight = WEIGHTS.find(({ fromMs }) => ageMs >= fromMs)?.weight ?? 1;
  if (weight === build.weight) return;
  await cgroups.weigh(build.group, weight);
  build.weight = weight;
}

/** A build that may start no more processes goes on trying, without an end. */
async function endBombs(cgroups: Cgroups, builds: ReadonlyMap<string, Watched>): Promise<void> {
  for (const build of builds.values()) {
    if (build.exceeded !== null || (await cgroups.events(build.group)).refusedForks <= 0) continue;
    await end(cgroups, build, 'processes');
  }
}
