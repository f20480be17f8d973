import { z } from 'zod';
import { MOST_METHODS } from '../registered-limits.ts';
import { PATH } from './path-pattern.ts';
import { entry, listOf } from './schema-kinds.ts';

/** Routes of a catalog (spec 2, "Catalog file"). Each message completes the sentence "expected …, found …". */

const ROUTE_PATH =
  'a path that begins with one /, without .., of at most 1000 characters (parameters as {name} or :name)';
const PREFIX = 'a path that begins with one /, without .., of at most 1000 characters';
const AUTH = 'the name of an auth mode, of at most 200 characters';
const METHOD = 'an HTTP method such as GET, or ANY';
const METHODS = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|ANY|\*)$/;
const GAS = 'a whole number of tokens, 0 or more';
/** Of larger ones a number holds no longer each, and `.inf` is one. */
const MOST_GAS = `at most ${Number.MAX_SAFE_INTEGER} tokens`;
const gasExpected = ({ input }: { readonly input?: unknown }): string =>
  typeof input === 'number' && input > Number.MAX_SAFE_INTEGER ? MOST_GAS : GAS;

export const route = entry(
  {
    path: z
      .string({ error: ROUTE_PATH })
      .regex(PATH, { error: ROUTE_PATH })
      .describe('Path of the route; parameters as {name} or :name'),
    methods: listOf(
      z
        .string({ error: METHOD })
        .transform((value) => value.toUpperCase())
        .pipe(z.string().regex(METHODS, { error: METHOD })),
      'HTTP methods',
      MOST_METHODS,
    ).describe('Such as GET; none, or ANY, is all'),
    auth: z
      .union([z.string().max(200, { error: AUTH }), z.boolean()], { error: AUTH })
      .nullish()
      .transform((value) => (value === null || value === undefined || value === '' ? null : String(value)))
      .describe('Auth mode of the route at the gateway'),
    gas: z
      .int({ error: gasExpected })
      .min(0, { error: GAS })
      .nullish()
      .transform((value) => value ?? 0)
      .describe('Tokens for each successful call; 0 is free'),
    charge: z
      .enum(['service', 'callerOrg', 'system'], { error: 'one of service, callerOrg, system' })
      .nullish()
      .transform((value) => value ?? null)
      .describe('Who pays: the service (default), the org of the caller, or the platform'),
    stripPrefix: z
      .string({ error: PREFIX })
      .regex(PATH, { error: PREFIX })
      .nullish()
      .transform((value) => value ?? null)
      .describe('Beginning of the path that the gateway takes away before it asks the service'),
  },
  '{ path, methods, auth, gas, charge, stripPrefix }',
);
