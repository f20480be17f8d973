import { SIGNING_ALGORITHM } from '../../../domain/identity/claims.ts';
import { LOGIN_METHODS } from '../../../domain/identity/user.ts';
import { GRANT_TYPES, STANDARD_SCOPES } from '../../../domain/oauth-clients/client.ts';
import { PUBLISHED_SCOPES } from '../../../domain/oauth-clients/platform-scopes.ts';

const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post'] as const;

/**
 * What the provider says of itself, in one document for both of its places: OAuth 2.0 Authorization Server Metadata
 * (RFC 8414) and OpenID Connect Discovery 1.0. Whatever stands here is true of the endpoints, and nothing is left out
 * because its default happens to fit.
 */
export function providerMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/api/oauth/token`,
    userinfo_endpoint: `${issuer}/api/oauth/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    introspection_endpoint: `${issuer}/api/oauth/introspect`,
    revocation_endpoint: `${issuer}/api/oauth/revoke`,
    device_authorization_endpoint: `${issuer}/api/oauth/device_authorization`,
    end_session_endpoint: `${issuer}/oauth/logout`,
    /** Spec 1, "Events": where the Passport socket is. */
    passport_endpoint: `${issuer.replace(/^http/, 'ws')}/passport`,
    scopes_supported: [...STANDARD_SCOPES, ...PUBLISHED_SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [SIGNING_ALGORITHM],
    token_endpoint_auth_methods_supported: [...CLIENT_AUTHENTICATION, 'none'],
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint_auth_methods_supported: [...CLIENT_AUTHENTICATION, 'none'],
    code_challenge_methods_supported: ['S256'],
    claim_types_supported: ['normal'],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'jti', 'auth_time', 'amr', 'nonce', 'at_hash', 'sid'],
      ...['name', 'given_name', 'family_name', 'picture', 'email', 'email_verified'],
    ],
    amr_values_supported: LOGIN_METHODS,
    prompt_values_supported: ['none', 'login', 'consent'],
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    require_request_uri_registration: false,
  };
}
