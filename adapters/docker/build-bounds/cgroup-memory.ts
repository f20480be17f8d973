import { join } from 'node:path';
import { foldersIn, textOf } from './cgroup-files.ts';

/** What groups have of the memory, and when they reach their limits. */
export interface CgroupMemory {
  /**
   * How often the limit of a group itself, and not that of a group above it, refused memory that nothing could be given back
   * for: by increase. Null where the kernel does not say.
   */
  memoryRefusals(path: string, of: { readonly below: boolean }): Promise<number | null>;
  /** Bytes that a group and those below it have and that cannot be given back: all but what is read again from files. */
  memoryUsed(path: string): Promise<number>;
}

/**
 * The limit of version 1 for memory and swap together. A little more than that of memory alone: that one is met first then, and
 * kernels since 6.16 count for it alone how often it is.
 */
export function withSwapBytes(memoryBytes: number): number {
  return memoryBytes + 1024 ** 2;
}

/** Version 1 counts each time a limit is met, also where the cache of files gives way to what is asked for. */
const FILES = {
  1: {
    refusals: ['memory.failcnt', /^(\d+)/],
    used: 'memory.usage_in_bytes',
    ofFiles: /^total_(?:in)?active_file (\d+)$/gm,
  },
  2: {
    refusals: ['memory.events.local', /^oom (\d+)$/m],
    used: 'memory.current',
    ofFiles: /^(?:in)?active_file (\d+)$/gm,
  },
} as const;

/** @param tree the folder of the kernel's that has the groups of memory */
export function createCgroupMemory(tree: string, version: 1 | 2): CgroupMemory {
  const files = FILES[version];
  const read = (path: string, name: string): string => textOf(join(tree, path, name));
  const refusals = (path: string, below: boolean): number | null => {
    const [name, count] = files.refusals;
    const own = count.exec(read(path, name))?.[1];
    if (own === undefined) return null;
    const names = below ? foldersIn(join(tree, path)) : [];
    return names.reduce((sum, each) => sum + (refusals(join(path, each), true) ?? 0), Number(own));
  };
  return {
    memoryRefusals: async (path, { below }) => refusals(path, below),
    async memoryUsed(path) {
      const used = read(path, files.used);
      const ofFiles = [...read(path, 'memory.stat').matchAll(files.ofFiles)].reduce(
        (sum, [, bytes]) => sum + Number(bytes),
        0,
      );
      return Math.max(0, Number(used) - ofFiles);
    },
  };
}
