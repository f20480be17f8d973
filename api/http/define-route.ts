import { parseCookie } from 'cookie';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type ErrorCode, FairleadError } from '../../domain/errors.ts';
import { type Authenticate, authorize, CALLER_KINDS, type Caller, type CallerKind } from './caller.ts';
import { requestLogger, sendData } from './envelope.ts';
import { sendJson } from './send-json.ts';
import { validate } from './validate.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What a body may be sent as. A form is read as flat strings: `a[b]=c` is a field called `a[b]`. */
export type BodyType = 'json' | 'form';

/**
 * How replies and errors look: the platform's envelope; bare JSON with the envelope's errors, where the spec shows a
 * reply without one; bare JSON with the errors of RFC 6749, 5.2; or pages. Nothing of it is stored by a cache.
 */
export type ReplyStyle = 'envelope' | 'bare' | 'oauth' | 'page';

/** What a handler gets besides its validated input. */
export interface RouteContext {
  /** Who calls; null on public routes only. */
  readonly caller: Caller | null;
  /**
   * Who calls by now: a reply that goes on for long asks from time to time whether it still may. @throws UNAUTHORIZED,
   * FORBIDDEN, UNAVAILABLE as the request itself would be refused now
   */
  readonly authenticateAgain: () => Promise<Caller | null>;
  readonly requestId: string;
  readonly log: Logger;
  readonly headers: Request['headers'];
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** Network address the request came from. */
  readonly address: string;
  /** Path and query as they were asked for. */
  readonly url: string;
  /** The `Origin` header; null when there is none. */
  readonly origin: string | null;
  /** At most 300 characters of it. */
  readonly userAgent: string;
  /** Lets pages of that origin read the reply, on routes that are `crossOrigin`. */
  readonly allowOrigin: (origin: string) => void;
  /** Aborts when the client goes. */
  readonly gone: AbortSignal;
  /** Aborts when the server is about to stop; streams end themselves then. */
  readonly stopping: AbortSignal;
  /** The unread body, for routes that take a stream. */
  readonly stream: AsyncIterable<Uint8Array>;
}

/** What a handler answers: a status with its data, or a function that writes the reply itself. */
export type Reply = { readonly status: number; readonly data: unknown } | ((response: Response) => Promise<void>);

/** The body of a request that is passed on unread. */
export interface StreamBody {
  readonly contentTypes: readonly string[];
  readonly description: string;
}

export interface RouteResponse {
  readonly description: string;
  readonly schema: z.ZodType;
  /** Documents an alternative to JSON, such as `text/event-stream`. */
  readonly alternative?: { readonly contentType: string; readonly description: string };
}

/** One row of a route table: everything about a route but what it does, and that in one thin handler. */
export interface RouteDefinition<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> {
  readonly method: Method;
  /** Express path such as `/builds/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Who may call it. There is no default: a route that names nobody cannot be registered. */
  readonly callers: CallerKind;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly streamBody?: StreamBody;
  /** JSON alone when it says nothing. */
  readonly bodyTypes?: readonly BodyType[];
  /** The envelope when it says nothing. */
  readonly replies?: ReplyStyle;
  /**
   * Answers the preflight requests of other sites' pages, without letting cookies along. Whether such a page may use
   * the route is the handler's decision (`allowOrigin`).
   */
  readonly crossOrigin?: { readonly headers: readonly string[] };
  /** Requests one address may make in a minute, besides the app's general limit. */
  readonly rateLimit?: { readonly perMinute: number };
  /** Machines ask for it all the time: what went well is logged for debugging only. */
  readonly polled?: true;
  /** By success status; replies are parsed by these schemas, so nothing undocumented leaves. */
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Codes this route answers with besides those every route has. */
  readonly errors?: readonly ErrorCode[];
  readonly handle: (
    input: { params: z.output<P>; query: z.output<Q>; body: z.output<B> },
    context: RouteContext,
  ) => Promise<Reply>;
}

/** A route with its types folded in, as the app and the OpenAPI document use it. */
export interface Route extends Omit<RouteDefinition<z.ZodObject, z.ZodObject, z.ZodType>, 'handle'> {
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly run: (raw: { params: unknown; query: unknown; body: unknown }, context: RouteContext) => Promise<Reply>;
}

const NOTHING = z.strictObject({});
/** Checks a row and gives it the part that validates before it handles. @throws INTERNAL for a row that names no caller. */
export function defineRoute<
  P extends z.ZodObject = typeof NOTHING,
  Q extends z.ZodObject = typeof NOTHING,
  B extends z.ZodType = typeof NOTHING,
>(definition: RouteDefinition<P, Q, B>): Route {
  const { handle, params, query, body, ...row } = definition;
  if (!CALLER_KINDS.some((kind) => kind === row.callers)) {
    throw new FairleadError('INTERNAL', `${row.method} ${row.path} does not name who may call it`);
  }
  return {
    ...row,
    ...(body === undefined ? {} : { body }),
    params: params ?? NOTHING,
    query: query ?? NOTHING,
    run: (raw, context) =>
      handle(
        {
          params: validate(params ?? NOTHING, raw.params, 'path') as z.output<P>,
          query: validate(query ?? NOTHING, raw.query, 'query') as z.output<Q>,
          body: validate(body ?? NOTHING, raw.body, 'body') as z.output<B>,
        },
        context,
      ),
  };
}

/** Refuses callers before the body is read. */
export function createGuard(route: Route, authenticate: Authenticate): RequestHandler {
  return async (request, response, next) => {
    response.locals.caller = await callerOf(route, request, authenticate);
    next();
  };
}

async function callerOf(route: Route, request: Request, authenticate: Authenticate): Promise<Caller | null> {
  const caller = await authenticate(request);
  authorize(route.callers, caller);
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
