import { mkdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { FairleadError } from '../../domain/errors.ts';

/**
 * The components of a path relative to the source; empty for its root.
 * @throws SOURCE_REFUSED for absolute paths, ".." and NUL.
 */
export function splitPath(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (isAbsolute(path) || parts.includes('..') || path.includes('\0')) {
    throw new FairleadError(
      'SOURCE_REFUSED',
      `Path ${JSON.stringify(path)} must be relative and stay inside the source`,
    );
  }
  return parts;
}

/**
 * The real path of something inside `root`, links followed; null when it does not exist.
 * @throws SOURCE_REFUSED when it is outside.
 */
export async function resolveInside(root: string, path: string): Promise<string | null> {
  const parts = splitPath(path);
  const realRoot = await realOrNull(root, path);
  if (realRoot === null) return null;
  const real = await realOrNull(join(realRoot, ...parts), path);
  if (real !== null) requireInside(realRoot, real, path);
  return real;
}

/**
 * The real path of a directory inside `root`, made when it is missing. Each component is resolved before the next one
 * is made, so that a link to a place outside is refused before anything is made there.
 */
export async function enterDirectory(root: string, parts: readonly string[], shown: string): Promise<string> {
  await mkdir(root, { recursive: true });
  const realRoot = await realpath(root);
  let current = realRoot;
  for (const part of parts) {
    const next = join(current, part);
    const real = await realOrNull(next, shown);
    if (real === null) {
      // A dangling link is in the way of mkdir as well.
      await mkdir(next).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST' ? leaves(shown) : error;
      });
      current = next;
      continue;
    }
    requireInside(realRoot, real, shown);
    if (!(await stat(real)).isDirectory()) {
      throw new FairleadError('SOURCE_REFUSED', `${shown} lies below ${part}, which is not a directory`);
    }
    current = real;
  }
  return current;
}

async function realOrNull(path: string, shown: string): Promise<string | null> {
  return await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    if (error.code === 'ELOOP') throw new FairleadError('SOURCE_REFUSED', `${shown} in the source is a link to itself`);
    throw error;
  });
}

function requireInside(realRoot: string, real: string, shown: string): void {
  if (real !== realRoot && !real.startsWith(`${realRoot}${sep}`)) throw leaves(shown);
}

function leaves(shown: string): FairleadError {
  return new FairleadError(
    'SOURCE_REFUSED',
    `${shown} points outside the source through a symbolic link; replace the link with the file`,
  );
}
