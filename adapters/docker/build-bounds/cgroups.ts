import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

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
export interface Cgroups {
  /** Makes a group below groups that exist, and sets its limits. Idempotent. */
  make(path: string, limits: GroupLimits): Promise<void>;
  /** Holds a group that others made to so many processes, unless it is held to fewer. One that is gone is left out. */
  holdProcesses(path: string, limit: number): Promise<void>;
  /** What part of the CPU a group gets beside others of its parent that are as busy; 1 is usual. */
  weigh(path: string, weight: number): Promise<void>;
  /** Moves all processes of one group into another, which is made. */
  move(from: string, to: string): Promise<void>;
  /** Process ids of a group and of those below it. */
  processes(path: string): Promise<number[]>;
  /** Names of the groups right below a group. */
  children(path: string): Promise<string[]>;
  events(path: string): Promise<GroupEvents>;
  /** Kills all processes of a group and of those below it; none of them starts another one meanwhile. */
  kill(path: string): Promise<void>;
  /** Removes a group and those below it. @returns false when such are left as still have processes */
  remove(path: string): Promise<boolean>;
  /** Removes a group that has none below it; any other stays. */
  removeEmpty(path: string): Promise<void>;
}

const CONTROLLERS = ['pids', 'memory', 'cpu'] as const;
type Controller = (typeof CONTROLLERS)[number];

/** Files of a group by version of the kernel's interface. */
const FILES = {
  1: {
    memory: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
    memoryEvents: 'memory.oom_control',
    weight: 'cpu.shares',
    usualWeight: 1024,
  },
  2: {
    memory: ['memory.max', 'memory.swap.max'],
    memoryEvents: 'memory.events',
    weight: 'cpu.weight',
    usualWeight: 100,
  },
} as const;

const KILL_ROUNDS = 200;
const WEIGHT_OF_ENDING = 16;

/** The control groups that this process may change; null where there are none, or the user may not. */
export async function findCgroups(root = '/sys/fs/cgroup'): Promise<Cgroups | null> {
  const version = (await exists(join(root, 'cgroup.controllers'))) ? 2 : 1;
  const trees = version === 2 ? [root] : CONTROLLERS.map((controller) => join(root, controller));
  const writable = await Promise.all(trees.map((tree) => exists(join(tree, 'cgroup.procs'))));
  if (process.getuid?.() !== 0 || writable.includes(false)) return null;
  return createCgroups(root, version, trees);
}

function createCgroups(root: string, version: 1 | 2, trees: readonly string[]): Cgroups {
  const folder = (controller: Controller, path: string) => join(version === 2 ? root : join(root, controller), path);
  const makeFolders = async (path: string): Promise<void> => {
    for (const tree of trees) await mkdir(join(tree, path), { recursive: true });
  };
  // The engine puts containers of the legacy builder into all of them.
  const allTrees = async () => (version === 2 ? [root] : (await foldersIn(root)).map((name) => join(root, name)));
  const processes = (path: string) => processesIn(folder('pids', path));
  return {
    async make(path, { processes: limit, memoryBytes }) {
      if (version === 2) await enableControllers(root, path);
      await makeFolders(path);
      if (limit !== undefined) await writeFile(join(folder('pids', path), 'pids.max'), String(limit));
      if (memoryBytes === undefined) return;
      const [memory, withSwap] = FILES[version].memory;
      await writeFile(join(folder('memory', path), memory), String(memoryBytes));
      // Version 1 limits memory and swap together, version 2 swap alone. A kernel without swap has no such file.
      const swap = version === 2 ? 0 : memoryBytes;
      await writeFile(join(folder('memory', path), withSwap), String(swap)).catch(ignoreGone);
    },
    async holdProcesses(path, limit) {
      const file = join(folder('pids', path), 'pids.max');
      const held = Number(await readFile(file, 'utf8').catch(() => '0')); // NaN for `max`
      if (!(held <= limit)) await writeFile(file, String(limit)).catch(ignoreGone);
    },
    async weigh(path, weight) {
      const { weight: file, usualWeight } = FILES[version];
      const value = Math.max(2, Math.round(weight * usualWeight));
      await writeFile(join(folder('cpu', path), file), String(value)).catch(ignoreGone);
    },
    async move(from, to) {
      for (const tree of trees) {
        const pids = await idsIn(join(tree, from));
        if (pids.length > 0) await makeFolders(to);
        for (const pid of pids) await writeFile(join(tree, to, 'cgroup.procs'), String(pid)).catch(ignoreGone);
      }
    },
    processes,
    children: (path) => foldersIn(folder('pids', path)),
    events: async (path) => ({
      refusedForks: await sumBelow(folder('pids', path), 'pids.events', 'max'),
      memoryKills: await sumBelow(folder('memory', path), FILES[version].memoryEvents, 'oom_kill'),
    }),
    async kill(path) {
      await writeFile(join(folder('pids', path), 'pids.max'), '0').catch(ignoreGone);
      // The end of thousands takes CPU, too, of which busy builds beside it leave little.
      await this.weigh(path, WEIGHT_OF_ENDING);
      for (let round = 0; round < KILL_ROUNDS; round += 1) {
        const left = await processes(path);
        if (left.length === 0) return;
        for (const pid of left) killProcess(pid);
        await delay(10);
      }
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

/** Version 2: a group has the controllers that the groups above it pass on. */
async function enableControllers(root: string, path: string): Promise<void> {
  const enabled = CONTROLLERS.map((controller) => `+${controller}`).join(' ');
  let above = root;
  for (const name of path.split('/')) {
    await writeFile(join(above, 'cgroup.subtree_control'), enabled);
    above = join(above, name);
    await mkdir(above, { recursive: true });
  }
}

async function idsIn(folder: string): Promise<number[]> {
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}

async function processesIn(folder: string): Promise<number[]> {
  const below = await foldersIn(folder);
  const all = await Promise.all([idsIn(folder), ...below.map((name) => processesIn(join(folder, name)))]);
  return all.flat();
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function removeTree(folder: string): Promise<boolean> {
  for (const name of await foldersIn(folder)) await removeTree(join(folder, name));
  return await removeFolder(folder);
}

async function removeFolder(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EBUSY' || code === 'ENOTEMPTY') return false;
    if (code === 'ENOENT') return true;
    throw error;
  }
}

/** Kernels count at the group of the process, at that of the limit, or at both: what counts here is whether it grows. */
async function sumBelow(folder: string, file: string, name: string): Promise<number> {
  const text = await readFile(join(folder, file), 'utf8').catch(() => '');
  const own = Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  const below = await Promise.all((await foldersIn(folder)).map((each) => sumBelow(join(folder, each), file, name)));
  return below.reduce((sum, count) => sum + count, own);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    ignoreGone(error as NodeJS.ErrnoException);
  }
}

/** A process or a group that has ended meanwhile. */
function ignoreGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ESRCH' && error.code !== 'ENOENT' && error.code !== 'ENODEV') throw error;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
