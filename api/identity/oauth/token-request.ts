import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { RouteContext } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import type { TokenReply } from '../tokens/token-reply.ts';

/** A parameter without a value counts as left out (RFC 6749, 3.2). A form that repeats one makes it a list: refused. */
export function parameter(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .transform((value) => (value === '' ? undefined : value))
    .optional();
}

/** `resource` and `audience` alone may come more than once (RFC 8707, 2; RFC 8693, 2.1). */
export function targetParameter() {
  const target = z.string().max(512);
  return z.union([target, z.array(target).max(20)]).optional();
}

/** How a client authenticates itself in a body. */
export const CLIENT_PARAMETERS = { client_id: parameter(255), client_secret: parameter(512) };

/** Parameters of every grant; those that nobody knows are ignored (RFC 6749, 3.2). */
export const tokenRequestSchema = z.object({
  ...CLIENT_PARAMETERS,
  grant_type: parameter(100),
  scope: parameter(4_096),
  audience: targetParameter(),
  resource: targetParameter(),
  code: parameter(512),
  redirect_uri: parameter(2_048),
  code_verifier: parameter(512),
  refresh_token: parameter(512),
  device_code: parameter(512),
  subject_token: parameter(16_384),
  subject_token_type: parameter(200),
  requested_token_type: parameter(200),
  actor_token: parameter(16_384),
});

export type TokenParameters = z.output<typeof tokenRequestSchema>;

export interface TokenRequest {
  /** Authenticated, and allowed this grant. */
  readonly client: ClientRecord;
  /** The `iat` of its tokens: `askedAt` of the client's authentication. */
  readonly issuedAt: Date;
  readonly parameters: TokenParameters;
  readonly context: RouteContext;
}

/** One grant: what is presented becomes tokens. */
export type GrantHandler = (deps: IdentityDeps, request: TokenRequest) => Promise<TokenReply>;

/** @throws OAUTH_INVALID_REQUEST naming the parameter that is missing */
export function requireParameter(value: string | undefined, name: string): string {
  if (value !== undefined) return value;
  throw new FairleadError('OAUTH_INVALID_REQUEST', `${name} is missing`);
}

export function invalidGrant(message: string): FairleadError {
  return new FairleadError('OAUTH_INVALID_GRANT', message);
}
