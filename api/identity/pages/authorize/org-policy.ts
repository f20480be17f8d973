import { hasSecondFactor } from '../../../../domain/identity/second-factors.ts';
import type { OrgRecord } from '../../../../domain/orgs/org.ts';
import { admitsLogin } from '../../../../domain/orgs/policy.ts';
import type { Reply } from '../../../http/define-route.ts';
import { html } from '../../../http/pages/html.ts';
import { sendPage } from '../../../http/pages/send-page.ts';
import type { IdentityDeps } from '../../deps.ts';
import type { LoggedIn } from '../../login/find-session.ts';
import { findMemberships } from '../../tokens/token-person.ts';
import { platformBrand } from '../brand.ts';

/** What somebody has to do before a login at a client serves them: sign in once more, or add a second factor. */
export type PolicyRemedy = 'login' | { readonly addFactorFor: OrgRecord };

/**
 * What an org of the person asks of the login at a client; null for nothing. It is asked where the client is that org's,
 * or where no other org of theirs is left: a policy binds in its own org alone, and tokens of others do not name it.
 */
export async function policyRemedy(
  deps: IdentityDeps,
  client: { readonly orgSlug: string },
  { session, user }: LoggedIn,
): Promise<PolicyRemedy | null> {
  const { live } = await findMemberships(deps, user.id);
  const now = deps.now();
  const refusing = live.map(({ org }) => org).filter(({ policy }) => !admitsLogin(policy, session, now));
  const own = refusing.find(({ slug }) => slug === client.orgSlug);
  const asking = own ?? (refusing.length === live.length ? refusing[0] : undefined);
  if (asking === undefined) return null;
  const needsFactor = asking.policy.secondFactorRequired && !hasSecondFactor(user);
  return needsFactor ? { addFactorFor: asking } : 'login';
}

/** Leads to the account page, where a second factor is added. */
export function addFactorPage(deps: IdentityDeps, { name }: OrgRecord): Reply {
  return sendPage(
    {
      title: 'A second factor is needed',
      brand: platformBrand(deps),
      body: html`<p><strong>${name}</strong> asks its people for a second factor. Add an authenticator app or a passkey to your
account, then go back to where you came from.</p>
<p><a class="button" href="/account">Your account</a></p>`,
    },
    { status: 403 },
  );
}
