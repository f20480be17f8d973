import { z } from 'zod';
import { ownerAndName } from './owner-and-name.ts';
import type { ProviderApi } from './provider-api.ts';

/** GitHub's REST API, at github.com and of GitHub Enterprise Server (docs.github.com/rest: webhooks, commit statuses). */
export const githubApi: ProviderApi = {
  title: 'GitHub',
  base: ({ origin }) => (origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`),
  repository: (url) => {
    const parts = ownerAndName(url, 'root');
    return parts === null ? null : `/repos/${parts.owner}/${parts.name}`;
  },
  headers: (token) => ({
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }),
  scopes: 'repo and admin:repo_hook; of a fine-grained token: commit statuses and webhooks, read and write',
  page: (number) => `?per_page=100&page=${number}`,
  hook: z
    .object({ id: z.int(), config: z.object({ url: z.string().optional() }) })
    .transform(({ id, config }) => ({ id, address: config.url ?? '', proof: 'signature' as const })),
  // A push of a tag is a push.
  hookBody: ({ address, secret }) => ({
    name: 'web',
    active: true,
    events: ['push'],
    config: { url: address, content_type: 'json', secret, insecure_ssl: '0' },
  }),
  changeHook: 'PATCH',
  statusPath: (commit) => `/statuses/${commit}`,
  statusBody: ({ state, context, description, targetUrl }) => ({
    state,
    context,
    description,
    ...(targetUrl === null ? {} : { target_url: targetUrl }),
  }),
  longestDescription: 140,
  commitPath: null,
  isNoCommit: ({ status, words }) => status === 422 && /no commit found/i.test(words),
  isUnchanged: () => false,
  account: z
    .object({ id: z.int(), login: z.string().min(1) })
    .transform(({ id, login }) => ({ accountId: String(id), login })),
};
