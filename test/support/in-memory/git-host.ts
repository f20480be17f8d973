import { FairleadError } from '../../../domain/errors.ts';
import type {
  CommitStatus,
  GitHost,
  HookTarget,
  HostedRepository,
  PushedHead,
} from '../../../domain/git-hooks/git-host.ts';

export interface InMemoryHook extends HookTarget {
  readonly hookId: string;
  readonly repositoryUrl: string;
}

/** A git host in this process, with what it was told. */
export interface InMemoryGitHost extends GitHost {
  /** Commits by the address of their repository; a repository that is not a key is not there. */
  readonly repositories: Map<string, Set<string>>;
  /** Tokens that it takes; empty takes all. */
  readonly tokens: Set<string>;
  /** The last status of each context of a commit, in the order in which they came. */
  statuses(commit: string): readonly CommitStatus[];
  hooks(): readonly InMemoryHook[];
  /** Who pushed what, the newest last. */
  readonly pushes: (PushedHead & { readonly repositoryUrl: string; readonly accountId: string })[];
  /** What every call fails with; null for none. */
  failure: FairleadError | null;
}

export function createInMemoryGitHost(repositories: Readonly<Record<string, readonly string[]>> = {}): InMemoryGitHost {
  const statuses = new Map<string, CommitStatus>();
  const hooks = new Map<string, InMemoryHook>();
  let made = 0;

  const open = ({ repositoryUrl, token }: HostedRepository, signal?: AbortSignal): Set<string> => {
    signal?.throwIfAborted();
    if (host.failure !== null) throw host.failure;
    if (host.tokens.size > 0 && !host.tokens.has(token)) {
      throw new FairleadError('GIT_TOKEN_REFUSED', 'The git host does not take the token.', { system: 'git-host' });
    }
    const commits = host.repositories.get(repositoryUrl);
    if (commits === undefined) throw new FairleadError('NOT_FOUND', 'The git host has no such repository.');
    return commits;
  };
  const find = (repositoryUrl: string, address: string): InMemoryHook | undefined =>
    [...hooks.values()].find((hook) => hook.repositoryUrl === repositoryUrl && hook.address === address);

  const host: InMemoryGitHost = {
    repositories: new Map(Object.entries(repositories).map(([url, commits]) => [url, new Set(commits)])),
    tokens: new Set(),
    failure: null,
    pushes: [],
    statuses: (commit) => [...statuses.values()].filter((status) => status.commit === commit),
    hooks: () => [...hooks.values()],
    async setStatus(repository, status, signal) {
      if (!open(repository, signal).has(status.commit)) {
        throw new FairleadError('COMMIT_NOT_FOUND', `The git host has no commit ${status.commit}.`);
      }
      statuses.set(`${repository.repositoryUrl} ${status.commit} ${status.context}`, status);
    },
    async registerHook(repository, { address, secret }, signal) {
      open(repository, signal);
      const { provider, repositoryUrl } = repository;
      made += 1;
      const hookId = find(repositoryUrl, address)?.hookId ?? String(made);
      hooks.set(hookId, { hookId, repositoryUrl, address, secret });
      return { hookId, proof: provider === 'gitlab' && !secret.startsWith('whsec_') ? 'token' : 'signature' };
    },
    async findHook(repository, address, signal) {
      open(repository, signal);
      const found = find(repository.repositoryUrl, address);
      return found === undefined ? null : { hookId: found.hookId };
    },
    async findPusher(repository, { ref, commit }, signal) {
      open(repository, signal);
      const { repositoryUrl } = repository;
      const of = host.pushes.filter((push) => push.repositoryUrl === repositoryUrl && push.ref === ref);
      return of.findLast((push) => push.commit === commit)?.accountId ?? null;
    },
    async removeHook(repository, address, signal) {
      open(repository, signal);
      const found = find(repository.repositoryUrl, address);
      if (found !== undefined) hooks.delete(found.hookId);
    },
  };
  return host;
}
