import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is a folder or lies below it, by the words of both alone. */
export function isInside(root: string, path: string): boolean {
  const below = relative(root, path);
  return below === '' || (!below.startsWith(`..${sep}`) && below !== '..' && !isAbsolute(below));
}
