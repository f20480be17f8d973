import type { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { loginBodySchema, verifyBodySchema } from '../../../domain/identity/embed-schema.ts';
import { hasSecondFactor } from '../../../domain/identity/second-factors.ts';
import type { LoginMethod, UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { checkPassword } from '../login/check-password.ts';
import { proveAddress } from '../login/prove-address.ts';
import { takeSecondFactor } from '../login/second-factor.ts';
import { resolveScopes } from '../oauth/resolve-scopes.ts';
import { readClientLink } from './client-links.ts';
import type { EmbedCaller } from './embed-client.ts';
import { embedTokens, personAddress } from './embed-tokens.ts';

/**
 * Signs a person in by password. Someone with a second factor is asked for it by SECOND_FACTOR_REQUIRED, and the same
 * request with `otp` in it goes through: no half-done login is kept anywhere, so there is nothing to steal or expire.
 * @throws LOGIN_FAILED, LOGIN_LOCKED, SECOND_FACTOR_REQUIRED, OAUTH_INVALID_SCOPE
 */
export async function embedLogin(
  deps: IdentityDeps,
  context: RouteContext,
  caller: EmbedCaller,
  body: z.output<typeof loginBodySchema>,
) {
  const scopes = resolveScopes(caller.client, body.scope);
  const { address, limitKey } = personAddress(caller, context, body.userAddress);
  const { email, password, challenge } = body;
  const user = await checkPassword(deps, { email, password, address: limitKey, challenge });
  const methods = await proveSecondFactor(deps, context, user, 'pwd', body.otp);
  return embedTokens(deps, context, caller, { user, origin: 'password', methods, scopes, address });
}

/**
 * Signs a person in by the token of a link that was mailed to them on behalf of the same client. The second factor is
 * asked for before the link is taken, so that a missing code does not use it up.
 * @throws LINK_INVALID, SECOND_FACTOR_REQUIRED, LOGIN_FAILED, LOGIN_LOCKED, OAUTH_INVALID_SCOPE
 */
export async function embedVerify(
  deps: IdentityDeps,
  context: RouteContext,
  caller: EmbedCaller,
  body: z.output<typeof verifyBodySchema>,
) {
  const scopes = resolveScopes(caller.client, body.scope);
  const link = await readClientLink(deps, caller.client, body.token, 'magic_link');
  // Factors set before the address was proven may be somebody else's: they end with this login.
  const methods = link.user.emailVerified
    ? await proveSecondFactor(deps, context, link.user, 'email', body.otp)
    : (['email'] as const);
  const user = await proveAddress(deps, context, await link.take());
  const { address } = personAddress(caller, context, body.userAddress);
  return embedTokens(deps, context, caller, { user, origin: 'magic_link', methods, scopes, address });
}

async function proveSecondFactor(
  deps: IdentityDeps,
  context: RouteContext,
  user: UserRecord,
  first: LoginMethod,
  otp: string | undefined,
): Promise<readonly LoginMethod[]> {
  if (!hasSecondFactor(user)) return [first];
  if (otp === undefined) {
    throw new FairleadError('SECOND_FACTOR_REQUIRED', 'Ask for a code and send the request again with otp');
  }
  await takeSecondFactor(deps, context, user, otp);
  return [first, 'otp', 'mfa'];
}
