import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { createGitHost } from '../../../adapters/git-host/git-host.ts';
import { gitHostSuite } from '../../ports/git-host.ts';
import { type GiteaUser, giteaMissing, startGitea, type TestGitea } from '../../support/start-gitea.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Status {
  readonly context: string;
  readonly status: string;
  readonly description: string;
}

describe('a real Gitea', { skip: await giteaMissing() }, () => {
  let gitea: TestGitea;
  before(async () => {
    gitea = await startGitea();
  });
  after(() => gitea.stop());

  gitHostSuite(async () => {
    const { url, path, commit } = await gitea.createRepository(gitea.admin, `shop-${Date.now()}`);
    const statuses = async () => {
      const list = (await gitea.call('GET', `/repos/${path}/commits/${commit}/status`)) as {
        statuses: Status[] | null;
      };
      return list.statuses ?? [];
    };
    return {
      host: createGitHost({ platformGitUrl: gitea.url, now: () => new Date() }),
      repository: { provider: 'gitea', repositoryUrl: url, apiUrl: null, token: gitea.admin.token },
      commit,
      statuses: async () => (await statuses()).map(({ context, status }) => `${context} ${status}`).sort(),
      hooks: async () => {
        const hooks = (await gitea.call('GET', `/repos/${path}/hooks`)) as { config: { url: string } }[];
        return hooks.map(({ config }) => config.url).sort();
      },
      async push() {
        const [ada, bob] = await Promise.all(['ada', 'bob'].map((name) => gitea.createUser(`${name}-${Date.now()}`)));
        const account = async ({ token }: GiteaUser) =>
          ((await gitea.call('GET', '/user', undefined, token)) as { readonly id: number }).id;
        const push = async ({ name, token }: GiteaUser, file: string) => {
          await gitea.call('PUT', `/repos/${path}/collaborators/${name}`, { permission: 'write' });
          const file64 = { content: Buffer.from(file).toString('base64'), message: file, branch: 'main' };
          const made = await gitea.call('POST', `/repos/${path}/contents/${file}`, file64, token);
          return (made as { readonly commit: { readonly sha: string } }).commit.sha;
        };
        assert.ok(ada !== undefined && bob !== undefined);
        await push(bob, 'one.txt');
        const pushed = await push(ada, 'two.txt');
        const feeds = () => gitea.call('GET', `/repos/${path}/activities/feeds`);
        await waitUntil('the push is listed', async () => JSON.stringify(await feeds()).includes(pushed));
        return { ref: 'refs/heads/main', commit: pushed, accountId: String(await account(ada)) };
      },
      description: async (context) => (await statuses()).find((each) => each.context === context)?.description ?? '',
    };
  });
});
