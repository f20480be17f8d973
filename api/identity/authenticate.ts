import { parseCookie } from 'cookie';
import { FairleadError } from '../../domain/errors.ts';
import { serviceRow } from '../../domain/services.ts';
import {
  type Authenticate,
  type Caller,
  type Credentials,
  type PersonCaller,
  personKind,
  strongestRole,
} from '../http/caller.ts';
import { singleHeader } from '../http/single-header.ts';
import { tokenCaller } from '../http/token-caller.ts';
import type { IdentityDeps } from './deps.ts';
import { findSession } from './login/find-session.ts';
import { bearerToken, findOwnToken } from './oauth/own-token.ts';
import { findTokenPerson } from './tokens/token-person.ts';

/**
 * Tells who calls the identity provider: the platform by the internal key; a person or service by an access token for
 * the provider itself or the platform's API; a browser by its session cookie. A token for another audience is no
 * credential here, but no error either: the UserInfo endpoint takes it.
 *
 * A cookie comes along whether the person wants it or not, so it counts only where no other site can have sent the
 * request: when nothing is changed by it, or when it comes from the provider's own pages.
 */
export function createIdpAuthenticate(deps: IdentityDeps, internal: Authenticate): Authenticate {
  const origin = new URL(deps.settings.issuer).origin;
  return async (request) => {
    const platform = await internal(request);
    if (platform !== null) return platform;
    const token = bearerToken(singleHeader(request.headers.authorization));
    if (token !== null) return callerOfToken(deps, token);
    return comesFromHere(request, origin) ? sessionCaller(deps, request) : null;
  };
}

function comesFromHere({ method, headers }: Credentials, origin: string): boolean {
  return method === 'GET' || method === 'HEAD' || singleHeader(headers.origin) === origin;
}

async function callerOfToken(deps: IdentityDeps, token: string): Promise<Caller | null> {
  const claims = await findOwnToken(deps, token);
  if (claims === null) throw new FairleadError('UNAUTHORIZED', 'The access token is expired, revoked or not valid');
  const audience = [claims.aud].flat();
  if (!audience.includes(deps.settings.issuer) && !audience.includes(serviceRow('builder').platformClient)) return null;
  return tokenCaller(claims, deps.settings.platformOrg);
}

async function sessionCaller(deps: IdentityDeps, { headers }: Credentials): Promise<PersonCaller | null> {
  const cookie = singleHeader(headers.cookie);
  const found = cookie === undefined ? null : await findSession(deps, parseCookie(cookie));
  if (found === null) return null;
  const person = await findTokenPerson(deps, found.user.id, found.session);
  if (person === null) return null;
  const { user, org } = person;
  return {
    kind: personKind(user.platformRoles),
    via: 'session',
    userId: user.id,
    email: user.email,
    org: org?.slug ?? '',
    name: user.id,
    role: strongestRole(org?.roles ?? []),
    clientId: null,
    login: { methods: found.session.methods, authenticatedAt: found.session.authenticatedAt },
  };
}
