import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { giteaApi } from './gitea-api.ts';
import {
  createHostCall,
  type HostAccess,
  type HostAnswer,
  type HostCallOptions,
  type HostRequest,
  readAnswer,
  SYSTEM,
  unavailable,
} from './host-call.ts';

export type TeamRole = 'read' | 'write' | 'admin';

const teamSchema = z.object({
  id: z.int(),
  name: z.string(),
  permission: z.string(),
  includes_all_repositories: z.boolean().default(false),
  can_create_org_repo: z.boolean().default(false),
  units_map: z.record(z.string(), z.string()).nullish(),
});

export type Team = z.output<typeof teamSchema>;

interface Repository {
  readonly owner: string;
  readonly name: string;
}

/** Orgs, teams and their members at a Gitea or Forgejo, as an administrator of it. Every method is idempotent. */
export interface GiteaTeams {
  /** Whether the host is a Gitea or Forgejo at all. */
  isThere(signal?: AbortSignal): Promise<boolean>;
  /** @param repository `owner/name`; one that was moved away is not there */
  hasRepository(repository: string, signal?: AbortSignal): Promise<boolean>;
  /** The id of an account by its login at this moment; null for nobody. */
  accountId(login: string, signal?: AbortSignal): Promise<string | null>;
  /** @throws CONFLICT when the name is taken by a person, or is none at that host */
  ensureOrg(name: string, signal?: AbortSignal): Promise<void>;
  /** @throws CONFLICT for the account of a person, which has no teams */
  list(org: string, signal?: AbortSignal): Promise<readonly Team[]>;
  /** A team with just this role, and no repository that it was not given. @param found teams that are there */
  ensure(
    org: string,
    wanted: { readonly name: string; readonly role: TeamRole; readonly found: readonly Team[] },
    signal?: AbortSignal,
  ): Promise<Team>;
  remove(team: Team, signal?: AbortSignal): Promise<void>;
  addMember(team: Team, login: string, signal?: AbortSignal): Promise<void>;
  /** Adds who is missing, and takes out everybody else. */
  setMembers(team: Team, logins: readonly string[], signal?: AbortSignal): Promise<void>;
  addRepository(team: Team, repository: Repository, signal?: AbortSignal): Promise<void>;
  removeRepository(team: Team, repository: Repository, signal?: AbortSignal): Promise<void>;
  hasRepositories(team: Team, signal?: AbortSignal): Promise<boolean>;
}

/** A host lists no more than it is set to on one page: what ends a list is an empty page. */
const MOST_PAGES = 100;
const named = z.object({ login: z.string() });
/** What a role is about; of anything else it gives nothing. */
const UNITS = ['repo.code', 'repo.issues', 'repo.pulls', 'repo.releases', 'repo.wiki'];

export interface GiteaTeamsOptions extends HostCallOptions {
  /** Base address of the host. */
  readonly address: string;
  readonly token: string;
}

export function createGiteaTeams(options: GiteaTeamsOptions): GiteaTeams {
  const api = giteaApi('Gitea');
  const access: HostAccess = { api, base: api.base(new URL(options.address)), token: options.token };
  const callHost = createHostCall(options);
  const call = (request: HostRequest): Promise<HostAnswer> =>
    callHost(access, request).catch((error: unknown) => {
      if (!(error instanceof FairleadError) || error.code !== 'GIT_TOKEN_REFUSED') throw error;
      // It is the platform's own: who asked can do nothing about it, and it is tried until somebody does.
      throw unavailable(`${error.message}. Set GIT_TOKEN to a token of an administrator of the host`, error);
    });
  let known: boolean | null = null;

  /** Of what is there or not: true, false for 404. */
  const has = async (request: HostRequest): Promise<HostAnswer | null> => {
    const answer = await call(request);
    if (answer.ok) return answer;
    if (answer.status === 404) return null;
    throw refused(answer);
  };
  const change = async (method: HostRequest['method'], path: string, signal?: AbortSignal, body?: object) => {
    const answer = await call({ method, path, signal, ...(body === undefined ? {} : { body }) });
    if (!answer.ok && !(method === 'DELETE' && answer.status === 404)) throw refused(answer);
    return answer;
  };
  const listAll = async <T extends z.ZodType>(
    path: string,
    schema: T,
    signal?: AbortSignal,
  ): Promise<z.output<T>[]> => {
    const found: z.output<T>[] = [];
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const answer = await has({ method: 'GET', path: path + api.page(page), signal });
      const items = answer === null ? [] : readAnswer(access, z.array(schema), answer.body);
      if (items.length === 0) return found;
      found.push(...items);
    }
    throw unavailable(`The git host lists more than ${MOST_PAGES} pages`);
  };
  const at = (...parts: readonly string[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('');
  const addMember = async ({ id }: Team, login: string, signal?: AbortSignal): Promise<void> => {
    await change('PUT', `/teams/${id}${at('members', login)}`, signal);
  };
  const repositoryOf = ({ id }: Team, { owner, name }: Repository): string => `/teams/${id}${at('repos', owner, name)}`;

  return {
    async isThere(signal) {
      if (known !== null) return known;
      const answer = await has({ method: 'GET', path: '/version', signal });
      known = answer !== null && z.object({ version: z.string() }).safeParse(answer.body).success;
      return known;
    },
    async hasRepository(repository, signal) {
      const answer = await has({ method: 'GET', path: `/repos${at(...repository.split('/'))}`, signal });
      if (answer === null) return false;
      const { full_name: name } = readAnswer(access, z.object({ full_name: z.string() }), answer.body);
      return name.toLowerCase() === repository.toLowerCase();
    },
    async accountId(login, signal) {
      const answer = await has({ method: 'GET', path: at('users', login), signal });
      return answer === null ? null : readAnswer(access, api.account, answer.body).accountId;
    },
    async ensureOrg(name, signal) {
      if ((await has({ method: 'GET', path: at('orgs', name), signal })) !== null) return;
      const answer = await call({
        method: 'POST',
        path: '/orgs',
        body: { username: name, visibility: 'private' },
        signal,
      });
      // Made by another at the same time.
      if (answer.ok || (await has({ method: 'GET', path: at('orgs', name), signal })) !== null) return;
      throw refused(answer);
    },
    async list(org, signal) {
      if ((await has({ method: 'GET', path: at('orgs', org), signal })) === null) {
        const message = `${org} is no organization at the git host, and so has no teams: make it one`;
        throw new FairleadError('CONFLICT', message, { system: SYSTEM });
      }
      return await listAll(`${at('orgs', org)}/teams`, teamSchema, signal);
    },
    async ensure(org, { name, role, found }, signal) {
      const there = found.find((team) => team.name === name);
      const body = {
        name,
        permission: role,
        includes_all_repositories: false,
        can_create_org_repo: false,
        units_map: Object.fromEntries(UNITS.map((unit) => [unit, role])),
        description: 'Kept by the deploy platform: changes by hand do not last',
      };
      if (there !== undefined && isAsWanted(there, role)) return there;
      // One that was changed may have been given any repository: it begins anew, and gets the others with the next look.
      if (there !== undefined) await change('DELETE', `/teams/${there.id}`, signal);
      const answer = await call({ method: 'POST', path: `${at('orgs', org)}/teams`, body, signal });
      if (answer.ok) return readAnswer(access, teamSchema, answer.body);
      if (answer.status !== 422) throw refused(answer);
      throw unavailable('The git host has just got this team from another; try again');
    },
    async remove({ id }, signal) {
      await change('DELETE', `/teams/${id}`, signal);
    },
    addMember,
    async setMembers(team, logins, signal) {
      const wanted = new Set(logins.map((login) => login.toLowerCase()));
      const there = await listAll(`/teams/${team.id}/members`, named, signal);
      for (const { login } of there) {
        if (!wanted.delete(login.toLowerCase()))
          await change('DELETE', `/teams/${team.id}${at('members', login)}`, signal);
      }
      for (const login of wanted) await addMember(team, login, signal);
    },
    async addRepository(team, repository, signal) {
      await change('PUT', repositoryOf(team, repository), signal);
    },
    async removeRepository(team, repository, signal) {
      await change('DELETE', repositoryOf(team, repository), signal);
    },
    async hasRepositories({ id }, signal) {
      const answer = await has({ method: 'GET', path: `/teams/${id}/repos?limit=1`, signal });
      return answer !== null && readAnswer(access, z.array(z.unknown()), answer.body).length > 0;
    },
  };
}

/** False for a team that somebody changed. */
function isAsWanted(team: Team, role: TeamRole): boolean {
  if (team.permission !== role || team.includes_all_repositories || team.can_create_org_repo) return false;
  // An administrator of a repository has all of it.
  if (role === 'admin') return true;
  const units = Object.entries(team.units_map ?? {}).filter(([, mode]) => mode !== 'none');
  return units.length === UNITS.length && units.every(([unit, mode]) => UNITS.includes(unit) && mode === role);
}

function refused({ status, words }: HostAnswer): FairleadError {
  if (status >= 500) return unavailable(`The git host answered ${status}`);
  const message = `The git host refuses to change who may use a repository (${status}${words && `: ${words}`})`;
  return new FairleadError('CONFLICT', message, { system: SYSTEM });
}
