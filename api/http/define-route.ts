import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type ErrorCode, FairleadError } from '../../domain/errors.ts';
import { type CallerOf, namesCallers, type RouteCallers } from './allowed-callers.ts';
import type { Authenticate, Caller, Credentials } from './caller.ts';
import type { NamedLimits } from './rate-limit.ts';
import { validate } from './validate.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What a body may be sent as. A form is read as flat strings: `a[b]=c` is a field called `a[b]`. */
export type BodyType = 'json' | 'form';

/**
 * How replies and errors look: the platform's envelope; bare JSON with the envelope's errors, where the spec shows a
 * reply without one; bare JSON with the errors of RFC 6749, 5.2; or pages. Nothing of it is stored by a cache.
 */
export type ReplyStyle = 'envelope' | 'bare' | 'oauth' | 'page';

/** What a handler gets besides its validated input. `C` is who may call, as the route's row says. */
export interface RouteContext<C extends Caller | null = Caller | null> {
  /** Who calls; null on public routes only. */
  readonly caller: C;
  /**
   * Who calls by now: a reply that goes on for long asks from time to time whether it still may. @throws UNAUTHORIZED,
   * FORBIDDEN, UNAVAILABLE as the request itself would be refused now
   */
  readonly authenticateAgain: () => Promise<C>;
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

/** The validated parts of a request. */
export interface RouteInput<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

/** One row of a route table: everything about a route but what it does, and that in one thin handler. */
export interface RouteDefinition<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodType,
  C extends RouteCallers = RouteCallers,
  R = unknown,
> {
  readonly method: Method;
  /** Express path such as `/builds/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Who may call it. There is no default: a route that names nobody cannot be registered. */
  readonly callers: C;
  /** What callers of other kinds are told instead of FORBIDDEN, such as that there is no such org. */
  readonly refusal?: () => FairleadError;
  /** What callers of these kinds are told whom it refuses, where that is more than a scope or a role. */
  readonly lack?: (caller: Caller) => FairleadError | null;
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
  /**
   * Requests in a minute of who proves to be somebody, in the place of the app's general limit, which is by address. For
   * what must be answered although others at the same address ask too much.
   */
  readonly namedRateLimit?: Omit<NamedLimits, 'nameOf'> & {
    /** The name they are counted under; null for who proves nothing: they are counted by address. */
    readonly nameOf: (request: Credentials, authenticate: Authenticate) => Promise<string | null>;
  };
  /** The handler counts by itself, once it knows who asks: the app's general limit, which is by address, does not count. */
  readonly limitedByHandler?: true;
  /** Machines ask for it all the time: what went well is logged for debugging only. */
  readonly polled?: true;
  /**
   * The address holds a secret behind its fixed beginning: the log has none of any address that begins like it, whatever
   * the method, and whether or not the route answers.
   */
  readonly secretPath?: true;
  /** By success status; replies are parsed by these schemas, so nothing undocumented leaves. */
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Codes this route answers with besides those every route has. */
  readonly errors?: readonly ErrorCode[];
  /**
   * Finds what the request is about, for this caller. @throws the not-found error of its kind, also for what is there and
   * not the caller's to know of
   */
  readonly resource?: (input: RouteInput<P, Q, B>, context: RouteContext<CallerOf<C>>) => Promise<R>;
  readonly handle: (
    input: RouteInput<P, Q, B> & { readonly resource: R },
    context: RouteContext<CallerOf<C>>,
  ) => Promise<Reply>;
}

type AnyRow = RouteDefinition<z.ZodObject, z.ZodObject, z.ZodType>;

/** A route with its types folded in, as the app and the OpenAPI document use it. */
export interface Route extends Omit<AnyRow, 'resource' | 'handle'> {
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  /** `context` is of a caller whom the row admits: see {@link authorize}. */
  readonly run: (raw: { params: unknown; query: unknown; body: unknown }, context: RouteContext) => Promise<Reply>;
}

const NOTHING = z.strictObject({});

/**
 * Checks a row and gives it the part that validates, finds and handles. The row's callers are the types of the handler's.
 * @throws INTERNAL for a row that names no caller
 */
export function defineRoute<
  const C extends RouteCallers,
  P extends z.ZodObject = typeof NOTHING,
  Q extends z.ZodObject = typeof NOTHING,
  B extends z.ZodType = typeof NOTHING,
  R = undefined,
>(definition: RouteDefinition<P, Q, B, C, R>): Route {
  const { resource, handle, params, query, body, ...row } = definition;
  if (!namesCallers(row.callers)) {
    throw new FairleadError('INTERNAL', `${row.method} ${row.path} does not name who may call it`);
  }
  return {
    ...row,
    ...(body === undefined ? {} : { body }),
    params: params ?? NOTHING,
    query: query ?? NOTHING,
    run: async (raw, anyContext) => {
      // The guard let nobody pass but whom the row names.
      const context = anyContext as RouteContext<CallerOf<C>>;
      const input = {
        params: validate(params ?? NOTHING, raw.params, 'path') as z.output<P>,
        query: validate(query ?? NOTHING, raw.query, 'query') as z.output<Q>,
        body: validate(body ?? NOTHING, raw.body, 'body') as z.output<B>,
      };
      const found = (await resource?.(input, context)) as R;
      return handle({ ...input, resource: found }, context);
    },
  };
}
