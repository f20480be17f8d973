import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ERROR_CODES, FairleadError } from '../../domain/errors.ts';
import { ERROR_STATUS } from './error-status.ts';

/** Every reply is `{ success: true, data }` or `{ success: false, error }` (spec 2, "Endpoints"). */
export const errorEnvelopeSchema = z.object({
  success: z.literal(false),
  error: z.object({ code: z.enum(ERROR_CODES), message: z.string(), details: z.unknown().optional() }),
});

export function sendData(response: Response, status: number, data: unknown): void {
  response.status(status).json({ success: true, data });
}

/** Sends an error as its code's status; what it was caused by stays in the log. */
export function sendError(response: Response, error: FairleadError): void {
  const { code, message, details } = error;
  if (error.retryable) response.setHeader('Retry-After', '2');
  const body = { code, message, ...(details === undefined ? {} : { details }) };
  response.status(ERROR_STATUS[code]).json({ success: false, error: body });
}

/** The last handler: everything thrown ends here, as an envelope, with a log line when it is the server's fault. */
export function createErrorHandler(): ErrorRequestHandler {
  return (thrown: unknown, _request, response, next) => {
    const error = asFairleadError(thrown);
    if (ERROR_STATUS[error.code] >= 500) requestLogger(response)?.error({ err: thrown }, error.message);
    if (response.headersSent) {
      // Too late for an envelope: Express's own handler cuts the connection, so the client sees a broken reply.
      next(thrown);
      return;
    }
    sendError(response, error);
  };
}

/** The logger of the request, with its id in every line. */
export function requestLogger(response: Response): Logger | undefined {
  return response.locals.log as Logger | undefined;
}

/** Errors of Express's body parser, by their `type`. */
const BODY_ERRORS: Readonly<Record<string, () => FairleadError>> = {
  'entity.parse.failed': () => new FairleadError('VALIDATION_FAILED', 'The body is not valid JSON'),
  'entity.too.large': () => new FairleadError('PAYLOAD_TOO_LARGE', 'The body is larger than this route takes'),
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
  if (thrown instanceof URIError) return new FairleadError('VALIDATION_FAILED', 'The path is not validly encoded');
  return new FairleadError('INTERNAL', 'Something went wrong here; the request id leads to it in the logs');
}
