import { readFileSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import type { SourceTree } from '../domain/catalog/app-source.ts';
import { listFolder } from './pack-folder.ts';

/** What a deploy uploads of a folder. */
export interface UploadedTree extends SourceTree {
  /** Text of a file; null when a deploy uploads none of that path. */
  read(path: string): string | null;
}

/** A folder as a build of it would see it: what a deploy leaves here is not there. @throws CliFailure with exit `usage` */
export async function uploadedTree(folder: string): Promise<UploadedTree> {
  const entries = await listFolder(folder);
  const uploaded = new Map(entries.map((entry) => [entry.path, entry]));
  const readUpTo = (path: string, limitBytes: number): string | null => {
    const entry = uploaded.get(path);
    // A link may lead to a file that stays here, such as `.env`.
    const target = entry?.kind === 'link' ? uploaded.get(posix.join(posix.dirname(entry.path), entry.target)) : entry;
    // Before it is read: a repository may hold a file that no memory holds.
    if (target?.kind !== 'file' || target.sizeBytes > limitBytes) return null;
    return readFileSync(join(folder, target.path), 'utf8');
  };
  return {
    read: (path) => readUpTo(path, Number.POSITIVE_INFINITY),
    readText: async (path, limitBytes) => readUpTo(path, limitBytes),
    list: async (path) => [
      ...new Set(entries.flatMap((entry) => pathBelow(path === '.' ? '' : path, entry.path)).map(firstName)),
    ],
  };
}

/** An app's folder inside a folder, from there; `.` for the folder itself. */
export function folderInside(folder: string, path: string): string {
  return relative(folder, resolve(folder, path)).split(sep).join('/') || '.';
}

/** The part of a tree below a folder of it. */
export function treeBelow(tree: UploadedTree, folder: string): UploadedTree {
  const at = (path: string): string => posix.join(folder, path);
  return {
    read: (path) => tree.read(at(path)),
    readText: (path, limitBytes) => tree.readText(at(path), limitBytes),
    list: (path) => tree.list(at(path)),
  };
}

const firstName = (path: string): string => path.split('/', 1)[0] ?? '';

function pathBelow(top: string, path: string): string[] {
  if (top === '') return [path];
  return path.startsWith(`${top}/`) ? [path.slice(top.length + 1)] : [];
}
