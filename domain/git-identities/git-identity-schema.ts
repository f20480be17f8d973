import { z } from 'zod';
import { GIT_PROVIDERS } from '../git-provider.ts';
import type { GitIdentity } from './git-identity.ts';

/** Shapes of git identities as the API takes and shows them (spec 2 does not show them: ours). */

export const linkGitIdentityBodySchema = z.strictObject({
  provider: z.enum(GIT_PROVIDERS),
  host: z
    .string()
    .min(1)
    .max(2_048)
    .optional()
    .describe("Base address; by default github.com, gitlab.com, or the platform's own git host for gitea and forgejo"),
  token: z
    .string()
    .min(1)
    .max(4_096)
    .describe('A token of the account that reads the own user. It is shown to that host once, and kept nowhere.'),
});

export const gitIdentityViewSchema = z.object({
  id: z.string(),
  provider: z.enum(GIT_PROVIDERS),
  host: z.string(),
  login: z.string(),
  linkedAt: z.iso.datetime(),
});

export function gitIdentityView(identity: GitIdentity): z.output<typeof gitIdentityViewSchema> {
  const { id, provider, hostAddress, login, linkedAt } = identity;
  return { id, provider, host: hostAddress, login, linkedAt: linkedAt.toISOString() };
}
