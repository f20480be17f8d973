import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { NewId } from '../../domain/ids.ts';

const SANE = /^[A-Za-z0-9._:-]{8,100}$/;

interface RequestIdDeps {
  readonly newId: NewId;
  readonly log: Logger;
  /** Beginnings of addresses that hold a secret, in lower case: of these the log has no more than the beginning. */
  readonly secretPaths: readonly string[];
}

/** Takes a caller's x-request-id when it is sane, else makes one; it is in the reply and in every line of the log. */
export function createRequestId(deps: RequestIdDeps): RequestHandler {
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && SANE.test(given) ? given : deps.newId('request');
    response.locals.requestId = requestId;
    response.locals.serviceLog = deps.log;
    response.setHeader('x-request-id', requestId);
    const startedAt = performance.now();
    response.once('close', () => logRequest(deps, request, response, startedAt));
    next();
  };
}

/** The id is a field of the line: a logger of the request's own would cost more than the line. */
function logRequest(
  { log, secretPaths }: RequestIdDeps,
  request: Request,
  response: Response,
  startedAt: number,
): void {
  const { requestId, polled } = response.locals;
  const durationMs = Math.round(performance.now() - startedAt);
  // The path without its query: a query may hold what does not belong in a log.
  const path = loggedPath(request.originalUrl.split('?', 1)[0] ?? '', secretPaths);
  const level = polled === true && response.statusCode < 400 ? 'debug' : 'info';
  log[level]({ requestId, method: request.method, path, status: response.statusCode, durationMs }, 'request');
}

function loggedPath(path: string, secretPaths: readonly string[]): string {
  const secret = secretPaths.find((beginning) => path.slice(0, beginning.length).toLowerCase() === beginning);
  return secret === undefined ? path : `${secret}…`;
}
