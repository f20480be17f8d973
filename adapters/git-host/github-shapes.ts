import { z } from 'zod';
import { ownerAndName } from './owner-and-name.ts';
import type { ProviderApi } from './provider-api.ts';

/** What the APIs of GitHub and Gitea have in the same shape. */
export const GITHUB_SHAPES = {
  hook: z
    .object({ id: z.int(), config: z.object({ url: z.string().optional() }) })
    .transform(({ id, config }) => ({ id, address: config.url ?? '', proof: 'signature' as const })),
  statusPath: (commit) => `/statuses/${commit}`,
  statusBody: ({ state, context, description, targetUrl }) => ({
    state,
    context,
    description,
    ...(targetUrl === null ? {} : { target_url: targetUrl }),
  }),
  isUnchanged: () => false,
  account: z
    .object({ id: z.int(), login: z.string().min(1) })
    .transform(({ id, login }) => ({ accountId: String(id), login })),
} as const satisfies Partial<ProviderApi>;

/** Path of a repository that is named by its owner and its name; null for another address. */
export function repositoryPath(url: URL, place: Parameters<typeof ownerAndName>[1]): string | null {
  const parts = ownerAndName(url, place);
  return parts === null ? null : `/repos/${parts.owner}/${parts.name}`;
}
