import { after, before, describe } from 'node:test';
import { createGitHost } from '../../../adapters/git-host/git-host.ts';
import { gitHostSuite } from '../../ports/git-host.ts';
import { giteaMissing, startGitea, type TestGitea } from '../../support/start-gitea.ts';

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
      description: async (context) => (await statuses()).find((each) => each.context === context)?.description ?? '',
    };
  });
});
