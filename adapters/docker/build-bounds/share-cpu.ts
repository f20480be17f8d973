import { cpus } from 'node:os';
import {
  addRecentCpu,
  areStarving,
  isForgotten,
  NO_RECENT_CPU,
  type RecentCpu,
  WEIGHT_OF_ALL_BUILDS,
  weightOfBuild,
  weightOfOrg,
} from '../../../domain/deploys/build-shares.ts';
import type { Cgroups } from './cgroups.ts';
import { isEnded, type Watched } from './watched-build.ts';

/** CPU times of the machine, all CPUs together, in milliseconds since it began. */
export interface MachineTimes {
  readonly idleMs: number;
  readonly totalMs: number;
}

interface Clocks {
  readonly machineTimes: () => MachineTimes;
  /** In milliseconds; nobody sets it back. */
  readonly now: () => number;
}

export interface CpuShares {
  /** Sets the share of all builds of the stack, and those of a build and its org, whose groups are there. */
  begin(build: Watched): Promise<void>;
  /** Sets all of them anew, by what was used meanwhile; at most once a second. */
  look(builds: Iterable<Watched>): Promise<void>;
}

type Group = Pick<Cgroups, 'weigh' | 'giveWay' | 'cpuUsedMs'>;

/** What an org's builds used, also while none of them runs. */
interface OrgUse {
  recent: RecentCpu;
  /** Of the org's group, which begins at 0 each time it is made. */
  countedMs: number;
  weight: number | null;
}

interface Counted extends MachineTimes {
  readonly buildsMs: number;
}

const LOOK_EVERY_MS = 1_000;

/**
 * Divides the CPU. All builds together give way to the platform's processes and to workloads, at once and not only by their
 * share: a deploy is thousands of short steps of many processes, each of which would else wait for a busy build's turn to end.
 * They starve where others take all of the CPU, and have a share of it then. Below them each org has one group, whatever
 * number of builds it has, and the orgs that used much lately give way to the others.
 */
export function createCpuShares(
  cgroups: Group,
  parent: string,
  { machineTimes = readMachineTimes, now = () => performance.now() }: Partial<Clocks> = {},
): CpuShares {
  const orgs = new Map<string, OrgUse>();
  let counted: Counted | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const letGiveWay = async (givesWay: boolean): Promise<void> => {
    // One that gave way has the usual weight after it.
    if (!(await cgroups.giveWay(parent, givesWay))) await cgroups.weigh(parent, WEIGHT_OF_ALL_BUILDS);
  };
  const shareAll = async (): Promise<void> => {
    const count = { ...machineTimes(), buildsMs: await cgroups.cpuUsedMs(parent) };
    const before = counted;
    counted = count;
    const totalMs = count.totalMs - (before?.totalMs ?? count.totalMs);
    if (before === null || totalMs <= 0) return;
    const idle = (count.idleMs - before.idleMs) / totalMs;
    await letGiveWay(!areStarving({ idle, builds: (count.buildsMs - before.buildsMs) / totalMs }));
  };
  const shareOfOrg = async (group: string): Promise<void> => {
    const usedMs = await cgroups.cpuUsedMs(group);
    // Of a group that outlived what is known of it, nobody knows when it used that.
    const use: OrgUse = orgs.get(group) ?? { recent: NO_RECENT_CPU, countedMs: usedMs, weight: null };
    orgs.set(group, use);
    use.recent = addRecentCpu(use.recent, Math.max(0, usedMs - use.countedMs), now());
    use.countedMs = usedMs;
    const weight = weightOfOrg(use.recent);
    if (weight !== use.weight) await cgroups.weigh(group, weight);
    use.weight = weight;
  };
  const forgetAllBut = (building: ReadonlySet<string>): void => {
    for (const [group, { recent }] of orgs) {
      if (!building.has(group) && isForgotten(addRecentCpu(recent, 0, now()))) orgs.delete(group);
    }
  };

  return {
    async begin(build) {
      await cgroups.weigh(parent, WEIGHT_OF_ALL_BUILDS);
      await cgroups.giveWay(parent, true);
      const use = orgs.get(build.org);
      // It may have been made anew, and weighs what is usual.
      if (use !== undefined) orgs.set(build.org, { ...use, weight: null });
      await shareOfOrg(build.org);
      await cgroups.weigh(build.group, build.weight);
    },
    async look(builds) {
      if (now() - lookedAt < LOOK_EVERY_MS) return;
      lookedAt = now();
      const building = new Set([...builds].map(({ org }) => org));
      forgetAllBut(building);
      await shareAll();
      for (const group of building) await shareOfOrg(group);
      for (const build of builds) await shareOfBuild(cgroups, build, now());
    },
  };
}

async function shareOfBuild(cgroups: Group, build: Watched, now: number): Promise<void> {
  // One that is ended needs its CPU for that.
  if (isEnded(build)) return;
  const weight = weightOfBuild(now - build.startedAt);
  if (weight === build.weight) return;
  await cgroups.weigh(build.group, weight);
  build.weight = weight;
}

function readMachineTimes(): MachineTimes {
  const times = cpus().map(({ times }) => times);
  const sum = (each: (typeof times)[number]): number => each.user + each.nice + each.sys + each.irq + each.idle;
  return {
    idleMs: times.reduce((all, { idle }) => all + idle, 0),
    totalMs: times.reduce((all, each) => all + sum(each), 0),
  };
}
