import { z } from 'zod';
import type { CommitState, HookTarget } from '../../domain/git-hooks/git-host.ts';
import type { ProviderApi } from './provider-api.ts';

const STATES: Readonly<Record<CommitState, string>> = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'failed',
};

/** What a signing token begins with, as Standard Webhooks write a key. */
const SIGNING_PREFIX = 'whsec_';

/** GitLab's REST API v4 (docs.gitlab.com/api: project webhooks, commit status of the commits API). */
export const gitlabApi: ProviderApi = {
  title: 'GitLab',
  base: ({ origin }) => `${origin}/api/v4`,
  // By its whole path: groups may be nested.
  repository: ({ pathname }) => {
    const path = decoded(pathname)?.replace(/^\/+|(\.git)?\/*$/g, '');
    return path?.includes('/') ? `/projects/${encodeURIComponent(path)}` : null;
  },
  headers: (token) => ({ 'private-token': token, accept: 'application/json' }),
  scopes: 'api, of a maintainer of the project',
  page: (number) => `?per_page=100&page=${number}`,
  // Versions before 19 know no signing token, and do not say whether they took it.
  hook: z
    .object({ id: z.int(), url: z.string(), signing_token_present: z.boolean().optional() })
    .transform(({ id, url, signing_token_present: signed }) => ({
      id,
      address: url,
      proof: signed === true ? ('signature' as const) : ('token' as const),
    })),
  hookBody: ({ address, secret }) => ({
    url: address,
    push_events: true,
    tag_push_events: true,
    enable_ssl_verification: true,
    ...(secret.startsWith(SIGNING_PREFIX) ? { signing_token: secret } : { token: secret }),
  }),
  changeHook: 'PUT',
  statusPath: (commit) => `/statuses/${commit}`,
  statusBody: ({ state, context, description, targetUrl }) => ({
    state: STATES[state],
    name: context,
    description,
    ...(targetUrl === null ? {} : { target_url: targetUrl }),
  }),
  longestDescription: 255,
  // docs.gitlab.com/api/events: events of a project.
  pushesPath: () => '/events?action=pushed&per_page=100',
  push: z
    .object({
      id: z.int(),
      author_id: z.int(),
      push_data: z.object({ ref_type: z.enum(['branch', 'tag']), ref: z.string(), commit_to: z.string() }),
    })
    .transform(({ id, author_id: author, push_data: { ref_type: kind, ref, commit_to: commit } }) => ({
      ...{ id, commit, accountId: String(author) },
      ref: `refs/${kind === 'branch' ? 'heads' : 'tags'}/${ref}`,
    }))
    .nullable()
    .catch(null),
  commitPath: null,
  isNoCommit: ({ status, words }) => status === 404 && /commit/i.test(words),
  // It refuses to make pending what is pending or runs.
  isUnchanged: ({ status, words }, { state }) =>
    status === 400 && state === 'pending' && /cannot transition status/i.test(words),
  account: z
    .object({ id: z.int(), username: z.string().min(1) })
    .transform(({ id, username }) => ({ accountId: String(id), login: username })),
};

/** Null for a broken percent escape. */
function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** The body that makes the secret a plain token, for a version that took no signing token. */
export function plainTokenBody(target: HookTarget): object {
  return { ...gitlabApi.hookBody({ ...target, secret: '' }), token: target.secret };
}
