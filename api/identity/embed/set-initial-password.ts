import type { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { setInitialPasswordBodySchema } from '../../../domain/identity/embed-schema.ts';
import type { OrgRecord } from '../../../domain/orgs/org.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { hashNewPassword } from '../login/set-password.ts';
import type { EmbedCaller } from './embed-client.ts';
import { requireTrusted } from './trusted-client.ts';

/** In the place of a user's id where there is none: the same reads and writes happen, and match nothing. */
const NOBODY = 'usr_nobody';

/**
 * Sets the first password of an account that a provisioning call made (spec 1, "Provisioned account and initial
 * password"): once. Every account that is not eligible, or not there, gets the same answer in the same time: the hash
 * and the conditional write happen for all. @throws NOT_ELIGIBLE, TRUSTED_SIGNUP_REFUSED, PASSWORD_REFUSED
 */
export async function embedSetInitialPassword(
  deps: IdentityDeps,
  context: RouteContext,
  caller: EmbedCaller,
  body: z.output<typeof setInitialPasswordBodySchema>,
): Promise<{ passwordSet: true }> {
  const org = await requireTrusted(deps, caller, body.orgSlug);
  const passwordHash = await hashNewPassword(deps, body.password, body.email);
  const { id, waitsSince } = await findProvisioned(deps, body.email, org);
  if (waitsSince !== null) {
    // Before the effect. Of many at once one sets it: the id keeps it told once.
    const type = 'user.initial_password_set';
    await audit(deps, context, {
      id: `${type}/${id}/${waitsSince.getTime()}`,
      type,
      actor: caller.client.clientId,
      subject: id,
      orgSlug: org.slug,
    });
  }
  if (!(await deps.users.consumeOnboarding(id, org.slug, passwordHash))) {
    throw new FairleadError('NOT_ELIGIBLE', 'This account cannot be given a first password; sign in, or reset it');
  }
  await deps.links.consumeAllOfUser(id, deps.now());
  return { passwordSet: true };
}

/** The person of an address, if they are in the org and not suspended; the marker is judged by the write that takes it. */
async function findProvisioned(
  deps: IdentityDeps,
  email: string,
  org: OrgRecord,
): Promise<{
  readonly id: string /** Null unless it waits for its first password by this org. */;
  readonly waitsSince: Date | null;
}> {
  const user = await deps.users.findByEmail(email);
  const membership = await deps.memberships.find(user?.id ?? NOBODY, org.id);
  const lives = user !== null && user.suspendedAt === null && membership !== null && membership.suspendedAt === null;
  if (!lives) return { id: NOBODY, waitsSince: null };
  const { onboardingPending } = user;
  return { id: user.id, waitsSince: onboardingPending?.orgSlug === org.slug ? onboardingPending.since : null };
}
