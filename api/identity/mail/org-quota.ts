import { FairleadError } from '../../../domain/errors.ts';
import type { IdentityDeps } from '../deps.ts';

/**
 * Mail that an org causes by itself, by invitations and by its clients' calls, in a window. Not shown in the spec: an org
 * that brings all its people in one day stays below, a flood does not. What people ask for on the provider's own pages
 * does not count, and neither does the mail of the platform's org.
 */
export const ORG_MAIL_LIMITS = [
  { name: 'hour', count: 300, windowSeconds: 3_600 },
  { name: 'day', count: 2_000, windowSeconds: 86_400 },
] as const;

type Deps = Pick<IdentityDeps, 'attempts' | 'now' | 'settings'>;

/** Counts one mail of an org; false when it is one too many. */
export async function takeOrgMail(deps: Deps, orgSlug: string): Promise<boolean> {
  if (orgSlug === deps.settings.platformOrg) return true;
  for (const { name, count, windowSeconds } of ORG_MAIL_LIMITS) {
    const sent = await deps.attempts.count(`mail:org:${name}:${orgSlug}`, windowSeconds, deps.now());
    if (sent > count) return false;
  }
  return true;
}

/** The same for a request that may be refused. @throws RATE_LIMITED */
export async function requireOrgMail(deps: Deps, orgSlug: string): Promise<void> {
  if (await takeOrgMail(deps, orgSlug)) return;
  const limits = ORG_MAIL_LIMITS.map(({ name, count }) => `${count} mails in an ${name}`.replace('an day', 'a day'));
  throw new FairleadError('RATE_LIMITED', `${orgSlug} has sent its ${limits.join(', or ')}: wait a while`);
}
