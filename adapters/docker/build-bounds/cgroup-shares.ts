import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreGone, setExisting, textOf } from './cgroup-files.ts';

/** How groups share the CPU and the disk. */
export interface CgroupShares {
  /**
   * What part of the CPU a group gets beside others of its parent that are as busy, and of the disk where its scheduler
   * knows groups (BFQ, io.cost); 1 is usual. One that gives way has no part of the CPU.
   */
  weigh(path: string, weight: number): Promise<void>;
  /**
   * Lets a group have the CPU only while no other group of its parent wants it, or no longer so: then it has the usual weight.
   * @returns whether it gives way now; kernels before 5.15 know no such groups
   */
  giveWay(path: string, givesWay: boolean): Promise<boolean>;
  /** CPU time that a group and those below it have used since it was made; 0 where the kernel does not count it. */
  cpuUsedMs(path: string): Promise<number>;
}

/** Files of a group by version of the kernel's interface, with their trees. */
const FILES = {
  1: {
    weight: ['cpu', 'cpu.shares'],
    usualWeight: 1024,
    diskWeights: [['blkio', 'blkio.bfq.weight']],
    used: ['cpuacct', 'cpuacct.usage'],
    usedValue: /^(\d+)/,
    usedPerMs: 1e6,
  },
  2: {
    weight: ['', 'cpu.weight'],
    usualWeight: 100,
    diskWeights: [
      ['', 'io.weight'],
      ['', 'io.bfq.weight'],
    ],
    used: ['', 'cpu.stat'],
    usedValue: /^usage_usec (\d+)$/m,
    usedPerMs: 1e3,
  },
} as const;

const USUAL_DISK_WEIGHT = 100;
const MOST_DISK_WEIGHT = 1_000;

export function createCgroupShares(root: string, version: 1 | 2): CgroupShares {
  const files = FILES[version];
  const fileOf = (path: string, [tree, name]: readonly [string, string]) => join(root, tree, path, name);
  return {
    async weigh(path, weight) {
      const value = Math.max(2, Math.round(weight * files.usualWeight));
      await writeFile(fileOf(path, files.weight), String(value)).catch(ignoreGoneOrGivingWay);
      const ofDisk = Math.min(MOST_DISK_WEIGHT, Math.max(1, Math.round(weight * USUAL_DISK_WEIGHT)));
      for (const name of files.diskWeights) await setExisting(fileOf(path, name), String(ofDisk));
    },
    async giveWay(path, givesWay) {
      const [tree] = files.weight;
      return (await setExisting(fileOf(path, [tree, 'cpu.idle']), givesWay ? '1' : '0')) && givesWay;
    },
    async cpuUsedMs(path) {
      return Number(files.usedValue.exec(textOf(fileOf(path, files.used)))?.[1] ?? 0) / files.usedPerMs;
    },
  };
}

function ignoreGoneOrGivingWay(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EINVAL') ignoreGone(error);
}
