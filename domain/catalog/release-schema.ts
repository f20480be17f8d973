import { z } from 'zod';
import { entry, flag, listOf } from './schema-kinds.ts';

/** The sections of the catalog file that say what follows the install of a release. */

const SEO_WORDS = 'text of 1 to 200 characters';
const seoWords = z
  .string({ error: SEO_WORDS })
  .regex(/^[^\p{Cc}]{1,200}$/u, { error: SEO_WORDS })
  .nullish()
  .transform((value) => value ?? null);

/** `pages` is a key of the contract whose shape is not given; it is dropped, as unknown keys are. */
export const seo = entry(
  {
    enabled: flag.describe('True when the site registry is to be told of deploys'),
    entity: seoWords.describe('What the site is about, such as the name of a company'),
    topic: seoWords.describe('The subject of its pages'),
  },
  '{ enabled, entity, topic }',
);

const MOST_TESTS = 50;
/** They travel with the facts of a build. */
const MOST_TEST_CHARACTERS = 8_000;
const MOST_HEADERS = 20;

const TEST_NAME = 'a name of 1 to 100 characters';
const TEST_PATH = 'a path of the service: it begins with one /, and has no blanks, backslashes and #';
const TEST_METHOD = 'one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const TEST_HEADERS = `at most ${MOST_HEADERS} headers, such as accept: text/html, none of the connection itself`;
const TEST_BODY = 'text of at most 4000 characters';
const TEST_STATUS = 'a status from 200 to 599';
const TEST_TEXT = 'text of 1 to 1000 characters';

/** Headers that decide where a request goes or how it is framed. */
const OF_CONNECTION =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length)$/i;

const headers = z
  .record(
    z.string().regex(/^[!#$%&'*+.^`|~\w-]{1,100}$/),
    z
      .union([z.string(), z.number(), z.boolean()])
      .transform(String)
      .pipe(z.string().regex(/^[\x20-\x7e]{0,1000}$/)),
    { error: TEST_HEADERS },
  )
  .refine((given) => Object.keys(given).length <= MOST_HEADERS, { error: TEST_HEADERS })
  .refine((given) => !Object.keys(given).some((name) => OF_CONNECTION.test(name)), { error: TEST_HEADERS })
  .nullish()
  .transform((given) => given ?? {});

const test = entry(
  {
    name: z
      .string({ error: TEST_NAME })
      .regex(/^[^\p{Cc}]{1,100}$/u, { error: TEST_NAME })
      .describe('Name of the test'),
    path: z
      .string({ error: TEST_PATH })
      .regex(/^\/(?!\/)[\x21-\x7e]{0,999}$/, { error: TEST_PATH })
      .refine((path) => !/[\\#]/.test(path), { error: TEST_PATH })
      .describe('Path that is asked, with its query; only the service itself is'),
    method: z
      .string({ error: TEST_METHOD })
      .transform((method) => method.toUpperCase())
      .pipe(z.string().regex(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/, { error: TEST_METHOD }))
      .nullish()
      .transform((method) => method ?? 'GET')
      .describe('GET where there is none'),
    headers: headers.describe('Headers that are sent; nothing secret, the catalog is in the repository'),
    body: z
      .string({ error: TEST_BODY })
      .max(4_000, { error: TEST_BODY })
      .nullish()
      .transform((body) => body ?? null)
      .describe('Text that is sent'),
    expectStatus: z
      .int({ error: TEST_STATUS })
      .min(200, { error: TEST_STATUS })
      .max(599, { error: TEST_STATUS })
      .nullish()
      .transform((status) => status ?? null)
      .describe('Status that passes; any 2xx where there is none. Redirects are not followed'),
    expectBodyContains: z
      .string({ error: TEST_TEXT })
      .min(1, { error: TEST_TEXT })
      .max(1_000, { error: TEST_TEXT })
      .nullish()
      .transform((text) => text ?? null)
      .describe('Text that the first MiB of the answer has to hold'),
  },
  '{ name, path, method, headers, body, expectStatus, expectBodyContains }',
);

const TOO_LONG = `tests of at most ${MOST_TEST_CHARACTERS} characters together`;

export const tests = listOf(test, 'tests', MOST_TESTS).refine(
  (declared) => JSON.stringify(declared).length <= MOST_TEST_CHARACTERS,
  { error: TOO_LONG },
);

const WALKTHROUGH = 'an http or https address without a password, or a path of the service that begins with one /';

export const walkthrough = entry(
  {
    url: z
      .string({ error: WALKTHROUGH })
      .max(1_000, { error: WALKTHROUGH })
      .regex(/^[\x21-\x7e]+$/, { error: WALKTHROUGH })
      .refine(isPublicLink, { error: WALKTHROUGH })
      .describe('Its address, or a path of the service'),
  },
  '{ url }',
);

/** A link that leads where it says. */
function isPublicLink(text: string): boolean {
  if (text.startsWith('/')) return !text.startsWith('//') && !text.includes('\\');
  if (!/^https?:\/\/[^\\]+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
