import express, { type Express, type Request, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { FairleadError } from '../../domain/errors.ts';
import type { NewId } from '../../domain/ids.ts';
import type { RequestMeter } from '../../domain/request-meter.ts';
import type { Authenticate } from './caller.ts';
import type { Method, Route } from './define-route.ts';
import { createErrorHandler, type ErrorPage, type TellError } from './error-handler.ts';
import { createLiveRoute } from './health.ts';
import { meterRequests } from './meter-requests.ts';
import { createOpenApi } from './openapi.ts';
import { type ProtectedResource, protectedResourceRoute } from './protected-resource.ts';
import { createNamedRateLimit, createRateLimit } from './rate-limit.ts';
import { bodyReader } from './read-body.ts';
import { createRequestId } from './request-id.ts';
import { createGuard, createRunner } from './run-route.ts';
import { securityHeaders } from './security-headers.ts';

export interface AppOptions {
  /** Title of the OpenAPI document. */
  readonly title: string;
  readonly version: string;
  readonly health: Route;
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  readonly newId: NewId;
  readonly log: Logger;
  readonly requestsPerMinute: number;
  readonly stopping: AbortSignal;
  /** Addresses or networks of the reverse proxies in front, whose `X-Forwarded-For` is believed; none by default. */
  readonly trustedProxies?: readonly string[];
  /** Draws the page of an error on a route that answers with pages, or sends the browser elsewhere. */
  readonly errorPage?: ErrorPage;
  /** Is told of every error, for services that have to keep what they refused. */
  readonly tellError?: TellError;
  /** Counts requests, where somebody reads the metrics of this process. */
  readonly meter?: RequestMeter;
  /** For a service that takes access tokens: has it say which, in its metadata and in every 401. */
  readonly protectedResource?: ProtectedResource;
}

/** An HTTP service from its route tables: identification, limits, authentication, validation, documents, envelopes. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', options.trustedProxies === undefined ? false : [...options.trustedProxies]);
  if (options.meter !== undefined) app.use(meterRequests(options.meter));
  app.use(createRequestId({ ...options, secretPaths: secretPaths(options.routes) }), securityHeaders);
  const health = [options.health, createLiveRoute(options.version)];
  register(app, health, options);
  const { protectedResource } = options;
  const metadata = protectedResource === undefined ? [] : [protectedResourceRoute(protectedResource)];
  const routes = [...metadata, ...options.routes];
  const byAddress = createRateLimit(options.requestsPerMinute);
  const isNamed = ({ namedRateLimit }: Route): boolean => namedRateLimit !== undefined;
  const isSelfLimited = ({ limitedByHandler }: Route): boolean => limitedByHandler === true;
  register(app, routes.filter(isNamed), options, byAddress);
  register(app, routes.filter(isSelfLimited), options);
  app.use(byAddress);
  register(
    app,
    routes.filter((route) => !isNamed(route) && !isSelfLimited(route)),
    options,
  );
  let document: string | null = null;
  app.get('/openapi.json', (_request, response) => {
    response.locals.route = '/openapi.json';
    // Written when it is first asked for, and kept as text: as objects it is the largest thing that an idle service holds.
    document ??= JSON.stringify(createOpenApi(options, [...health, ...routes]));
    response.type('json').send(document);
  });
  refuseOtherMethods(app, '/openapi.json', ['get']);
  app.use(() => {
    throw new FairleadError('NOT_FOUND', 'There is no such route; GET /openapi.json lists all');
  });
  app.use(createErrorHandler({ errorPage: options.errorPage, protectedResource, tellError: options.tellError }));
  return app;
}

function register(app: Express, routes: readonly Route[], options: AppOptions, byAddress?: RequestHandler): void {
  for (const route of routes) {
    app[route.method](
      route.path,
      nameRoute(route),
      ...(byAddress === undefined ? [] : namedLimit(route, options.authenticate, byAddress)),
      ...(route.rateLimit === undefined ? [] : [createRateLimit(route.rateLimit.perMinute)]),
      createGuard(route, options.authenticate),
      ...bodyReader(route),
      createRunner(route, options.stopping, options.authenticate),
    );
  }
  for (const route of routes) {
    if (route.crossOrigin === undefined) continue;
    app.options(route.path, nameRoute(route), preflight(route.method, route.crossOrigin.headers));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method);
    refuseOtherMethods(app, path, methods);
  }
}

function namedLimit(
  { namedRateLimit }: Route,
  authenticate: Authenticate,
  byAddress: RequestHandler,
): readonly RequestHandler[] {
  if (namedRateLimit === undefined) return [];
  const nameOf = (request: Request) => namedRateLimit.nameOf(request, authenticate);
  return [createNamedRateLimit({ ...namedRateLimit, nameOf }, byAddress)];
}

/** By their fixed beginnings, in lower case: Express tells no cases apart. */
function secretPaths(routes: readonly Route[]): readonly string[] {
  const beginnings = routes.flatMap(({ path, secretPath }) => (secretPath === true ? path.split(':', 1) : []));
  return [...new Set(beginnings.map((beginning) => beginning.toLowerCase()))];
}

/** Tells any site what it may try; no cookie goes along, and the route itself decides whose pages it serves. */
function preflight(method: Method, headers: readonly string[]): RequestHandler {
  return (request, response) => {
    response.set({
      'Access-Control-Allow-Origin': request.headers.origin ?? '*',
      'Access-Control-Allow-Methods': method.toUpperCase(),
      'Access-Control-Allow-Headers': headers.join(', '),
      'Access-Control-Max-Age': '600',
    });
    response.vary('Origin').status(204).end();
  };
}

function refuseOtherMethods(app: Express, path: string, methods: readonly Method[]): void {
  const allow = methods.map((method) => method.toUpperCase()).join(', ');
  // One handler; `app.all` would add one for each of the 34 methods that Node knows.
  app.route(path).all((request, response) => {
    response.locals.route = path;
    response.setHeader('Allow', allow);
    throw new FairleadError('METHOD_NOT_ALLOWED', `${request.method} is not possible here, only ${allow}`);
  });
}

/** The error handler has to know how the route answers, the log what is asked for all the time, and the meter which route it is. */
function nameRoute(route: Route): RequestHandler {
  return (_request, response, next) => {
    response.locals.route = route.path;
    response.locals.replies = route.replies ?? 'envelope';
    response.locals.polled = route.polled === true;
    next();
  };
}
