import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRepositoryAccess } from '../../../adapters/git-host/repository-access.ts';
import type { RepositoryAccess } from '../../../domain/authorized-orgs/ports.ts';
import type { RepoRole } from '../../../domain/repo-role.ts';
import { repositoryAccessSuite } from '../../ports/repository-access.ts';
import { createInMemoryGitIdentities, createInMemoryMembers } from '../../support/in-memory/git-identities.ts';
import { type GiteaUser, giteaMissing, startGitea, type TestGitea } from '../../support/start-gitea.ts';
import { serveUpstream } from '../../support/upstream-faults.ts';

interface Named {
  readonly id: number;
  readonly name: string;
}

const now = () => new Date();

describe('roles on repositories of a real Gitea', { skip: await giteaMissing() }, () => {
  let gitea: TestGitea;
  let people: Readonly<Record<string, GiteaUser & { readonly id: number }>>;
  before(async () => {
    gitea = await startGitea();
    const made = ['eve', 'bob', 'ann'].map(async (name) => {
      const user = await gitea.createUser(name);
      const { id } = (await gitea.call('GET', `/users/${name}`)) as { id: number };
      return [name, { ...user, id }] as const;
    });
    people = Object.fromEntries(await Promise.all(made));
  });
  after(() => gitea.stop());

  /** A new org `acme` with two repositories; `usr_eve` is a member of `helpers`, and linked her account. */
  async function create() {
    await forget();
    await gitea.call('POST', '/orgs', { username: 'acme' });
    for (const name of ['shop', 'notes']) await gitea.createRepository(gitea.admin, name, { org: 'acme' });
    const identities = createInMemoryGitIdentities();
    const members = createInMemoryMembers({ 'helpers usr_eve': 'member' });
    const link = async (name: string, accountId = people[name]?.id) => {
      await identities.link({
        ...{ id: `gid_${name}`, userId: `usr_${name}`, provider: 'gitea', hostAddress: gitea.url, linkedAt: now() },
        ...{ hostKey: `gitea ${new URL(gitea.url).host}`, accountId: String(accountId), login: name },
      });
    };
    await link('eve');
    const host = createRepositoryAccess({
      gitUrl: `${gitea.url}/`,
      token: gitea.admin.token,
      identities,
      members,
      now,
    });
    return { host, identities, members, link, roles };
  }

  async function forget(): Promise<void> {
    for (const org of ['acme', 'helpers']) {
      if ((await look(`/orgs/${org}`)) === null) continue;
      for (const { name } of (await look(`/orgs/${org}/repos`)) as Named[])
        await gitea.call('DELETE', `/repos/${org}/${name}`);
      await gitea.call('DELETE', `/orgs/${org}`);
    }
  }
  const look = (path: string): Promise<unknown> => gitea.call('GET', path).catch(() => null);

  async function roles(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { id, name } of (await look('/orgs/acme/teams')) as Named[]) {
      const [ours, org, role] = name.split('.');
      if (ours !== 'fairlead') continue;
      for (const repository of (await look(`/teams/${id}/repos`)) as Named[])
        found.push(`acme/${repository.name} ${org} ${role}`);
    }
    return found.sort();
  }
  /** What the host itself lets somebody do. */
  const permission = async (name: string, repository = 'acme/shop'): Promise<string> => {
    const path = `/repos/${repository}`;
    const seen = (await gitea.call('GET', path, undefined, people[name]?.token).catch(() => null)) as {
      readonly permissions: { readonly admin: boolean; readonly push: boolean };
    } | null;
    if (seen === null) return 'none';
    if (seen.permissions.admin) return 'admin';
    return seen.permissions.push ? 'write' : 'read';
  };
  const set = (host: RepositoryAccess, role: RepoRole, repository = 'acme/shop') =>
    host.setOrgRole({ repository, org: 'helpers', role });

  repositoryAccessSuite(async () => {
    const { host } = await create();
    return {
      host,
      roles,
      members: async () => {
        const found = ((await look('/orgs/helpers/members')) ?? []) as { login: string }[];
        return found.filter(({ login }) => login !== gitea.admin.name).map(({ login }) => `usr_${login} of helpers`);
      },
    };
  });

  it('lets people do what the role says, and nothing any more when it is taken', async () => {
    const { host } = await create();
    assert.equal(await permission('eve'), 'none');
    for (const role of ['write', 'read', 'admin'] as const) {
      await set(host, role);
      assert.equal(await permission('eve'), role);
      assert.equal(await permission('eve', 'acme/notes'), 'none', 'the other repository is closed to her');
    }
    await set(host, 'none');
    assert.equal(await permission('eve'), 'none');
    assert.deepEqual(await look('/orgs/acme/members/eve'), null, 'she is in the org of the owner no more');
  });

  it('gives it to those who may deploy now, by accounts that are still theirs', async () => {
    const { host, members, link } = await create();
    await link('bob');
    await link('ann', 4_711);
    members.roles.set('helpers usr_bob', 'viewer').set('helpers usr_ann', 'admin').set('acme usr_bob', 'admin');
    await set(host, 'write');
    assert.deepEqual(
      [await permission('eve'), await permission('bob'), await permission('ann')],
      ['write', 'none', 'none'],
    );
    members.roles.set('helpers usr_bob', 'member');
    members.roles.delete('helpers usr_eve');
    await set(host, 'write');
    assert.deepEqual([await permission('eve'), await permission('bob')], ['none', 'write']);
    members.roles.clear();
    await set(host, 'write');
    assert.equal(await permission('bob'), 'none');
  });

  it('leaves what people have otherwise', async () => {
    const { host } = await create();
    await gitea.call('PUT', '/repos/acme/shop/collaborators/eve', { permission: 'read' });
    await gitea.call('PUT', '/repos/acme/shop/collaborators/bob', { permission: 'write' });
    await set(host, 'admin');
    await host.setOrgRole({ repository: 'acme/shop', org: 'agency', role: 'write' });
    await set(host, 'none');
    assert.deepEqual([await permission('eve'), await permission('bob')], ['read', 'write']);
    assert.deepEqual(await roles(), ['acme/shop agency write']);
  });

  it('takes back what somebody added to its team by hand', async () => {
    const { host } = await create();
    await set(host, 'read');
    const teams = (await look('/orgs/acme/teams')) as Named[];
    const { id } = teams.find(({ name }) => name === 'fairlead.helpers.read') ?? assert.fail('no team');
    await gitea.call('PUT', `/teams/${id}/members/bob`);
    await gitea.call('PATCH', `/teams/${id}`, {
      name: 'fairlead.helpers.read',
      includes_all_repositories: true,
      permission: 'write',
      units_map: { 'repo.code': 'write' },
    });
    assert.equal(await permission('eve', 'acme/notes'), 'write');
    await set(host, 'read');
    assert.deepEqual([await permission('eve'), await permission('bob')], ['read', 'none']);
    assert.equal(await permission('eve', 'acme/notes'), 'none');
  });

  it('says so when the repository is of a person, who has no teams', async () => {
    const { host } = await create();
    await gitea.createRepository(people.bob ?? assert.fail(), `own-${Date.now()}`);
    const [own] = (await look('/users/bob/repos')) as Named[];
    await assert.rejects(set(host, 'read', `bob/${own?.name}`), {
      code: 'CONFLICT',
      message: /bob is no organization/,
    });
  });

  it('takes a repository that was moved away for none', async () => {
    const { host } = await create();
    await gitea.call('POST', '/repos/acme/shop/transfer', { new_owner: 'bob' });
    await set(host, 'write');
    assert.deepEqual(await roles(), []);
    await gitea.call('DELETE', '/repos/bob/shop');
  });

  it('makes nobody a member who is in no org, or linked no account', async () => {
    const { host, members } = await create();
    members.roles.clear();
    await host.ensureMember({ userId: 'usr_eve', email: '', org: 'helpers' });
    members.roles.set('helpers usr_bob', 'member');
    await host.ensureMember({ userId: 'usr_bob', email: '', org: 'helpers' });
    assert.equal(await look('/orgs/helpers'), null);
  });

  it('gives nothing while nobody knows who is in the org', async () => {
    const { identities } = await create();
    const away = Object.assign(new Error('away'), { code: 'UNAVAILABLE' });
    const members = { memberRole: () => Promise.reject(away), listMembers: () => Promise.reject(away) };
    const host = createRepositoryAccess({ gitUrl: gitea.url, token: gitea.admin.token, identities, members, now });
    await assert.rejects(set(host, 'write'), (error) => error === away);
    assert.equal(await permission('eve'), 'none');
  });

  it('is retried while the token of the platform is refused', async () => {
    const { identities, members } = await create();
    const host = createRepositoryAccess({ gitUrl: gitea.url, token: 'canary', identities, members, now });
    await assert.rejects(set(host, 'write'), {
      code: 'UNAVAILABLE',
      retryable: true,
      system: 'git-host',
      message: /GIT_TOKEN/,
    });
  });

  it('does nothing at a host that is no Gitea', async (t) => {
    const asked: string[] = [];
    const url = await serveUpstream(t, (request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(404).end('<html>');
    });
    const { identities, members } = await create();
    const host = createRepositoryAccess({ gitUrl: url, token: 'x', identities, members, now });
    await set(host, 'write');
    await host.ensureMember({ userId: 'usr_eve', email: '', org: 'helpers' });
    assert.deepEqual(asked, ['GET /api/v1/version']);
  });
});
