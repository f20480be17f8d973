import { posix } from 'node:path';

export type Entry =
  | { readonly kind: 'file'; readonly text: string; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory' };

/** A real path; null for what does not exist; `loop` for a link that leads to itself. */
export type RealPath = { readonly path: string } | null | 'loop';

/** Files, directories and symbolic links of this process, by absolute path. */
export interface FileTree {
  /** Puts an entry in place of what is there, and makes the directories above it. */
  put(path: string, entry: Entry): void;
  /** What stands at the path itself; a link is not followed. */
  at(path: string): Entry | undefined;
  /** The path with all links followed, as `realpath` has it. */
  real(path: string): RealPath;
  /** Names in a directory, in order. */
  names(directory: string): readonly string[];
  /** Every path below a directory, in order. */
  below(directory: string): readonly string[];
  /** Removes an entry with all that is below it. */
  remove(path: string): void;
}

/** As many links as Linux follows. */
const MOST_LINKS = 40;

export function createFileTree(): FileTree {
  const entries = new Map<string, Entry>([['/', { kind: 'directory' }]]);
  const below = (directory: string) => [...entries.keys()].filter((path) => isBelow(path, directory)).sort();
  return {
    put(path, entry) {
      for (let above = posix.dirname(path); !entries.has(above); above = posix.dirname(above)) {
        entries.set(above, { kind: 'directory' });
      }
      entries.set(path, entry);
    },
    at: (path) => entries.get(path),
    real: (path) => follow(entries, path),
    names: (directory) =>
      below(directory).flatMap((path) => (posix.dirname(path) === directory ? [posix.basename(path)] : [])),
    below,
    remove(path) {
      for (const each of [path, ...below(path)]) entries.delete(each);
    },
  };
}

function follow(entries: ReadonlyMap<string, Entry>, path: string): RealPath {
  let current = '/';
  let followed = 0;
  for (const rest = split(path); rest.length > 0; ) {
    const name = rest.shift() ?? '';
    const next = posix.join(current, name);
    const entry = entries.get(next);
    if (entry === undefined || (entry.kind === 'file' && rest.length > 0)) return null;
    if (entry.kind !== 'link') current = next;
    else {
      followed += 1;
      if (followed > MOST_LINKS) return 'loop';
      if (entry.target.startsWith('/')) current = '/';
      rest.unshift(...split(entry.target));
    }
  }
  return { path: current };
}

const split = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

const isBelow = (path: string, directory: string): boolean =>
  path !== directory && path.startsWith(directory === '/' ? '/' : `${directory}/`);

/** Text by path below a directory, links as `→ target`; null when there is no directory. */
export function treeOf(files: FileTree, directory: string): Record<string, string> | null {
  if (files.at(directory) === undefined) return null;
  const rows = files.below(directory).flatMap((path) => {
    const entry = files.at(path);
    if (entry === undefined || entry.kind === 'directory') return [];
    return [[posix.relative(directory, path), entry.kind === 'link' ? `→ ${entry.target}` : entry.text] as const];
  });
  return Object.fromEntries(rows);
}
