import { z } from 'zod';
import { parseJson } from '../../domain/parse-json.ts';
import { GITHUB_SHAPES, repositoryPath } from './github-shapes.ts';
import type { ProviderApi } from './provider-api.ts';

/** The API of Gitea, which Forgejo keeps (docs.gitea.com/api). Either may be served below a path. */
export const giteaApi = (title: string): ProviderApi => ({
  ...GITHUB_SHAPES,
  title,
  base: ({ origin, pathname }) => `${origin}${pathname.replace(/\/+$/, '')}/api/v1`,
  repository: (url) => repositoryPath(url, 'below'),
  headers: (token) => ({ authorization: `token ${token}`, accept: 'application/json' }),
  scopes: 'write:repository, of somebody who administers the repository',
  page: (number) => `?limit=50&page=${number}`,
  // A push of a tag is a push.
  hookBody: ({ address, secret }) => ({
    type: 'gitea',
    active: true,
    events: ['push'],
    config: { url: address, content_type: 'json', secret },
  }),
  // A change of a hook leaves its secret as it was.
  changeHook: null,
  pushesPath: () => '/activities/feeds?limit=50',
  push: z
    .object({
      id: z.int(),
      op_type: z.enum(['commit_repo', 'push_tag']),
      act_user: z.object({ id: z.int() }),
      ref_name: z.string(),
      // JSON, as the host wrote it of the push.
      content: z
        .string()
        .transform(parseJson)
        .pipe(z.object({ HeadCommit: z.object({ Sha1: z.string() }) })),
    })
    .transform(({ id, act_user: by, ref_name: ref, content }) => ({
      ...{ id, ref, commit: content.HeadCommit.Sha1, accountId: String(by.id) },
    }))
    .nullable()
    .catch(null),
  longestDescription: 255,
  // A status of a commit that is not there is answered with 500.
  commitPath: (commit) => `/git/commits/${commit}`,
  isNoCommit: () => false,
});
