import { FairleadError } from '../../../../domain/errors.ts';
import type { ClientRecord } from '../../../../domain/oauth-clients/client.ts';
import type { IdentityDeps } from '../../deps.ts';
import { requestedAudience, resolveAudience } from '../../oauth/resolve-audience.ts';
import { resolveScopes } from '../../oauth/resolve-scopes.ts';
import { refusedAddress } from '../refused-address.ts';
import { invalidRequest, type Parameters, refuseRepeated, single } from './authorization-parameters.ts';
import { isRegisteredRedirectUri } from './match-redirect-uri.ts';

/** Where answers may go: known before anything else is looked at. */
export interface ReplyTarget {
  readonly client: ClientRecord;
  readonly redirectUri: string;
  readonly state: string | null;
}

/** An authorization request that is in order (RFC 6749, 4.1.1; RFC 7636; RFC 8707; OpenID Connect Core, 3.1.2.1). */
export interface AuthorizationRequest extends ReplyTarget {
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
  readonly codeChallenge: string;
  readonly nonce: string | null;
  readonly prompt: readonly string[];
  readonly maxAgeSeconds: number | null;
  /** An ID token of the person the client means, as it was sent. */
  readonly idTokenHint: string | null;
}

const MAX_URI = 2_000;
const MAX_STATE = 2_000;

/**
 * Client and redirect URI. Until both are known to belong together, no error may be sent there: the browser would be
 * led wherever somebody wrote into a link.
 * @throws OAUTH_INVALID_CLIENT, INVALID_REDIRECT_URI, OAUTH_INVALID_REQUEST; all of them for a page of our own
 */
export async function readReplyTarget(
  deps: Pick<IdentityDeps, 'clients'>,
  parameters: Parameters,
): Promise<ReplyTarget> {
  const clientId = single(parameters, 'client_id', 200);
  const client = clientId === null ? null : await deps.clients.find(clientId);
  if (client === null) {
    throw new FairleadError('OAUTH_INVALID_CLIENT', 'The application that sent you here is not known here');
  }
  const redirectUri = single(parameters, 'redirect_uri', MAX_URI);
  if (redirectUri === null || !isRegisteredRedirectUri(client, redirectUri)) {
    throw refusedAddress(redirectUri, 'callback');
  }
  return { client, redirectUri, state: stateOf(parameters) };
}

/** A `state` that cannot be used is left out of the answer, and the request is then refused for it. */
function stateOf(parameters: Parameters): string | null {
  const [state, ...more] = parameters.get('state') ?? [];
  return state === undefined || more.length > 0 || state.length > MAX_STATE ? null : state;
}

/** The rest of the request. @throws the codes of OAuth, for the redirect URI */
export async function readAuthorizationRequest(
  deps: IdentityDeps,
  target: ReplyTarget,
  parameters: Parameters,
): Promise<AuthorizationRequest> {
  refuseRepeated(parameters);
  single(parameters, 'state', MAX_STATE);
  single(parameters, 'login_hint', 320);
  refuseUnsupported(parameters);
  const { client } = target;
  if (!client.allowedGrantTypes.includes('authorization_code')) {
    throw new FairleadError('OAUTH_UNAUTHORIZED_CLIENT', 'This client may not use the authorization code flow');
  }
  const asked = requestedAudience({ resource: parameters.get('resource'), audience: parameters.get('audience') });
  return {
    ...target,
    codeChallenge: readChallenge(parameters),
    scopes: resolveScopes(client, single(parameters, 'scope', 4_096) ?? undefined),
    audience: await resolveAudience(deps, client, asked),
    nonce: single(parameters, 'nonce'),
    prompt: readPrompt(parameters),
    maxAgeSeconds: readMaxAge(parameters),
    idTokenHint: single(parameters, 'id_token_hint', 4_096),
  };
}

function refuseUnsupported(parameters: Parameters): void {
  const responseType = single(parameters, 'response_type');
  if (responseType === null) throw invalidRequest('response_type is missing');
  if (responseType !== 'code') {
    throw new FairleadError('OAUTH_UNSUPPORTED_RESPONSE_TYPE', 'The only response_type is code');
  }
  if ((single(parameters, 'response_mode') ?? 'query') !== 'query') {
    throw invalidRequest('The only response_mode is query');
  }
  for (const name of ['request', 'request_uri']) {
    if (parameters.has(name)) throw invalidRequest(`${name} is not supported: send plain parameters`);
  }
}

/** PKCE is required of every client, and S256 is the only method (spec 1; RFC 9700, 2.1.1). */
function readChallenge(parameters: Parameters): string {
  const challenge = single(parameters, 'code_challenge');
  if (challenge === null) throw invalidRequest('code_challenge is missing: PKCE is required');
  if (single(parameters, 'code_challenge_method') !== 'S256') {
    throw invalidRequest('code_challenge_method must be S256');
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) throw invalidRequest('code_challenge is not a SHA-256 in base64url');
  return challenge;
}

function readPrompt(parameters: Parameters): readonly string[] {
  const prompt = (single(parameters, 'prompt') ?? '').split(' ').filter(Boolean);
  if (prompt.includes('none') && prompt.length > 1) throw invalidRequest('prompt=none stands alone');
  return prompt;
}

function readMaxAge(parameters: Parameters): number | null {
  const text = single(parameters, 'max_age');
  if (text === null) return null;
  if (!/^\d{1,9}$/.test(text)) throw invalidRequest('max_age is not a number of seconds');
  return Number(text);
}
