import { createHash } from 'node:crypto';

/** Content by path: text, or a symbolic link. */
export type RepositoryFiles = Readonly<Record<string, string | { readonly link: string }>>;

/** A git repository as far as a fetcher looks at it. */
export interface InMemoryRepository {
  /** Puts files on top of a branch, which begins at the head of `main` when it is new. @returns the commit id */
  commit(files: RepositoryFiles, branch?: string, subject?: string): string;
  /** Points a branch, new or not, at a commit. */
  point(branch: string, commit: string): void;
  /** Heads by branch; `main` is the default one. */
  readonly branches: ReadonlyMap<string, string>;
  /** Subject and parent of each commit; the parent of the first is empty. */
  readonly log: ReadonlyMap<string, { readonly subject: string; readonly parent: string }>;
  /** The whole tree of each commit. */
  readonly commits: ReadonlyMap<string, RepositoryFiles>;
}

export const DEFAULT_BRANCH = 'main';

export function createInMemoryRepository(): InMemoryRepository {
  const branches = new Map<string, string>();
  const commits = new Map<string, RepositoryFiles>();
  const log = new Map<string, { readonly subject: string; readonly parent: string }>();
  return {
    commit(files, branch = DEFAULT_BRANCH, subject = `change ${commits.size + 1}`) {
      const parent = branches.get(branch) ?? branches.get(DEFAULT_BRANCH) ?? '';
      const tree = { ...commits.get(parent), ...files };
      const id = createHash('sha1')
        .update(JSON.stringify([parent, tree]))
        .digest('hex');
      commits.set(id, tree);
      log.set(id, { subject, parent });
      branches.set(branch, id);
      return id;
    },
    point: (branch, commit) => void branches.set(branch, commit),
    branches,
    log,
    commits,
  };
}
