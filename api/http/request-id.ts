import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { NewId } from '../../domain/ids.ts';

const SANE = /^[A-Za-z0-9._:-]{8,100}$/;

/** Takes a caller's x-request-id when it is sane, else makes one; it is in the reply and in every line of the log. */
export function createRequestId(deps: { newId: NewId; log: Logger }): RequestHandler {
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && SANE.test(given) ? given : deps.newId('request');
    response.locals.requestId = requestId;
    response.locals.serviceLog = deps.log;
    response.setHeader('x-request-id', requestId);
    const startedAt = performance.now();
    response.once('close', () => logRequest(deps.log, request, response, startedAt));
    next();
  };
}

/** The id is a field of the line: a logger of the request's own would cost more than the line. */
function logRequest(log: Logger, request: Request, response: Response, startedAt: number): void {
  const { requestId, polled } = response.locals;
  const durationMs = Math.round(performance.now() - startedAt);
  // The path without its query: a query may hold what does not belong in a log.
  const path = request.originalUrl.split('?', 1)[0];
  const level = polled === true && response.statusCode < 400 ? 'debug' : 'info';
  log[level]({ requestId, method: request.method, path, status: response.statusCode, durationMs }, 'request');
}
