import { link, lstat, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { badEntry, checkLinkTarget, entryPath } from './entry-path.ts';

/** Makes entries of an archive below one directory, never through a link and never outside. */
export interface TreeWriter {
  directory(name: string): Promise<void>;
  symlink(name: string, target: string): Promise<void>;
  /** `target` is the name of an earlier file of the archive. */
  hardLink(name: string, target: string): Promise<void>;
  /** The absolute path for a file: parents made, an earlier entry of the same name removed. */
  place(name: string): Promise<string>;
  /** @throws ARCHIVE_INVALID when a symbolic link leads higher than `depth` directories below the root. */
  requireLinksBelow(depth: number): void;
}

/** A {@link TreeWriter} on `root`, which must exist and be ours alone while it works. */
export function createTreeWriter(root: string, limits: { pathBytes: number; entries: number }): TreeWriter {
  const links: { name: string; reaches: number }[] = [];
  /** Directories seen to be real ones. Forgotten at each new link: on some file systems two names are one. */
  const known = new Set<string>();
  let made = 0;

  const makeDirectory = async (path: string, name: string): Promise<void> => {
    made += 1;
    if (made > limits.entries) throw badEntry(name, `makes more than ${limits.entries} directories`);
    await mkdir(path, { mode: 0o755 });
  };

  const ensureDirectory = async (parts: readonly string[], name: string): Promise<string> => {
    let path = root;
    for (const part of parts) {
      path = join(path, part);
      if (known.has(path)) continue;
      const kind = await kindOf(path);
      if (kind === 'none') await makeDirectory(path, name);
      else if (kind === 'link') throw badEntry(name, 'passes through a symbolic link of the archive');
      else if (kind !== 'directory') throw badEntry(name, 'lies below something that is not a directory');
      known.add(path);
    }
    return path;
  };

  const place = async (name: string): Promise<string> => {
    const parts = entryPath(name, limits.pathBytes);
    const last = parts.at(-1);
    if (last === undefined) throw badEntry(name, 'has no name');
    const path = join(await ensureDirectory(parts.slice(0, -1), name), last);
    const kind = await kindOf(path);
    if (kind === 'directory') throw badEntry(name, 'replaces a directory');
    if (kind !== 'none') await rm(path);
    return path;
  };

  return {
    place,
    async directory(name) {
      await ensureDirectory(entryPath(name, limits.pathBytes), name);
    },
    async symlink(name, target) {
      const depth = entryPath(name, limits.pathBytes).length - 1;
      const reaches = checkLinkTarget(name, target, depth);
      await symlink(target, await place(name));
      links.push({ name, reaches });
      known.clear();
    },
    async hardLink(name, target) {
      const parts = entryPath(target, limits.pathBytes);
      const source = join(await ensureDirectory(parts.slice(0, -1), name), parts.at(-1) ?? '');
      if ((await kindOf(source)) !== 'file')
        throw badEntry(name, 'is a hard link to something that is no earlier file');
      const path = join(root, ...entryPath(name, limits.pathBytes));
      if (path !== source) await link(source, await place(name));
    },
    requireLinksBelow(depth) {
      const high = links.find((entry) => entry.reaches < depth);
      if (high !== undefined) throw badEntry(high.name, 'is a symbolic link that leads out of the archive');
    },
  };
}

async function kindOf(path: string): Promise<'none' | 'directory' | 'link' | 'file' | 'other'> {
  const facts = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (facts === null) return 'none';
  if (facts.isDirectory()) return 'directory';
  if (facts.isSymbolicLink()) return 'link';
  return facts.isFile() ? 'file' : 'other';
}
