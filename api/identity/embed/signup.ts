import type { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { signupBodySchema } from '../../../domain/identity/embed-schema.ts';
import { newUser } from '../../../domain/identity/new-user.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { newMembership } from '../../../domain/orgs/new-org.ts';
import type { OrgRecord } from '../../../domain/orgs/org.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { acceptInvite } from '../login/accept-invite.ts';
import { hashNewPassword } from '../login/set-password.ts';
import { resolveScopes } from '../oauth/resolve-scopes.ts';
import type { EmbedCaller } from './embed-client.ts';
import { embedTokens, personAddress } from './embed-tokens.ts';
import { requireTrusted } from './trusted-client.ts';

type SignupBody = z.output<typeof signupBodySchema>;

/**
 * Trusted sign-up (spec 1, "Trusted sign-up request", D 4): the client's server vouches for the address, and the person
 * gets a plain membership, or the role of the invitation they bring. An invitation gives no right to do this: the client
 * must be trusted on that org all the same.
 * @throws ROLES_NOT_ACCEPTED, TRUSTED_SIGNUP_REFUSED, PASSWORD_REFUSED, USER_EXISTS, INVITE_INVALID
 */
export async function embedSignup(deps: IdentityDeps, context: RouteContext, caller: EmbedCaller, body: SignupBody) {
  const org = await requireTrusted(deps, caller, body.orgSlug);
  if ('roles' in body) throw new FairleadError('ROLES_NOT_ACCEPTED', 'Roles are not given at sign-up; leave them out');
  const scopes = resolveScopes(caller.client, body.scope);
  const { inviteToken } = body;
  const user =
    inviteToken === undefined
      ? await signUp(deps, org, body)
      : await signUpInvited(deps, context, org, { ...body, inviteToken });
  await audit(deps, context, {
    type: 'user.signed_up',
    actor: caller.client.clientId,
    subject: user.id,
    orgSlug: org.slug,
    data: { clientId: caller.client.clientId, invited: inviteToken !== undefined },
  });
  const { address } = personAddress(caller, context, body.userAddress);
  return embedTokens(deps, context, caller, { user, origin: 'trusted_signup', methods: ['pwd'], scopes, address });
}

async function signUp(deps: IdentityDeps, org: OrgRecord, body: SignupBody): Promise<UserRecord> {
  const { email, firstName, lastName } = body;
  if ((await deps.users.findByEmail(email)) !== null) throw userExists();
  const passwordHash = await hashNewPassword(deps, body.password, email);
  const fields = { id: deps.newId('user'), email, firstName, lastName, passwordHash, emailVerified: true };
  const user = newUser({ ...fields, primaryOrg: org.slug }, deps.now());
  // Of two at once the unique address lets one in; the other gets USER_EXISTS from here.
  await deps.users.insert(user);
  await deps.memberships.put(newMembership(user.id, org, { roles: ['member'], modules: [] }, deps.now()));
  return user;
}

async function signUpInvited(
  deps: IdentityDeps,
  context: RouteContext,
  org: OrgRecord,
  { inviteToken: token, ...body }: SignupBody & { readonly inviteToken: string },
): Promise<UserRecord> {
  const { firstName, lastName, password } = body;
  const expected = { email: body.email, orgId: org.id };
  const { user } = await acceptInvite(deps, context, { token, newUser: { firstName, lastName, password }, expected });
  return (await deps.users.update(user.id, { emailVerified: true })) ?? user;
}

function userExists(): FairleadError {
  return new FairleadError('USER_EXISTS', 'There is an account of this address; use set-initial-password or sign in');
}
