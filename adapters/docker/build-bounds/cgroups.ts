import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  exists,
  foldersIn,
  idsIn,
  ignoreGone,
  makeFolder,
  processesIn,
  removeFolder,
  removeTree,
  setExisting,
  sumBelow,
  textOf,
  unlessRemoved,
} from './cgroup-files.ts';
import { type CgroupMemory, createCgroupMemory, withSwapBytes } from './cgroup-memory.ts';
import { type CgroupShares, createCgroupShares } from './cgroup-shares.ts';

/** What the processes of a group may use together. */
export interface GroupLimits {
  /** Left out: as many as the groups above it have; likewise for the memory. */
  readonly processes?: number;
  readonly memoryBytes?: number;
}

/** How often a process was not started because of the limit, and how many were killed for want of memory: by increase. */
export interface GroupEvents {
  readonly refusedForks: number;
  readonly memoryKills: number;
}

/** Control groups of this machine. Paths of groups are relative to the root of a tree. */
export interface Cgroups extends CgroupShares, CgroupMemory {
  /** Makes a group below groups that exist, and sets its limits. Idempotent. */
  make(path: string, limits: GroupLimits): Promise<void>;
  /** Holds a group that others made to so many processes, unless it is held to fewer. One that is gone is left out. */
  holdProcesses(path: string, limit: number): Promise<void>;
  /** The same with memory. @returns false when it has more than that already, and cannot be held */
  holdMemory(path: string, bytes: number): Promise<boolean>;
  /**
   * Moves all processes of one group into another, which is made in one that exists: none is made without its limits.
   * @returns how many were found, in each of the trees; null when the one above it is gone, and processes stay where they are
   */
  move(from: string, to: string): Promise<number | null>;
  /** Process ids of a group and of those below it. */
  processes(path: string): Promise<number[]>;
  /** Names of the groups right below a group. */
  children(path: string): Promise<string[]>;
  events(path: string): Promise<GroupEvents>;
  /** The most processes that a group and those below it had at once; null for kernels that do not count it (before 6.1). */
  mostProcesses(path: string): Promise<number | null>;
  /** Kills all processes of a group and of those below it; none of them starts another one meanwhile. */
  kill(path: string): Promise<void>;
  /** Removes a group and those below it. @returns false when such are left as still have processes */
  remove(path: string): Promise<boolean>;
  /** Removes a group that has none below it; any other stays. */
  removeEmpty(path: string): Promise<void>;
}

const CONTROLLERS = ['pids', 'memory', 'cpu'] as const;
/** By version: groups go without those that this machine does not have. */
const MORE_CONTROLLERS = { 1: ['cpuacct', 'blkio'], 2: ['io'] } as const;
type Controller = (typeof CONTROLLERS)[number];

/** Files of a group by version of the kernel's interface. */
const FILES = {
  1: {
    memory: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
    memoryEvents: 'memory.oom_control',
  },
  2: {
    memory: ['memory.max', 'memory.swap.max'],
    memoryEvents: 'memory.events',
  },
} as const;

const SWAPPINESS = 'memory.swappiness';

const KILL_MS = 10_000;
const LONGEST_PAUSE_MS = 200;
const WEIGHT_OF_ENDING = 16;

/** The control groups that this process may change; null where there are none, or the user may not. */
export async function findCgroups(root = '/sys/fs/cgroup'): Promise<Cgroups | null> {
  const version = (await exists(join(root, 'cgroup.controllers'))) ? 2 : 1;
  const trees = version === 2 ? [root] : CONTROLLERS.map((controller) => join(root, controller));
  const writable = await Promise.all(trees.map(isTree));
  if (process.getuid?.() !== 0 || writable.includes(false)) return null;
  if (version === 2) return createCgroups(root, version, trees);
  for (const tree of MORE_CONTROLLERS[1].map((name) => join(root, name))) if (await isTree(tree)) trees.push(tree);
  // Some are one tree with two names.
  return createCgroups(root, version, [...new Set(await Promise.all(trees.map((tree) => realpath(tree))))]);
}

const isTree = (folder: string): Promise<boolean> => exists(join(folder, 'cgroup.procs'));

function createCgroups(root: string, version: 1 | 2, trees: readonly string[]): Cgroups {
  const folder = (controller: Controller, path: string) => join(version === 2 ? root : join(root, controller), path);
  const makeFolders = async (path: string): Promise<void> => {
    for (const tree of trees) await mkdir(join(tree, path), { recursive: true });
  };
  // The engine puts containers of the legacy builder into all of them.
  const allTrees = async () => (version === 2 ? [root] : foldersIn(root).map((name) => join(root, name)));
  const processes = async (path: string) => processesIn(folder('pids', path));
  const shares = createCgroupShares(root, version);
  const memory = createCgroupMemory(folder('memory', ''), version);
  const setMemory = async (path: string, bytes: number): Promise<void> => {
    const [alone, withSwap] = FILES[version].memory;
    const set = (name: string, value: number) => writeFile(join(folder('memory', path), name), String(value));
    if (version === 2) {
      await set(alone, bytes);
      // A kernel without swap has no such file; likewise below.
      return await set(withSwap, 0).catch(ignoreGone);
    }
    await set(SWAPPINESS, 0).catch(ignoreGone);
    // Neither may ever be more than the other allows: where it is raised this comes first, else last.
    await set(withSwap, withSwapBytes(bytes)).catch(() => undefined);
    await set(alone, bytes);
    await set(withSwap, withSwapBytes(bytes)).catch(ignoreGone);
  };
  const make = async (path: string, { processes: limit, memoryBytes }: GroupLimits): Promise<void> => {
    if (version === 2) await enableControllers(root, path);
    await makeFolders(path);
    if (limit !== undefined) await writeFile(join(folder('pids', path), 'pids.max'), String(limit));
    if (memoryBytes !== undefined) await setMemory(path, memoryBytes);
  };
  return {
    ...shares,
    ...memory,
    make: (path, limits) => unlessRemoved(() => make(path, limits)),
    async holdProcesses(path, limit) {
      const file = join(folder('pids', path), 'pids.max');
      const held = Number(textOf(file)); // NaN for `max`
      if (!(held <= limit)) await writeFile(file, String(limit)).catch(ignoreGone);
    },
    async holdMemory(path, bytes) {
      const [file] = FILES[version].memory;
      const held = Number(textOf(join(folder('memory', path), file))); // NaN for `max`
      if (held <= bytes) return true;
      if ((await memory.memoryUsed(path)) > bytes) return false;
      // What it has of files, and cannot be given back yet, is no reason.
      await setMemory(path, bytes).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EBUSY') ignoreGone(error);
      });
      return true;
    },
    async move(from, to) {
      let found = 0;
      for (const tree of trees) {
        const pids = idsIn(join(tree, from));
        if (pids.length > 0 && !(await makeFolder(join(tree, to)))) return null;
        for (const pid of pids) await writeFile(join(tree, to, 'cgroup.procs'), String(pid)).catch(ignoreGone);
        found += pids.length;
      }
      return found;
    },
    processes,
    children: async (path) => foldersIn(folder('pids', path)),
    events: async (path) => ({
      refusedForks: sumBelow(folder('pids', path), 'pids.events', 'max'),
      memoryKills: sumBelow(folder('memory', path), FILES[version].memoryEvents, 'oom_kill'),
    }),
    mostProcesses: async (path) => {
      const text = textOf(join(folder('pids', path), 'pids.peak'));
      return text === '' ? null : Number(text);
    },
    async kill(path) {
      await writeFile(join(folder('pids', path), 'pids.max'), '0').catch(ignoreGone);
      // The end of thousands takes CPU, too, of which busy builds beside it leave little.
      await shares.weigh(path, WEIGHT_OF_ENDING);
      const killed = await setExisting(join(folder('pids', path), 'cgroup.kill'), '1');
      await killEach(() => processes(path), { killed });
    },
    async remove(path) {
      const removed = await Promise.all((await allTrees()).map((tree) => removeTree(join(tree, path))));
      return !removed.includes(false);
    },
    async removeEmpty(path) {
      for (const tree of await allTrees()) await removeFolder(join(tree, path));
    },
  };
}

/** Waits until none of them is left, and kills those that a kernel without `cgroup.kill` (before 5.14) has not killed. */
async function killEach(processes: () => Promise<number[]>, { killed }: { readonly killed: boolean }): Promise<void> {
  // Once each: of thousands, most are about to end when they are looked at again.
  const told = new Set<number>();
  const deadline = performance.now() + KILL_MS;
  for (let pauseMs = 10; performance.now() < deadline; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const left = await processes();
    if (left.length === 0) return;
    for (const pid of killed ? [] : left.filter((each) => !told.has(each))) {
      killProcess(pid);
      told.add(pid);
    }
    await delay(pauseMs);
  }
}

/** Version 2: a group has the controllers that the groups above it pass on. */
async function enableControllers(root: string, path: string): Promise<void> {
  const known = (await readFile(join(root, 'cgroup.controllers'), 'utf8')).trim().split(/\s+/);
  const more = MORE_CONTROLLERS[2].filter((controller) => known.includes(controller));
  const enabled = [...CONTROLLERS, ...more].map((controller) => `+${controller}`).join(' ');
  let above = root;
  for (const name of path.split('/')) {
    await writeFile(join(above, 'cgroup.subtree_control'), enabled);
    above = join(above, name);
    await mkdir(above, { recursive: true });
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    ignoreGone(error as NodeJS.ErrnoException);
  }
}
