import { setTimeout as delay } from 'node:timers/promises';
import { type BuildLimits, hasReached } from '../../../domain/deploys/build-limits.ts';
import type { ProcessEnv } from '../../process/base-env.ts';
import type { BuildGroups } from './build-groups.ts';
import { readStep, runningSteps, stepsFolder } from './buildkit-steps.ts';
import type { Cgroups } from './cgroups.ts';
import { endFillers } from './end-fillers.ts';
import type { MemoryRoom } from './memory-room.ts';
import type { CpuShares } from './share-cpu.ts';
import { end, exceededBy, isEnded, killSteps, type Step, type Watched, type Watching } from './watched-build.ts';

export interface WatchOptions {
  readonly cgroups: Cgroups;
  readonly shares: CpuShares;
  readonly memoryRoom: MemoryRoom;
  readonly groups: Pick<BuildGroups, 'restore'>;
  readonly limits: BuildLimits;
  /** The engine's data folder, on this machine. */
  readonly engineRoot: () => Promise<string>;
  /** Environment of the programs that measure. */
  readonly env: ProcessEnv;
  readonly onWarning: (message: string) => void;
}

type Builds = Omit<Watching, 'root'>;

const LOOK_EVERY_MS = 50;
const LOOK_AT_DISK_EVERY_MS = 1_000;
const RETRY_MS = 1_000;
/** One after the other: ten seconds. */
const MOST_LOOKS_OUTSIDE = 200;

/** Moves the steps of builds into their groups, ends those that exceed a limit, and shares the CPU, as long as there are builds. */
export async function watchBuilds(watching: Builds, options: WatchOptions): Promise<void> {
  const { builds, steps } = watching;
  const { cgroups, shares, memoryRoom, engineRoot, onWarning } = options;
  const warn = (error: unknown): void => onWarning(`Steps of builds could not be bounded: ${String(error)}`);
  let lookedAtDisk = Number.NEGATIVE_INFINITY;
  let isMeasuring = false;
  // Measuring many files takes long, and nobody's processes are to be free meanwhile.
  const lookAtDisk = async (root: string): Promise<void> => {
    if (isMeasuring || performance.now() - lookedAtDisk <= LOOK_AT_DISK_EVERY_MS) return;
    isMeasuring = true;
    await endFillers({ ...watching, ...options, root }).catch(warn);
    lookedAtDisk = performance.now();
    isMeasuring = false;
  };
  while (builds.size > 0) {
    try {
      const root = await engineRoot();
      await moveSteps({ ...watching, root }, options);
      for (const { group } of builds.values()) await keepCounters(cgroups, group);
      await endBombs(builds, options);
      await memoryRoom.look();
      await shares.look(builds.values());
      void lookAtDisk(root);
    } catch (error) {
      warn(error);
      await delay(RETRY_MS);
    }
    await delay(LOOK_EVERY_MS);
  }
  steps.clear();
}

/** Brings what runs in the engine's own groups into those of their builds. What is too much already is ended there. */
async function moveSteps({ root, builds, steps }: Watching, options: WatchOptions): Promise<void> {
  const { cgroups, limits } = options;
  const folder = stepsFolder(root);
  const running = new Set(await runningSteps(folder));
  for (const id of steps.keys()) if (!running.has(id)) steps.delete(id);
  for (const id of running) {
    const step = steps.get(id) ?? (await newStep(folder, id, root));
    if (step === null) continue;
    steps.set(id, step);
    const build = builds.get(step.attempt ?? '');
    if (build === undefined) continue;
    if (!isEnded(build)) {
      if (await isBomb(cgroups, step.group, limits.ofBuild.processes)) end(options, build, 'processes');
      else await moveStep({ id, step, build }, options);
    }
    if (isEnded(build)) killSteps(options, build, step.group);
  }
}

async function newStep(folder: string, id: string, root: string): Promise<Step | null> {
  const step = await readStep(folder, id, root);
  return step === null ? null : { ...step, looksOutside: 0 };
}

/** Whether a step has reached its limit where it is. */
async function isBomb(cgroups: Cgroups, group: string, processes: number): Promise<boolean> {
  const { length } = await cgroups.processes(group);
  // Version 1 counts here, too, what a step with few processes was refused for want of room among all that are starting.
  if (length >= processes) return true;
  // A shell ends with its first refused process.
  return hasReached(length, processes) && (await cgroups.events(group)).refusedForks > 0;
}

/**
 * At each look anew: what a process starts while it is moved may stay behind. That is over after a few looks, unless each of them
 * ends as soon as it has started the next one, to be in no group of its org.
 */
async function moveStep(
  { id, step, build }: { readonly id: string; readonly step: Step; readonly build: Watched },
  options: WatchOptions,
): Promise<void> {
  const { cgroups, groups, limits } = options;
  const group = `${build.group}/${id}`;
  let moved = await cgroups.move(step.group, group);
  if (moved === null) {
    await groups.restore(build);
    moved = await cgroups.move(step.group, group);
  }
  step.looksOutside = moved === 0 ? 0 : step.looksOutside + 1;
  // Held to its limits where it was, too. After the move: what the kernel refuses and ends from then on counts at the build.
  await cgroups.holdProcesses(step.group, limits.ofBuild.processes);
  if (step.looksOutside > MOST_LOOKS_OUTSIDE) end(options, build, 'processes');
  // What it had before it was moved stays with that group.
  else if (!(await cgroups.holdMemory(step.group, limits.ofBuild.memoryBytes))) end(options, build, 'memory');
}

const CONTAINER_ID = /^[0-9a-f]{64}$/;

/** The engine removes the groups of the legacy builder's containers, with their counters, as soon as they end. */
async function keepCounters(cgroups: Cgroups, group: string): Promise<void> {
  for (const name of await cgroups.children(group)) {
    if (CONTAINER_ID.test(name)) await cgroups.move(`${group}/${name}`, `${group}/of-${name}`);
  }
}

/** A build that has reached its limit and may start no more processes goes on trying, without an end. */
async function endBombs(builds: ReadonlyMap<string, Watched>, options: WatchOptions): Promise<void> {
  for (const build of builds.values()) {
    if (isEnded(build)) continue;
    if ((await exceededBy(build, { ...options, onMemoryShort: options.memoryRoom.want })) === 'processes') {
      end(options, build, 'processes');
    }
  }
}
