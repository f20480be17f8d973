import type { Member } from '../../../domain/authorized-orgs/messages.ts';
import type { RepositoryAccess } from '../../../domain/authorized-orgs/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';

/** A git host in this process, with what it was told. */
export interface InMemoryRepositoryAccess extends RepositoryAccess {
  /** Repositories that are there. */
  readonly repositories: Set<string>;
  /** As in `acme/shop helpers write`, sorted; an org without a role is not in it. */
  roles(): readonly string[];
  /** As in `usr_eve of helpers`, in the order in which they came. */
  members(): readonly string[];
  /** While true, every call fails as one that reaches nobody. */
  away: boolean;
}

export function createInMemoryRepositoryAccess(repositories: readonly string[] = []): InMemoryRepositoryAccess {
  const roles = new Map<string, string>();
  const members = new Map<string, Member>();
  const reach = (): void => {
    if (!host.away) return;
    throw new FairleadError('UNAVAILABLE', 'The git host cannot be reached.', { system: 'git-host', retryable: true });
  };
  const host: InMemoryRepositoryAccess = {
    repositories: new Set(repositories),
    away: false,
    roles: () => [...roles].map(([key, role]) => `${key} ${role}`).sort(),
    members: () => [...members.keys()],
    async setOrgRole({ repository, org, role }, signal) {
      signal?.throwIfAborted();
      reach();
      const key = `${repository} ${org}`;
      if (role === 'none' || !host.repositories.has(repository)) roles.delete(key);
      else roles.set(key, role);
    },
    async ensureMember(member, signal) {
      signal?.throwIfAborted();
      reach();
      members.set(`${member.userId} of ${member.org}`, member);
    },
  };
  return host;
}
