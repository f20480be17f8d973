import { createHash } from 'node:crypto';
import { matchesGlob } from 'node:path/posix';
import { FairleadError } from '../../../domain/errors.ts';
import type { RefReader } from '../../../domain/git-hooks/ports.ts';

interface Commit {
  readonly message: string;
  readonly files: Readonly<Record<string, string>>;
}

/** A repository of this process, as a reader of heads sees it. */
export interface InMemoryRefs extends RefReader {
  /** Puts files on top of a branch or tag. @returns the commit id */
  commit(address: string, ref: string, files: Readonly<Record<string, string>>, message?: string): string;
  /** Points a branch or tag, new or not, at a commit, as a forced push does. */
  point(address: string, ref: string, commit: string): void;
  remove(address: string, ref: string): void;
  /** Git gives the commit out no more. */
  forget(commit: string): void;
  /** How often heads were read. */
  reads: number;
  /** What each read fails with; null for none. */
  failure: Error | null;
}

export function createInMemoryRefs(): InMemoryRefs {
  const repositories = new Map<string, Map<string, string>>();
  const commits = new Map<string, Commit>();
  const refsOf = (address: string): Map<string, string> => {
    const refs = repositories.get(address);
    if (refs === undefined) throw new FairleadError('SOURCE_MISSING', `${address} is not a git repository`);
    return refs;
  };
  const open = (address: string, signal: AbortSignal): Map<string, string> => {
    signal.throwIfAborted();
    if (reader.failure !== null) throw reader.failure;
    return refsOf(address);
  };
  const point = (address: string, ref: string, commit: string): void => {
    const refs = repositories.get(address) ?? new Map<string, string>();
    repositories.set(address, refs.set(ref, commit));
  };
  const reader: InMemoryRefs = {
    reads: 0,
    failure: null,
    point,
    commit(address, ref, files, message = 'change') {
      const before = repositories.get(address)?.get(ref) ?? '';
      const tree = { ...commits.get(before)?.files, ...files };
      const id = createHash('sha1')
        .update(JSON.stringify([address, before, tree, message]))
        .digest('hex');
      commits.set(id, { message, files: tree });
      point(address, ref, id);
      return id;
    },
    remove: (address, ref) => void refsOf(address).delete(ref),
    forget: (commit) => void commits.delete(commit),
    async readRefs({ url }, signal, only) {
      reader.reads += 1;
      const refs = open(url, signal);
      return new Map([...refs].filter(([name]) => only === undefined || only.includes(name)));
    },
    async readMessage({ url }, commit, signal) {
      open(url, signal);
      return commits.get(commit)?.message ?? null;
    },
    async hasChanged({ url, base, head, paths }, signal) {
      open(url, signal);
      const [from, to] = [commits.get(base)?.files, commits.get(head)?.files];
      if (from === undefined || to === undefined) return null;
      const changed = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
        (path) => from[path] !== to[path],
      );
      return changed.some((path) => isWatched(path, paths));
    },
  };
  return reader;
}

/** As git reads globs: those with `!` leave out what the others, or all, let through. */
function isWatched(path: string, globs: readonly string[]): boolean {
  const matches = (glob: string): boolean => matchesGlob(path, glob) || path.startsWith(`${glob}/`);
  const wanted = globs.filter((glob) => !glob.startsWith('!'));
  const unwanted = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  return (wanted.length === 0 || wanted.some(matches)) && !unwanted.some(matches);
}
