import type { Member } from '../../domain/authorized-orgs/messages.ts';
import type { OrgRole, RepositoryAccess } from '../../domain/authorized-orgs/ports.ts';
import { parseHost } from '../../domain/git-identities/git-host-name.ts';
import type { GitIdentityStore, MemberDirectory } from '../../domain/git-identities/ports.ts';
import { hasOrgRole } from '../../domain/roles.ts';
import { createGiteaTeams, type GiteaTeams, type Team, type TeamRole } from './gitea-teams.ts';
import type { HostCallOptions } from './host-call.ts';

export interface RepositoryAccessOptions extends Omit<HostCallOptions, 'platformGitUrl'> {
  /** GIT_URL: a Gitea or Forgejo; at any other host nothing is done. */
  readonly gitUrl: string;
  /** GIT_TOKEN, of somebody who administers the host: it makes orgs and teams. */
  readonly token: string;
  readonly identities: Pick<GitIdentityStore, 'listAt'>;
  readonly members: MemberDirectory;
}

const ROLES = ['read', 'write', 'admin'] as const satisfies readonly TeamRole[];
/** In the org of the members themselves. It opens no repository. */
const MEMBERS_TEAM = 'fairlead.members';

/** Slugs have no dots, so that no two orgs share a name. */
const teamName = (org: string, role: TeamRole): string => `fairlead.${org}.${role}`;

/**
 * Roles on repositories at the platform's own Gitea or Forgejo, given by teams in the org that owns the repository: one for
 * each org that shares something of it and each role. A team has the people who may deploy for that org now and linked their
 * account, and nothing else of what anybody has there is touched. A team without repositories is deleted.
 */
export function createRepositoryAccess(options: RepositoryAccessOptions): RepositoryAccess {
  const { gitUrl, token, identities, members } = options;
  const host = parseHost('gitea', gitUrl);
  const teams = createGiteaTeams({ ...options, platformGitUrl: gitUrl, address: host.address, token });

  /** Logins of the people of an org who linked an account that is still theirs. */
  const loginsOf = async (people: readonly string[], signal?: AbortSignal): Promise<readonly string[]> => {
    const logins: string[] = [];
    for (const { login, accountId } of await identities.listAt(host.key, people)) {
      if ((await teams.accountId(login, signal)) === accountId) logins.push(login);
    }
    return logins;
  };
  const deployers = async (org: string): Promise<readonly string[]> =>
    (await members.listMembers(org)).filter(({ role }) => hasOrgRole([role], 'member')).map(({ userId }) => userId);

  return {
    async setOrgRole({ repository, org, role }, signal) {
      signal?.throwIfAborted();
      if (!(await teams.isThere(signal)) || !(await teams.hasRepository(repository, signal))) return;
      const [owner = '', name = ''] = repository.split('/');
      const found = await teams.list(owner, signal);
      const place = { owner, name, org, found };
      await takeOthers(teams, place, role, signal);
      if (role === 'none') return;
      const team = await teams.ensure(owner, { name: teamName(org, role), role, found }, signal);
      // Nobody is on the team before it has those alone who belong there.
      await teams.setMembers(team, await loginsOf(await deployers(org), signal), signal);
      await teams.addRepository(team, { owner, name }, signal);
    },

    async ensureMember({ org, userId }: Member, signal) {
      signal?.throwIfAborted();
      if (!(await teams.isThere(signal))) return;
      if ((await members.memberRole(org, userId)) === null) return;
      const [login] = await loginsOf([userId], signal);
      if (login === undefined) return;
      await teams.ensureOrg(org, signal);
      const found = await teams.list(org, signal);
      const team = await teams.ensure(org, { name: MEMBERS_TEAM, role: 'read', found }, signal);
      await teams.addMember(team, login, signal);
    },
  };
}

interface Place {
  readonly owner: string;
  readonly name: string;
  readonly org: string;
  /** Teams of the owner. */
  readonly found: readonly Team[];
}

/** Takes the repository from the teams of an org that have another role. */
async function takeOthers(
  teams: GiteaTeams,
  { owner, name, org, found }: Place,
  keep: OrgRole['role'],
  signal?: AbortSignal,
): Promise<void> {
  for (const role of ROLES) {
    const team = role === keep ? undefined : found.find((each) => each.name === teamName(org, role));
    if (team === undefined) continue;
    await teams.removeRepository(team, { owner, name }, signal);
    if (!(await teams.hasRepositories(team, signal))) await teams.remove(team, signal);
  }
}
