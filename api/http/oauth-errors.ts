import type { Response } from 'express';
import type { ErrorCode, FairleadError } from '../../domain/errors.ts';
import { ERROR_STATUS } from './error-status.ts';
import { sendJson } from './send-json.ts';

/** Names that OAuth gives to errors, in replies and redirects (RFC 6749, 4.1.2.1 and 5.2; 6750; 8628; 8693; 8707). */
const NAMES: Partial<Record<ErrorCode, string>> = {
  OAUTH_INVALID_REQUEST: 'invalid_request',
  OAUTH_INVALID_CLIENT: 'invalid_client',
  OAUTH_INVALID_GRANT: 'invalid_grant',
  OAUTH_INVALID_SCOPE: 'invalid_scope',
  OAUTH_INVALID_TARGET: 'invalid_target',
  OAUTH_UNAUTHORIZED_CLIENT: 'unauthorized_client',
  OAUTH_UNSUPPORTED_GRANT_TYPE: 'unsupported_grant_type',
  OAUTH_UNSUPPORTED_RESPONSE_TYPE: 'unsupported_response_type',
  OAUTH_UNSUPPORTED_TOKEN_TYPE: 'unsupported_token_type',
  OAUTH_ACCESS_DENIED: 'access_denied',
  OAUTH_AUTHORIZATION_PENDING: 'authorization_pending',
  OAUTH_SLOW_DOWN: 'slow_down',
  OAUTH_EXPIRED_TOKEN: 'expired_token',
  OAUTH_INVALID_TOKEN: 'invalid_token',
  OAUTH_LOGIN_REQUIRED: 'login_required',
  OAUTH_CONSENT_REQUIRED: 'consent_required',
  OAUTH_INTERACTION_REQUIRED: 'interaction_required',
  UNAUTHORIZED: 'invalid_token',
  FORBIDDEN: 'insufficient_scope',
  UNAVAILABLE: 'temporarily_unavailable',
  RATE_LIMITED: 'temporarily_unavailable',
  INTERNAL: 'server_error',
};

/** The `error` of OAuth for a code of ours; what has none of its own is a bad request. */
export function oauthErrorName(code: ErrorCode): string {
  return NAMES[code] ?? 'invalid_request';
}

/** Characters that `error_description` may hold (RFC 6749, 5.2). */
export function oauthErrorDescription(message: string): string {
  return message.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'").slice(0, 500);
}

/** Sends an error as RFC 6749, 5.2 says; a client that failed to authenticate by a header learns which scheme to use. */
export function sendOAuthError(response: Response, error: FairleadError): void {
  const name = oauthErrorName(error.code);
  const description = oauthErrorDescription(error.message);
  const status = ERROR_STATUS[error.code];
  if (error.retryable) response.setHeader('Retry-After', '2');
  if (name === 'invalid_client') response.setHeader('WWW-Authenticate', 'Basic realm="fairlead", charset="UTF-8"');
  if (name === 'invalid_token' || name === 'insufficient_scope') {
    response.setHeader(
      'WWW-Authenticate',
      `Bearer realm="fairlead", error="${name}", error_description="${description}"`,
    );
  }
  response.setHeader('Pragma', 'no-cache');
  sendJson(response, status, { error: name, error_description: description });
}
