import { setTimeout as delay } from 'node:timers/promises';
import type { BuildLimits } from '../../../domain/deploys/build-limits.ts';
import { createMutex } from '../../../domain/mutex.ts';
import { freeBytes } from '../../free-bytes.ts';
import type { EngineInfo } from '../engine-info.ts';
import type { Cgroups } from './cgroups.ts';
import { isOrphan, ORG, ownedName, ownMark } from './group-owner.ts';
import { firstRefusals } from './memory-refusals.ts';
import type { CpuShares } from './share-cpu.ts';
import { isEnded, NOTHING_CHARGED, newWatched, type Watched } from './watched-build.ts';

/** The control group of all builds of a stack. Below it each org has one, and below that each attempt at a build. */
export const buildsGroup = (stackId: string): string => `fairlead-${stackId}`;

/** Where the steps of a stack's own engine start, as the flag `--cgroup-parent` of the engine has it: bounded from the first. */
export const startingGroup = (stackId: string): string => `${buildsGroup(stackId)}/${STARTING}`;

const STARTING = 'starting';
/** What BuildKit in the engine adds to that. */
const OF_BUILDKIT = 'buildkit';
/** Where engines that were told nothing start steps, those of other stacks and of people as well. */
export const USUAL_STARTING_GROUP = `docker/${OF_BUILDKIT}`;
/** Of all steps that are not in the groups of their builds yet, so that nothing hangs on how soon the worker moves them. */
const STARTING_PROCESSES = 8_192;

const REMOVE_ATTEMPTS = 10;
const REMOVE_EVERY_MS = 1_000;

export interface BuildGroupsOptions {
  readonly cgroups: Cgroups;
  readonly stackId: string;
  readonly limits: BuildLimits;
  readonly engineInfo: () => Promise<Pick<EngineInfo, 'rootDirectory' | 'cgroupDriver'>>;
  /** True where the engine was told to start steps in the group that this stack has for that. */
  readonly hasOwnEngine?: boolean;
  readonly onWarning: (message: string) => void;
}

/** Makes and removes the groups of attempts at builds. */
export interface BuildGroups {
  /** Makes the group of an attempt, and adds it to the builds. */
  begin(attempt: string, org: string): Promise<Watched>;
  /** Makes the groups of a build that is under way anew, with their limits: something else has removed them. */
  restore(build: Watched): Promise<void>;
  /** @returns false when the group is left as it still has processes */
  remove(build: Watched): Promise<boolean>;
  /**
   * The steps of a build that was aborted end a moment after it, or are killed where no other build can want them; those of one
   * that exceeded a limit are killed again. What stays is removed by a later `begin`.
   */
  removeLater(build: Watched): Promise<void>;
}

export function createBuildGroups(
  options: BuildGroupsOptions,
  { shares, builds }: { readonly shares: CpuShares; readonly builds: Map<string, Watched> },
): BuildGroups {
  const { cgroups, stackId, limits, engineInfo, onWarning, hasOwnEngine = false } = options;
  const parent = buildsGroup(stackId);
  const starting = hasOwnEngine ? `${startingGroup(stackId)}/${OF_BUILDKIT}` : USUAL_STARTING_GROUP;
  // Those are in the group of all builds: full, they leave builds what they may have.
  const ofStarting = hasOwnEngine ? STARTING_PROCESSES : 0;
  // Whoever removes a group must not meet another who has just made it.
  const exclusively = createMutex();
  const make = async ({ group, org }: Pick<Watched, 'group' | 'org'>): Promise<void> => {
    // In this order: a group with another in it is not removed by the end of another worker's build.
    await cgroups.make(group, limits.ofBuild);
    await cgroups.make(org, limits.ofOrg);
    await cgroups.make(parent, { ...limits.ofAllBuilds, processes: limits.ofAllBuilds.processes + ofStarting });
  };
  const warn = (error: unknown): void =>
    onWarning(`What builds start is not bounded before it is moved: ${String(error)}`);
  /** Of builds that are over, whose processes have not ended. */
  const left = new Set<Watched>();
  const removeLeft = async (): Promise<void> => {
    for (const build of left) if (await cgroups.remove(build.group).catch(() => false)) left.delete(build);
  };
  const remove = (build: Watched): Promise<boolean> =>
    exclusively(parent, async () => {
      const isRemoved = await cgroups.remove(build.group);
      await cgroups.removeEmpty(build.org);
      if (builds.size === 0) await removeUnused(cgroups, parent);
      return isRemoved;
    });
  return {
    async begin(attempt, orgSlug) {
      const { rootDirectory, cgroupDriver } = await engineInfo();
      const freeAtStart = await freeBytes(rootDirectory);
      const org = `${parent}/${ORG}${orgSlug}`;
      const group = `${org}/${ownedName(attempt, await ownMark())}`;
      return await exclusively(parent, async () => {
        await removeLeft();
        await removeOrphans(cgroups, parent);
        await make({ group, org });
        const startedAt = performance.now();
        const memoryRefusals = await firstRefusals({ group, org }, cgroups, startedAt);
        const build = newWatched({ group, org, freeAtStart, startedAt, memoryRefusals });
        if (cgroupDriver === 'cgroupfs') await boundStarting(cgroups, starting).catch(warn);
        await shares.begin(build);
        builds.set(attempt, build);
        return build;
      });
    },
    restore: (build) =>
      exclusively(parent, async () => {
        if (![...builds.values()].includes(build)) return;
        onWarning(`The group of a build was removed while it builds, and is made anew: ${build.group}`);
        await make(build);
        build.notCharged = NOTHING_CHARGED;
        build.memoryRefusals = await firstRefusals(build, cgroups, performance.now());
        await shares.begin(build);
      }),
    remove,
    async removeLater(build) {
      for (let attempt = 0; attempt < REMOVE_ATTEMPTS; attempt += 1) {
        if (isEnded(build)) await cgroups.kill(build.group);
        await delay(REMOVE_EVERY_MS, undefined, { ref: false });
        if (await remove(build).catch(() => true)) return;
      }
      // A step may be another build's as well, which wants the same: it ends with that.
      if (builds.size === 0) await cgroups.kill(build.group);
      if (await remove(build)) return;
      left.add(build);
      onWarning(`Processes of a build are left in ${build.group}: the next build removes it once they have ended`);
    },
  };
}

/** Those that still have processes stay for the next build. */
async function removeOrphans(cgroups: Cgroups, parent: string): Promise<void> {
  for (const name of await cgroups.children(parent)) {
    const group = `${parent}/${name}`;
    if (!name.startsWith(ORG)) {
      // One without an org is of an earlier version.
      if (await isOrphan(name)) await cgroups.remove(group);
      continue;
    }
    // It is nobody's, however its slug looks: it goes when it is empty.
    for (const attempt of await cgroups.children(group)) {
      if (await isOrphan(attempt)) await cgroups.remove(`${group}/${attempt}`);
    }
    await cgroups.removeEmpty(group);
  }
}

/** No worker has a build, so nothing starts. */
async function removeUnused(cgroups: Cgroups, parent: string): Promise<void> {
  const children = await cgroups.children(parent);
  if (children.length === 1 && children[0] === STARTING) await cgroups.remove(`${parent}/${STARTING}`);
  await cgroups.removeEmpty(parent);
}

/** Where it is everybody's on the engine, an operator's lower limit stays, and so does the limit after the last build. */
async function boundStarting(cgroups: Cgroups, group: string): Promise<void> {
  await cgroups.make(group, {});
  await cgroups.holdProcesses(group, STARTING_PROCESSES);
}
