import type { IncomingMessage, ServerResponse } from 'node:http';
import { FairleadError } from '../../domain/errors.ts';
import type { RequestWithHeaders } from './token-source.ts';
import type { FairleadUser } from './user.ts';

/** A middleware of Express, Connect, or of a plain `http` server. */
export type Middleware = (
  request: IncomingMessage & { user?: FairleadUser },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Lets requests with a good token pass, with `request.user` set. Others get 401 with `{ error: 'Unauthorized' }` (spec
 * 1, A 4) and the challenge of RFC 6750, 3; 503 while the provider cannot be asked. Anything else goes to `next(error)`.
 */
export function createMiddleware(
  authenticate: (request: RequestWithHeaders) => Promise<{ readonly user: FairleadUser }>,
): Middleware {
  return (request, response, next) => {
    authenticate(request).then(
      ({ user }) => {
        request.user = user;
        next();
      },
      (error: unknown) => {
        if (error instanceof FairleadError && error.code === 'UNAUTHORIZED') refuse(response, error);
        else if (error instanceof FairleadError && error.retryable) askLater(response, error);
        else next(error);
      },
    );
  };
}

/** The user that the middleware set. @throws INTERNAL when the middleware did not run for this route */
export function userOf(request: IncomingMessage & { user?: FairleadUser }): FairleadUser {
  if (request.user !== undefined) return request.user;
  throw new FairleadError('INTERNAL', 'userOf(request) needs the middleware of the token verifier in front of it');
}

function refuse(response: ServerResponse, error: FairleadError): void {
  const { reason } = error.details as { reason: string };
  // Without any credential the challenge names no error (RFC 6750, 3.1).
  const challenge =
    reason === 'missing' ? 'Bearer' : `Bearer error="invalid_token", error_description="${error.message}"`;
  send(response, 401, { 'www-authenticate': challenge }, { error: 'Unauthorized', message: error.message });
}

function askLater(response: ServerResponse, error: FairleadError): void {
  send(response, 503, { 'retry-after': '2' }, { error: 'Service Unavailable', message: error.message });
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(JSON.stringify(body));
}
