import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Logger } from 'pino';
import { FairleadError } from '../../domain/errors.ts';
import type { Caller } from './caller.ts';
import type { ReplyStyle } from './define-route.ts';
import { requestLogger, sendError } from './envelope.ts';
import { ERROR_STATUS } from './error-status.ts';
import { sendOAuthError } from './oauth-errors.ts';
import { bearerChallenge, type ProtectedResource } from './protected-resource.ts';

/** Draws the page of an error; it sends the whole reply. */
export type ErrorPage = (error: FairleadError, request: Request, response: Response) => Promise<void> | void;

/**
 * Is told of every error that a request ends with, wherever it was refused. The caller is null when the request was
 * refused before its caller was known.
 */
export type TellError = (
  error: FairleadError,
  request: Request,
  about: { readonly log: Logger | undefined; readonly caller: Caller | null },
) => void;

/** The last handler: everything thrown ends here, in the route's own style, with a log line when it is the server's fault. */
export function createErrorHandler(options: {
  errorPage?: ErrorPage | undefined;
  protectedResource?: ProtectedResource | undefined;
  tellError?: TellError | undefined;
}): ErrorRequestHandler {
  const { errorPage, protectedResource, tellError } = options;
  return async (thrown: unknown, request, response, next) => {
    const error = asFairleadError(thrown);
    if (ERROR_STATUS[error.code] >= 500) requestLogger(response)?.error({ err: thrown }, error.message);
    tellError?.(error, request, {
      log: requestLogger(response),
      caller: (response.locals.caller as Caller | undefined) ?? null,
    });
    if (response.headersSent) {
      // Too late for an answer: Express's own handler cuts the connection, so the client sees a broken reply.
      next(thrown);
      return;
    }
    if (error.code === 'UNAUTHORIZED' && protectedResource !== undefined) {
      const challenge = bearerChallenge(protectedResource, request.headers);
      if (challenge !== null) response.setHeader('WWW-Authenticate', challenge);
    }
    const style = (response.locals.replies as ReplyStyle | undefined) ?? styleOfVisitor(request);
    if (style === 'oauth') sendOAuthError(response, error);
    else if (style === 'page' && errorPage !== undefined) await errorPage(error, request, response);
    else sendError(response, error);
  };
}

/** Where there is no route, a browser that goes to an address is answered with a page. */
function styleOfVisitor({ method, headers }: Request): ReplyStyle {
  return method === 'GET' && headers.accept?.includes('text/html') === true ? 'page' : 'envelope';
}

/** Errors of Express's body parser, by their `type`. */
const BODY_ERRORS: Readonly<Record<string, () => FairleadError>> = {
  'entity.parse.failed': () => new FairleadError('VALIDATION_FAILED', 'The body is not valid JSON'),
  'entity.too.large': () => new FairleadError('PAYLOAD_TOO_LARGE', 'The body is larger than this route takes'),
  'parameters.too.many': () => new FairleadError('PAYLOAD_TOO_LARGE', 'The form has more fields than this route takes'),
  'encoding.unsupported': () => new FairleadError('UNSUPPORTED_MEDIA_TYPE', 'This Content-Encoding is not supported'),
  'charset.unsupported': () => new FairleadError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as UTF-8'),
  'request.aborted': () => new FairleadError('VALIDATION_FAILED', 'The request ended before its body was complete'),
  'request.size.invalid': () => new FairleadError('VALIDATION_FAILED', 'The body is not as long as its Content-Length'),
};

function asFairleadError(thrown: unknown): FairleadError {
  if (thrown instanceof FairleadError) return thrown;
  const type = thrown instanceof Error && 'type' in thrown ? String(thrown.type) : '';
  const known = BODY_ERRORS[type]?.();
  if (known !== undefined) return known;
  if (isBrokenCompression(thrown))
    return new FairleadError('VALIDATION_FAILED', 'The body does not match its Content-Encoding');
  if (thrown instanceof URIError) return new FairleadError('VALIDATION_FAILED', 'The path is not validly encoded');
  return new FairleadError('INTERNAL', 'Internal error; find it in the logs by the request id');
}

/** An error of zlib, which the body parser passes on as it is but for its status. */
function isBrokenCompression(thrown: unknown): boolean {
  return (
    thrown instanceof Error && 'status' in thrown && thrown.status === 400 && 'errno' in thrown && 'code' in thrown
  );
}
