import type { BuildLimits } from '../../../domain/deploys/build-limits.ts';
import type { Cgroups } from './cgroups.ts';
import { ORG } from './group-owner.ts';
import { endForOthers, isEnded, type Watched } from './watched-build.ts';

export interface MemoryRoom {
  /** A build of the org that this is the group of kept its limits, and lost a process to the kernel. */
  want(org: string): void;
  /**
   * Ends a build where that was since the last look: that which has most of the org that has most, when this is more than its
   * part. One of another worker is left.
   */
  look(): Promise<void>;
}

interface MemoryRoomOptions {
  readonly cgroups: Cgroups;
  readonly limits: Pick<BuildLimits, 'ofAllBuilds'>;
  readonly onWarning: (message: string) => void;
}

/**
 * Room in the memory of all builds together. The kernel ends the largest process of all, which need not be of those who took
 * the memory: files in memory are of no process, and many processes are small.
 */
export function createMemoryRoom(
  options: MemoryRoomOptions,
  { parent, builds }: { readonly parent: string; readonly builds: ReadonlyMap<string, Watched> },
): MemoryRoom {
  const { cgroups, limits, onWarning } = options;
  const wanted = new Set<string>();
  const usedBy = (groups: readonly string[]) =>
    Promise.all(groups.map(async (group) => ({ group, bytes: await cgroups.memoryUsed(group) })));
  return {
    want: (org) => void wanted.add(org),
    async look() {
      if (wanted.size === 0) return;
      const names = await cgroups.children(parent);
      const orgs = names.filter((name) => name.startsWith(ORG)).map((name) => `${parent}/${name}`);
      const part = limits.ofAllBuilds.memoryBytes / new Set([...orgs, ...wanted]).size;
      const org = largest(await usedBy(orgs));
      const isOver = org !== null && org.bytes > part && !wanted.has(org.group);
      wanted.clear();
      if (!isOver) return;
      const running = [...builds.values()].filter((build) => build.org === org.group && !isEnded(build));
      const group = largest(await usedBy(running.map((build) => build.group)))?.group;
      const build = running.find((each) => each.group === group);
      if (build === undefined) return;
      onWarning(`Builds have no memory left, and one of the org that has most of it gives way: ${build.group}`);
      endForOthers(options, build);
    },
  };
}

function largest<T extends { readonly bytes: number }>(all: readonly T[]): T | null {
  return all.toSorted((one, other) => other.bytes - one.bytes)[0] ?? null;
}
