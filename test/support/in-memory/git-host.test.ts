import { gitHostSuite } from '../../ports/git-host.ts';
import { createInMemoryGitHost } from './git-host.ts';

const REPOSITORY = 'https://git.example/acme/shop.git';
const COMMIT = 'c0ffee0123456789c0ffee0123456789c0ffee01';

gitHostSuite(async () => {
  const host = createInMemoryGitHost({ [REPOSITORY]: [COMMIT] });
  host.tokens.add('known');
  return {
    host,
    repository: { provider: 'gitea', repositoryUrl: REPOSITORY, apiUrl: null, token: 'known' },
    commit: COMMIT,
    statuses: async () =>
      host
        .statuses(COMMIT)
        .map(({ context, state }) => `${context} ${state}`)
        .sort(),
    hooks: async () =>
      host
        .hooks()
        .map(({ address }) => address)
        .sort(),
    async push() {
      const head = { ref: 'refs/heads/main', commit: COMMIT };
      for (const accountId of ['7', '8']) host.pushes.push({ ...head, repositoryUrl: REPOSITORY, accountId });
      return { ...head, accountId: '8' };
    },
    description: async (context) =>
      host.statuses(COMMIT).find((status) => status.context === context)?.description ?? '',
  };
});
