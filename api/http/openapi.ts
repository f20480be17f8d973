import { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import { describeCallers, type RouteCallers } from './allowed-callers.ts';
import { INTERNAL_KEY_HEADER } from './caller.ts';
import type { Route } from './define-route.ts';
import { errorEnvelopeSchema } from './envelope.ts';
import { ERROR_STATUS } from './error-status.ts';

/** Answers that need no mention in a row, by whether a caller must be known and whether a body is read. */
const COMMON_ERRORS: readonly ErrorCode[] = ['VALIDATION_FAILED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'];
const CALLER_ERRORS: readonly ErrorCode[] = ['UNAUTHORIZED', 'FORBIDDEN'];
const BODY_ERRORS: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

const CONTENT_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

const ERROR_CONTENT = {
  envelope: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  bare: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  oauth: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } },
  page: { 'text/html': { schema: { type: 'string' } } },
} as const;

/** RFC 6749, 5.2. */
const oauthErrorSchema = z.object({ error: z.string(), error_description: z.string() });

/** The OpenAPI 3.1 document, made from the same schemas that validate requests and replies. */
export function createOpenApi(info: { title: string; version: string }, routes: readonly Route[]) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version },
    paths,
    components: {
      schemas: {
        Error: jsonSchema(errorEnvelopeSchema, 'output'),
        OAuthError: jsonSchema(oauthErrorSchema, 'output'),
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        internalKey: { type: 'apiKey', in: 'header', name: INTERNAL_KEY_HEADER },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-fl-session' },
      },
    },
  };
}

function operation(route: Route): Record<string, unknown> {
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...describe(route),
    'x-callers': route.callers,
    security: security(route.callers),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...requestBody(route),
    responses: { ...successes(route), ...failures(route) },
  };
}

/** Says who may call, as the row does. */
function describe({ callers, description }: Route): { description?: string } {
  const sentences = [
    ...(description === undefined ? [] : [description]),
    ...(callers === 'public' ? [] : [`For ${describeCallers(callers)}.`]),
  ];
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
}

/** The credentials by which some caller of the row can come. */
function security(callers: RouteCallers): Record<string, never[]>[] {
  if (callers === 'public') return [];
  const { internal, 'platform-admin': admin, ...byToken } = callers;
  return [
    ...(admin === true || Object.keys(byToken).length > 0 ? [{ bearer: [] }] : []),
    ...(internal === true ? [{ internalKey: [] }] : []),
    ...(admin === 'own-session' ? [{ session: [] }] : []),
  ];
}

/** `post /builds/:id/cancel` is `post_builds_id_cancel`. */
function operationId(route: Route): string {
  return `${route.method}${route.path.replace(/[/:.-]+/g, '_')}`;
}

function parameters(schema: z.ZodObject, place: 'path' | 'query'): Record<string, unknown>[] {
  return Object.entries(schema.shape).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || !z.safeParse(field, undefined).success,
    schema: jsonSchema(field as z.ZodType, 'input'),
  }));
}

function requestBody(route: Route): Record<string, unknown> {
  if (route.streamBody !== undefined) {
    const { contentTypes, description } = route.streamBody;
    const content = Object.fromEntries(contentTypes.map((type) => [type, {}]));
    return { requestBody: { required: true, description, content } };
  }
  if (route.body === undefined) return {};
  const required = !z.safeParse(route.body, {}).success;
  const schema = jsonSchema(route.body, 'input');
  const content = Object.fromEntries((route.bodyTypes ?? ['json']).map((type) => [CONTENT_TYPES[type], { schema }]));
  return { requestBody: { required, content } };
}

function successes(route: Route): Record<string, unknown> {
  const entries = Object.entries(route.responses).map(([status, { description, schema, alternative }]) => {
    const isBare = route.replies === 'oauth' || route.replies === 'bare';
    const body = isBare ? schema : z.object({ success: z.literal(true), data: schema });
    const content = {
      ...(route.replies === 'page'
        ? { 'text/html': { schema: { type: 'string' } } }
        : { 'application/json': { schema: jsonSchema(body, 'output') } }),
      ...(alternative === undefined
        ? {}
        : { [alternative.contentType]: { schema: { type: 'string', description: alternative.description } } }),
    };
    return [status, { description, content }];
  });
  return Object.fromEntries(entries);
}

function failures(route: Route): Record<string, unknown> {
  const codes = new Set([
    ...COMMON_ERRORS,
    ...(route.callers === 'public' ? [] : CALLER_ERRORS),
    ...(route.body === undefined && route.streamBody === undefined ? [] : BODY_ERRORS),
    ...(route.errors ?? []),
  ]);
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code]);
  const content = ERROR_CONTENT[route.replies ?? 'envelope'];
  const entries = [...byStatus].map(([status, list]) => [status, { description: list.join(', '), content }]);
  return Object.fromEntries(entries);
}

/** `$schema` is stated once by the document's dialect. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
