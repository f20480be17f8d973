import { FairleadError } from '../../../../domain/errors.ts';
import { personClaims } from '../../../../domain/identity/build-claims.ts';
import type { AccessTokenClaims } from '../../../../domain/identity/claims.ts';
import type { GrantRecord } from '../../../../domain/identity/login.ts';
import { EXCHANGED_TOKEN_SECONDS } from '../../../../domain/identity/token-lifetimes.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { type ClientRecord, STANDARD_SCOPES } from '../../../../domain/oauth-clients/client.ts';
import { admitsLogin, type LoginFacts } from '../../../../domain/orgs/policy.ts';
import { isPlatformAdmin } from '../../../../domain/roles.ts';
import { PLATFORM_CLIENT_IDS } from '../../../../domain/services.ts';
import { audit } from '../../audit.ts';
import type { IdentityDeps } from '../../deps.ts';
import { finishEnding } from '../../login/end-logins.ts';
import { loginOf, secondsOf, signAccessToken, tokenFrame, tokenLimit } from '../../tokens/sign-tokens.ts';
import { findMemberships, findTokenPerson } from '../../tokens/token-person.ts';
import { requestedAudience } from '../resolve-audience.ts';
import { narrowScopes, parseScopes } from '../resolve-scopes.ts';
import { type GrantHandler, requireParameter, type TokenParameters } from '../token-request.ts';

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';

/**
 * Exchanges the access token of a login for one whose audience is a service (RFC 8693; spec 1, F 4 and F 6): what
 * `fairlead session` needs. The person must be a member of the org that owns the service, or a super admin of the
 * platform org; the login must be an OAuth one. The new token has no scope that the subject token has not, and a subject
 * token that was narrowed to some of its login's audience is not exchanged: whoever it was narrowed for must not get
 * further. The token lives 24 hours, but never longer than the login, ends with it, and says in `act.sub` which client got it.
 */
export const tokenExchange: GrantHandler = async (deps, { client, issuedAt, parameters, context }) => {
  checkTypes(parameters);
  const subject = await readSubject(deps, client, requireParameter(parameters.subject_token, 'subject_token'));
  const grant = await requireLogin(deps, client, subject);
  const person = await findTokenPerson(deps, subject.sub, grant);
  if (person === null) throw refused('The account, or its organization, is suspended');
  if (await finishEnding(deps, person.user)) await requireLogin(deps, client, subject);
  const target = await requireTarget(deps, { user: person.user, login: grant }, requestedAudience(parameters));
  const granted = exchangeable(client, grant, subject);
  const frame = tokenFrame(deps, {
    audience: [target.clientId],
    scopes: narrowScopes(granted, parameters.scope),
    issuedAt,
    ttlSeconds: EXCHANGED_TOKEN_SECONDS,
    limit: tokenLimit(grant, person),
  });
  const claims = personClaims(frame, person, loginOf(grant, client.clientId), { sub: client.clientId });
  await audit(deps, context, {
    type: 'oauth.token_exchanged',
    actor: person.user.id,
    subject: target.clientId,
    orgSlug: target.orgSlug,
    data: { clientId: client.clientId, tokenId: frame.tokenId, grantId: grant.id },
  });
  return {
    access_token: await signAccessToken(deps, claims),
    issued_token_type: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: secondsOf(frame),
    scope: frame.scopes.join(' '),
  };
};

/** The standard scopes that the subject token has, and its login and its client still have. */
function exchangeable(client: ClientRecord, grant: GrantRecord, subject: AccessTokenClaims): readonly string[] {
  const standard: readonly string[] = STANDARD_SCOPES.filter((scope) => scope !== 'offline_access');
  const carried = parseScopes(subject.scope);
  return [carried, grant.scopes, client.allowedScopes].reduce(
    (left, scopes) => left.filter((scope) => scopes.includes(scope)),
    standard,
  );
}

function checkTypes(parameters: TokenParameters): void {
  const type = requireParameter(parameters.subject_token_type, 'subject_token_type');
  const { requested_token_type: requested = ACCESS_TOKEN, actor_token: actor } = parameters;
  if (![ACCESS_TOKEN, JWT].includes(type) || ![ACCESS_TOKEN, JWT].includes(requested)) {
    throw refused('Only an access token can be exchanged, and only for an access token');
  }
  if (actor !== undefined) throw refused('actor_token is not supported: the client acts for itself');
}

/** An access token of this client's own login: not one that was exchanged before, nor a service's or a persona's. */
async function readSubject(deps: IdentityDeps, client: ClientRecord, token: string): Promise<AccessTokenClaims> {
  const claims = await deps.signer.verifyOwn(token).catch((cause: unknown) => {
    if (cause instanceof FairleadError && cause.code !== 'OAUTH_INVALID_TOKEN') throw cause;
    throw refused('subject_token is not a valid access token; log in again');
  });
  if (await deps.revocations.isRevoked(claims)) throw refused('The login was ended; log in again');
  if (claims.client_id !== client.clientId || claims.act !== undefined || claims.persona === true) {
    throw refused("subject_token must be the access token of the client's own login");
  }
  return claims;
}

async function requireLogin(
  deps: IdentityDeps,
  client: ClientRecord,
  subject: AccessTokenClaims,
): Promise<GrantRecord> {
  const grant = subject.gid === undefined ? null : await deps.grants.find(subject.gid);
  const lives = grant !== null && grant.revokedAt === null && grant.expiresAt > deps.now();
  if (!lives || grant.clientId !== client.clientId || grant.userId !== subject.sub) {
    throw refused('The login was ended; log in again');
  }
  const audience = [subject.aud].flat();
  if (grant.audience.some((one) => !audience.includes(one))) {
    throw refused('subject_token is for some of the audience of its login alone: exchange one for all of it');
  }
  if (grant.origin !== 'oauth') {
    throw refused('A password login cannot be exchanged for a token of a service: log in again with `fairlead login`');
  }
  return grant;
}

/**
 * The service's client, if the person may have a session there. The message is the same for a client that does not
 * exist, so that nobody learns which ones do.
 */
async function requireTarget(
  deps: IdentityDeps,
  { user, login }: { readonly user: Pick<UserRecord, 'id' | 'platformRoles'>; readonly login: LoginFacts },
  requested: readonly string[],
): Promise<ClientRecord> {
  const [clientId, ...others] = requested;
  if (clientId === undefined) throw new FairleadError('OAUTH_INVALID_REQUEST', 'audience is missing');
  if (others.length > 0) throw new FairleadError('OAUTH_INVALID_TARGET', 'A token is exchanged for one audience');
  const target = await deps.clients.find(clientId);
  const { live } = await findMemberships(deps, user.id);
  const counting = live.filter(({ org }) => admitsLogin(org.policy, login, deps.now()));
  const orgs = counting.map(({ org }) => org.slug);
  const isPlatforms = PLATFORM_CLIENT_IDS.includes(clientId);
  const admin = isPlatformAdmin(user.platformRoles) && orgs.includes(deps.settings.platformOrg);
  if (target !== null && !isPlatforms && (admin || orgs.includes(target.orgSlug))) return target;
  const message = `There is no service client ${clientId}, or you are not a member of the organization that owns it`;
  throw new FairleadError('OAUTH_INVALID_TARGET', message);
}

/** RFC 8693, 2.2.2: whatever is unacceptable about the subject token is an invalid request. */
function refused(message: string): FairleadError {
  return new FairleadError('OAUTH_INVALID_REQUEST', message);
}
