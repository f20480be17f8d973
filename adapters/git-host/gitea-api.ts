import { z } from 'zod';
import { ownerAndName } from './owner-and-name.ts';
import type { ProviderApi } from './provider-api.ts';

/** The API of Gitea, which Forgejo keeps (docs.gitea.com/api). Either may be served below a path. */
export const giteaApi = (title: string): ProviderApi => ({
  title,
  base: ({ origin, pathname }) => `${origin}${pathname.replace(/\/+$/, '')}/api/v1`,
  repository: (url) => {
    const parts = ownerAndName(url, 'below');
    return parts === null ? null : `/repos/${parts.owner}/${parts.name}`;
  },
  headers: (token) => ({ authorization: `token ${token}`, accept: 'application/json' }),
  scopes: 'write:repository, of somebody who administers the repository',
  page: (number) => `?limit=50&page=${number}`,
  hook: z
    .object({ id: z.int(), config: z.object({ url: z.string().optional() }) })
    .transform(({ id, config }) => ({ id, address: config.url ?? '', proof: 'signature' as const })),
  // A push of a tag is a push.
  hookBody: ({ address, secret }) => ({
    type: 'gitea',
    active: true,
    events: ['push'],
    config: { url: address, content_type: 'json', secret },
  }),
  // A change of a hook leaves its secret as it was.
  changeHook: null,
  statusPath: (commit) => `/statuses/${commit}`,
  statusBody: ({ state, context, description, targetUrl }) => ({
    state,
    context,
    description,
    ...(targetUrl === null ? {} : { target_url: targetUrl }),
  }),
  longestDescription: 255,
  // A status of a commit that is not there is answered with 500.
  commitPath: (commit) => `/git/commits/${commit}`,
  isNoCommit: () => false,
  isUnchanged: () => false,
  account: z
    .object({ id: z.int(), login: z.string().min(1) })
    .transform(({ id, login }) => ({ accountId: String(id), login })),
});
