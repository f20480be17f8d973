import { z } from 'zod';
import { GITHUB_SHAPES, repositoryPath } from './github-shapes.ts';
import type { ProviderApi } from './provider-api.ts';

/** GitHub's REST API, at github.com and of GitHub Enterprise Server (docs.github.com/rest: webhooks, commit statuses). */
export const githubApi: ProviderApi = {
  ...GITHUB_SHAPES,
  title: 'GitHub',
  base: ({ origin }) => (origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`),
  repository: (url) => repositoryPath(url, 'root'),
  headers: (token) => ({
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }),
  scopes:
    'repo and admin:repo_hook; of a fine-grained token: commit statuses and webhooks, read and write, and contents, read, to build it',
  page: (number) => `?per_page=100&page=${number}`,
  // A push of a tag is a push.
  hookBody: ({ address, secret }) => ({
    name: 'web',
    active: true,
    events: ['push'],
    config: { url: address, content_type: 'json', secret, insecure_ssl: '0' },
  }),
  changeHook: 'PATCH',
  longestDescription: 140,
  // docs.github.com/rest/repos/repos: list repository activities. It lists no tags.
  pushesPath: (ref) => `/activity?per_page=100&ref=${encodeURIComponent(ref)}`,
  push: z
    .object({ id: z.int(), ref: z.string(), after: z.string(), actor: z.object({ id: z.int() }) })
    .transform(({ id, ref, after, actor }) => ({ id, ref, commit: after, accountId: String(actor.id) }))
    .nullable()
    .catch(null),
  commitPath: null,
  isNoCommit: ({ status, words }) => status === 422 && /no commit found/i.test(words),
};
