import { parseCookie } from 'cookie';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { authorize } from './allowed-callers.ts';
import type { Authenticate, Caller } from './caller.ts';
import type { Route, RouteContext } from './define-route.ts';
import { requestLogger, sendData } from './envelope.ts';
import { sendJson } from './send-json.ts';

/** Refuses callers before the body is read. */
export function createGuard(route: Route, authenticate: Authenticate): RequestHandler {
  return async (request, response, next) => {
    const caller = await authenticate(request);
    // Whoever is refused is named in the log.
    response.locals.caller = caller;
    authorize(route, caller);
    next();
  };
}

async function callerOf(route: Route, request: Request, authenticate: Authenticate): Promise<Caller | null> {
  const caller = await authenticate(request);
  authorize(route, caller);
  return caller;
}

/** Runs the route: validates, handles, and sends the reply through its documented schema. */
export function createRunner(route: Route, stopping: AbortSignal, authenticate: Authenticate): RequestHandler {
  return async (request, response) => {
    let gone: AbortSignal | null = null;
    // What most handlers never ask for is made for those who do: it costs more than all they need.
    const context: RouteContext = {
      caller: response.locals.caller as Caller | null,
      authenticateAgain: () => callerOf(route, request, authenticate),
      requestId: String(response.locals.requestId),
      get log() {
        return loggerOf(response);
      },
      headers: request.headers,
      get cookies() {
        return parseCookie(request.headers.cookie ?? '');
      },
      get address() {
        return request.ip ?? '';
      },
      url: request.originalUrl,
      origin: request.headers.origin ?? null,
      get userAgent() {
        return (request.headers['user-agent'] ?? '').slice(0, 300);
      },
      allowOrigin: (origin) => {
        response.set('Access-Control-Allow-Origin', origin).vary('Origin');
      },
      get gone() {
        gone ??= abortedOnClose(response);
        return gone;
      },
      stopping,
      stream: request,
    };
    // Express parses the query each time it is asked for it.
    const query = request.url.includes('?') ? request.query : {};
    const body: unknown = route.streamBody === undefined ? (request.body ?? {}) : {};
    const reply = await route.run({ params: { ...request.params }, query, body }, context);
    if (typeof reply === 'function') await reply(response);
    else send(route, response, reply.status, documented(route, reply.status).parse(reply.data));
  };
}

function loggerOf(response: Response): Logger {
  const log = requestLogger(response);
  if (log === undefined) throw new FairleadError('INTERNAL', 'the request has no logger');
  return log;
}

function abortedOnClose(response: Response): AbortSignal {
  const gone = new AbortController();
  if (response.closed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}

function send(route: Route, response: Response, status: number, data: unknown): void {
  if (route.replies === 'oauth' || route.replies === 'bare') sendJson(response, status, data);
  else sendData(response, status, data);
}

function documented(route: Route, status: number): z.ZodType {
  const response = route.responses[status];
  if (response === undefined) {
    throw new FairleadError('INTERNAL', `${route.method} ${route.path} does not document status ${status}`);
  }
  return response.schema;
}
