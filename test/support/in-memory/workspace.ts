import { posix } from 'node:path';
import { splitPath } from '../../../adapters/workspace/safe-path.ts';
import type { Workspace } from '../../../domain/deploys/source-ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { FileTree } from './file-tree.ts';

const BUILD_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const PLENTY_BYTES = 1024 ** 4;

export interface InMemoryWorkspaceOptions {
  readonly files: FileTree;
  /** Absolute. */
  readonly root?: string;
  readonly freeBytes?: () => number;
}

/** Checked-out source in the file tree of this process. */
export function createInMemoryWorkspace(options: InMemoryWorkspaceOptions): Workspace {
  const { files, root = '/workspace', freeBytes = () => PLENTY_BYTES } = options;
  const directory = (buildId: string): string => {
    if (!BUILD_ID.test(buildId)) throw new Error('a build id is letters, digits, dashes and underscores');
    return posix.join(root, buildId);
  };
  return {
    directory,
    async readText(buildId, path, limitBytes) {
      const found = resolve(files, directory(buildId), path);
      if (found === null) return null;
      const entry = files.at(found);
      if (entry?.kind !== 'file') throw refused(`${path} in the source is not a file`);
      if (Buffer.byteLength(entry.text) > limitBytes) throw refused(`${path} is larger than ${limitBytes} bytes`);
      return entry.text;
    },
    async list(buildId, path) {
      const found = resolve(files, directory(buildId), path);
      return found === null ? [] : files.names(found);
    },
    async write(buildId, path, text, mode = 0o644) {
      const parts = splitPath(path);
      const name = parts.at(-1);
      if (name === undefined) throw refused('Cannot write a file without a name');
      const target = posix.join(enter(files, directory(buildId), parts.slice(0, -1), path), name);
      if (files.at(target)?.kind === 'directory') throw refused(`${path} in the source is a directory`);
      files.put(target, { kind: 'file', text, mode });
    },
    remove: async (buildId) => files.remove(directory(buildId)),
    freeBytes: async () => freeBytes(),
    builds: async () =>
      files.names(root).filter((name) => BUILD_ID.test(name) && files.at(posix.join(root, name))?.kind === 'directory'),
  };
}

/** The real path of something inside `root`; null when there is none. @throws SOURCE_REFUSED outside */
function resolve(files: FileTree, root: string, path: string): string | null {
  const real = files.real(posix.join(root, ...splitPath(path)));
  if (real === 'loop') throw refused(`${path} in the source is a link to itself`);
  return real === null ? null : inside(root, real.path, path);
}

/** A directory inside `root`, made when it is missing. @throws SOURCE_REFUSED */
function enter(files: FileTree, root: string, parts: readonly string[], shown: string): string {
  let current = root;
  for (const part of parts) {
    const next = posix.join(current, part);
    const real = files.real(next);
    if (real === 'loop' || (real === null && files.at(next) !== undefined)) throw leaves(shown);
    if (real === null) files.put(next, { kind: 'directory' });
    current = inside(root, real?.path ?? next, shown);
    if (files.at(current)?.kind !== 'directory') throw refused(`${shown} lies below ${part}, which is no directory`);
  }
  return current;
}

function inside(root: string, path: string, shown: string): string {
  if (path === root || path.startsWith(`${root}/`)) return path;
  throw leaves(shown);
}

const leaves = (shown: string) => refused(`${shown} points outside the source through a symbolic link`);

const refused = (message: string) => new FairleadError('SOURCE_REFUSED', message);
