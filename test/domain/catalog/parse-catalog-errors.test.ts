import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCatalog } from '../../../domain/catalog/parse-catalog.ts';
import { FairleadError } from '../../../domain/errors.ts';

const read = (text: string) => parseCatalog(text, { enforceMinimumVersion: false });

const SECTIONS =
  '  storage: [{ name: a, tier: s3-sm }]\n  dependencies: [{ service: b }]\n  config: [{ key: C }]\n  tests: []\n  userAccess: {}\n  registration: {}\n';

const many = (count: number): string => Array.from({ length: count }, (_, index) => `{ name: q${index} },`).join('');

function catalog(version: string, spec: string, annotations = ''): string {
  return `metadata:\n  name: hello\n  annotations:\n    platform.io/catalog-version: ${version}\n${annotations}spec:\n  owner: acme\n${spec}`;
}

const annotated = (line: string) => catalog('0.6.0', '', `    platform.io/${line}\n`);
const ofTest = (fields: string) => catalog('0.6.0', `  tests: [{ name: a, ${fields} }]\n`);
const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  ['empty', '', /^catalog-info\.yaml:1:1: the file is empty$/],
  ['only a comment', '# nothing\n', /the file is empty/],
  ['a list', '- a\n', /1:1: expected a mapping with metadata and spec, found a list of 1/],
  ['a scalar', 'hello\n', /expected a mapping with metadata and spec, found "hello"/],
  ['bad indentation', 'metadata:\n  name: a\n   x: 1\n', /:[23]:\d+: not valid YAML/],
  ['unclosed quote', 'metadata: { name: "a\n', /not valid YAML/],
  ['tab indentation', 'metadata:\n\tname: a\n', /not valid YAML/],
  [
    'duplicate key',
    'metadata:\n  name: a\n  name: b\n',
    /3:3: metadata: the key name stands here more than once: keep one/,
  ],
  ['no blank after a colon', 'metadata:\n  name:a\n', /found "name:a"; after the colon stands a blank: name: a$/],
  ['text with a colon', 'metadata:\n  title: a: b\n', /not valid YAML: .*; put text with a colon in quotes/],
  ['text that begins with @', 'metadata:\n  title: @a\n', /not valid YAML: .*; put the text in quotes$/],
  ['a star', 'metadata: *\n', /not valid YAML: .*; put text that begins with \* in quotes$/],
  [
    'a tab before a list',
    catalog('0.6.0', '  routes:\n\t- path: /a\n'),
    /^catalog-info\.yaml:8:1: [^\n]*indent with blanks$/,
  ],
  ['a no-break blank', 'metadata:\n\u00a0 name: a\n', /2:1: a special blank \(U\+00A0\) in the indentation/],
  ['a template', 'metadata:\n  name: {{ .Values.name }}\n', /2:10: metadata\.name: .*for a template \{\{ … \}\} what/],
  ['two services', 'metadata: { name: a }\n---\nmetadata: { name: b }\n', /move others to files of their own$/],
  ['a version with a zero', catalog('0.10', ''), /the number 0\.10 is read as 0\.1: write 0\.1, or "0\.10" in quotes/],
  [
    'a default that is not given as it is written',
    catalog('0.6.0', '  config: [{ key: PIN, default: 0042 }]\n'),
    /^[^\n]*default: a number that is not read as it is written: put it in quotes$/,
  ],
  ['two documents', 'metadata: { name: a }\n---\nmetadata: { name: b }\n', /a second document begins here/],
  ['an unknown alias', 'metadata: *gone\n', /metadata: \*gone: no anchor of that name stands before it/],
  ['an alias bomb', bomb(), /aliases expand to too much/],
  ['too deep', '['.repeat(60_000), /nested too deep/],
  ['too large', `metadata: { name: a }\n# ${'x'.repeat(70_000)}`, /larger than 64 KiB/],
  [
    'an unknown auth mode',
    catalog('0.6.0', '  auth: { mode: magic }\n'),
    /spec\.auth\.mode: expected one of sso, service/,
  ],
  ['auth without a mode', catalog('0.6.0', '  auth: {}\n'), /spec\.auth\.mode: expected one of sso.*found nothing/],
  ['tests as a mapping', catalog('0.6.0', '  tests: { gated: true }\n'), /spec\.tests: expected a list of tests/],
  ['51 tests', catalog('0.6.0', `  tests: [${'{ name: a, path: / },'.repeat(51)}]\n`), /at most 50 tests/],
  [
    'tests of too many characters',
    catalog('0.6.0', `  tests: [${[1, 2, 3].map((n) => `{ name: t${n}, path: /, body: ${'x'.repeat(3_000)} }`)}]\n`),
    /spec\.tests: expected tests of at most 8000 characters/,
  ],
  ['a test without a path', ofTest('method: GET'), /path: expected a path of the service/],
  ['a test of another host', ofTest('path: "http://other.example/"'), /path: expected a path of the service/],
  ['a test of another host without a scheme', ofTest('path: //other.example/'), /path: expected a path of/],
  ['a test of another host by a backslash', ofTest('path: "/\\\\other.example"'), /path: expected a path of/],
  ['a test whose path ends the request line', ofTest('path: "/ HTTP/1.1\\r\\nhost: other"'), /path: expected a path/],
  ['a test whose path is no ASCII', ofTest('path: /ä'), /path: expected a path of/],
  ['a test that asks for a tunnel', ofTest('path: /, method: CONNECT'), /method: expected one of GET, HEAD/],
  ['a test that names a host', ofTest('path: /, headers: { Host: other.example }'), /headers: expected at most 20/],
  [
    'a test that frames its request',
    ofTest('path: /, headers: { transfer-encoding: chunked }'),
    /none of the connection/,
  ],
  ['a test with a header of two lines', ofTest('path: /, headers: { x: "a\\r\\nhost: other" }'), /tests\[0\]\.headers/],
  ['a test with a header of no name', ofTest('path: /, headers: { "a b": c }'), /tests\[0\]\.headers/],
  ['a test that expects a hint', ofTest('path: /, expectStatus: 103'), /expectStatus: expected a status from 200/],
  ['a test that expects no text', ofTest('path: /, expectBodyContains: ""'), /expectBodyContains: expected text/],
  ['a test with a long body', ofTest(`path: /, body: ${'x'.repeat(4_001)}`), /body: expected text of at most 4000/],
  ...['javascript:alert(1)', '//other.example', 'https://me:key@other.example/', '"/\\\\other.example"', 'tour'].map(
    (url) =>
      [
        `a walkthrough at ${url}`,
        catalog('0.6.0', `  walkthrough: { url: ${JSON.stringify(url).replaceAll('\\"', '')} }\n`),
        /spec\.walkthrough\.url: expected an http or https address/,
      ] as const,
  ),
  [
    'a walkthrough as text',
    catalog('0.6.0', '  walkthrough: /tour\n'),
    /spec\.walkthrough: expected a mapping \{ url \}/,
  ],
  ['seo as a flag', catalog('0.6.0', '  seo: true\n'), /spec\.seo: expected a mapping \{ enabled, entity, topic \}/],
  [
    'a topic with a control character',
    catalog('0.6.0', '  seo: { enabled: true, topic: "a\\u0007" }\n'),
    /7:32: spec\.seo\.topic: text with a control character/,
  ],
  ['auth as a word', catalog('0.6.0', '  auth: sso\n'), /spec\.auth: expected a mapping \{ mode, passport \}/],
  [
    'an embed origin with a path',
    catalog('0.6.0', '  auth: { mode: sso, passport: { allowedEmbedOrigins: ["https://a.example/"] } }\n'),
    /allowedEmbedOrigins\[0\]: expected an origin such as/,
  ],
  ['no metadata', 'spec: {}\n', /: metadata: expected a mapping with the name of the service, found nothing/],
  ['no name', 'metadata: {}\n', /metadata\.name: expected a service name.*found nothing/],
  ['a number as name', 'metadata: { name: 5 }\n', /1:19: metadata\.name: expected a service name.*found 5/],
  [
    'more routes than are registered',
    catalog('0.6.0', `  routes: [${'{ path: /a },'.repeat(501)}]\n`),
    /at most 500 routes/,
  ],
  [
    'a longer path than is registered',
    catalog('0.6.0', `  routes: [{ path: /${'a'.repeat(1_000)} }]\n`),
    /at most 1000/,
  ],
  [
    'a prefix with a query',
    catalog('0.6.0', '  routes: [{ path: /a, stripPrefix: "/v1?x" }]\n'),
    /stripPrefix: expected a path/,
  ],
  [
    'an auth mode of a long name',
    catalog('0.6.0', `  routes: [{ path: /a, auth: ${'a'.repeat(201)} }]\n`),
    /auth: expected the name of/,
  ],
  [
    'more methods than there are',
    catalog('0.6.0', `  routes: [{ path: /a, methods: [${'GET,'.repeat(21)}] }]\n`),
    /at most 20/,
  ],
  ['more queues than are bound', catalog('0.6.0', `  queues: [${many(101)}]\n`), /at most 100 queues/],
  [
    'more dependencies than an org looks through',
    catalog('0.6.0', `  dependencies: [${'{ service: b },'.repeat(101)}]\n`),
    /at most 100 dependencies/,
  ],
  [
    'more scopes than an org looks through',
    catalog('0.6.0', `  dependencies: [{ service: b, scopes: [${'read,'.repeat(51)}] }]\n`),
    /at most 50 scopes/,
  ],
  ['an upper-case name', 'metadata: { name: Hello }\n', /found "Hello"/],
  [
    'annotations as list',
    'metadata: { name: a, annotations: [] }\n',
    /annotations: expected a mapping of annotations, found a list/,
  ],
  [
    'a version that is none',
    annotated('catalog-version: latest').replace('    platform.io/catalog-version: 0.6.0\n', ''),
    /expected a version such as 0\.6\.0, found "latest"/,
  ],
  ['a port out of range', annotated('port: 70000'), /expected a port from 1 to 65535, found 70000/],
  ['a port as text', annotated('port: web'), /expected a port from 1 to 65535, found "web"/],
  [
    'a relative health endpoint',
    annotated('health-endpoint: health'),
    /expected a path that begins with one \/, .*found "health"/,
  ],
  ...[
    '//127.0.0.1:9/admin',
    String.raw`/\127.0.0.1:9/admin`,
    '/\t/127.0.0.1',
    '/a\u007f',
    String.raw`/a\b`,
    '/a b',
  ].map(
    (path) =>
      [
        `the health endpoint ${JSON.stringify(path)}`,
        annotated(`health-endpoint: ${JSON.stringify(path).replace('\u007f', String.raw`\x7f`)}`),
        /health-endpoint"\]: (?:expected a path that begins with one \/|text with a control character)/,
      ] as const,
  ),
  ['a container file outside', annotated('dockerfile: ../Dockerfile'), /expected a path inside the app/],
  ...['data', '/', '/app/../etc', '/proc/self', '/etc/nginx', '/a:/b', '/sys'].map(
    (path) =>
      [`the writable path ${path}`, annotated(`writable-paths: ["${path}"]`), /expected absolute folders/] as const,
  ),
  [
    'too many writable paths',
    annotated(`writable-paths: ${Array.from({ length: 17 }, (_, index) => `/d${index}`).join(',')}`),
    /expected at most 16 folders/,
  ],
  ['a bad variable name', annotated('env-vars: A, 1B'), /expected a variable name.*found/],
  ['spec as text', 'metadata: { name: a }\nspec: hello\n', /2:7: spec: expected a mapping, found "hello"/],
  [
    'owner as mapping',
    'metadata: { name: a }\nspec: { owner: {} }\n',
    /spec\.owner: expected the slug of an org: .*, found a mapping/,
  ],
  [
    'routes as mapping',
    catalog('0.6.0', '  routes: {}\n'),
    /7:11: spec\.routes: expected a list of routes, found a mapping/,
  ],
  ['a route as text', catalog('0.6.0', '  routes: [/a]\n'), /spec\.routes\[0\]: expected a mapping \{ path/],
  [
    'a route without path',
    catalog('0.6.0', '  routes: [{ gas: 1 }]\n'),
    /spec\.routes\[0\]\.path: expected a path.*found nothing/,
  ],
  [
    'gas as text',
    catalog('0.6.0', '  routes: [{ path: /a }, { path: /b }, { path: /c, gas: five }]\n'),
    /spec\.routes\[2\]\.gas: expected a whole number of tokens, 0 or more, found "five"/,
  ],
  ['negative gas', catalog('0.6.0', '  routes: [{ path: /a, gas: -1 }]\n'), /gas: expected a whole number.*found -1/],
  [
    'gas that no number can hold',
    catalog('0.6.0', '  routes: [{ path: /a, gas: 9007199254740992 }]\n'),
    /gas: expected at most 9007199254740991 tokens, found 9007199254740992/,
  ],
  [
    'gas that is read as another number',
    catalog('0.6.0', '  routes: [{ path: /a, gas: 9007199254740993 }]\n'),
    /gas: the number 9007199254740993 is farther from 0 than a number is read exactly, which is 9007199254740991;/,
  ],
  [
    'endless gas',
    catalog('0.6.0', '  routes: [{ path: /a, gas: .inf }]\n'),
    /gas: expected at most 9007199254740991 tokens, found Infinity/,
  ],
  [
    'fractional gas',
    catalog('0.6.0', '  routes: [{ path: /a, gas: 1.5 }]\n'),
    /gas: expected a whole number.*found 1\.5/,
  ],
  [
    'a queue without a name',
    catalog('0.6.0', '  queues: [{ path: /a }]\n'),
    /name: expected a name: 1 to 63 lower-case letters/,
  ],
  [
    'a schedule that runs on words',
    catalog('0.6.0', '  schedules: [{ name: night, cron: every night }]\n'),
    /cron: expected five fields such as "0 2 \* \* \*"/,
  ],
  [
    'a schedule at an address',
    catalog('0.6.0', '  schedules: [{ name: a, cron: "* * * * *", path: "https://x.example" }]\n'),
    /path: expected a path that begins with one \//,
  ],
  [
    'an unknown charge',
    catalog('0.6.0', '  routes: [{ path: /a, charge: me }]\n'),
    /charge: expected one of service, callerOrg, system, found "me"/,
  ],
  [
    'an unknown method',
    catalog('0.6.0', '  routes: [{ path: /a, methods: [FETCH] }]\n'),
    /methods\[0\]: expected an HTTP method.*found "FETCH"/,
  ],
  [
    'an unknown database',
    catalog('0.6.0', '  databases: [{ type: mysql }]\n'),
    /expected one of mongodb, postgres, redis, neo4j, found "mysql"/,
  ],
  [
    'an unknown storage tier',
    catalog('0.6.0', '  storage: [{ name: a, tier: s3-xxl }]\n'),
    /tier: expected one of s3-sm, .*found "s3-xxl"/,
  ],
  [
    'required as text',
    catalog('0.6.0', '  config: [{ key: A, required: "yes" }]\n'),
    /required: expected true or false, found "yes"/,
  ],
  [
    'a list as default',
    catalog('0.6.0', '  config: [{ key: A, default: [1] }]\n'),
    /default: expected text, a number, true or false/,
  ],
  [
    'a dependency without service',
    catalog('0.6.0', '  dependencies: [{ scopes: [a] }]\n'),
    /dependencies\[0\]\.service: expected a service name/,
  ],
];

for (const [name, text, expected] of BROKEN) {
  test(`refused with place and reason: ${name}`, () => {
    assert.throws(
      () => read(text),
      (error) => {
        assert.ok(error instanceof FairleadError, String(error));
        assert.equal(error.code, 'CATALOG_INVALID');
        assert.match(error.message, /^catalog-info\.yaml:\d+:\d+: /);
        assert.match(error.message, expected);
        return true;
      },
    );
  });
}

test('all problems are reported at once, each with line, column and path', () => {
  assert.throws(
    () => read('metadata:\n  annotations: {}\nspec:\n  routes:\n    - path: a\n      gas: five\n'),
    (error) => {
      assert.ok(error instanceof FairleadError && Array.isArray(error.details));
      assert.deepEqual(
        error.details.map(({ line, column, path }) => [line, column, path]),
        [
          [2, 3, 'metadata.name'],
          [5, 13, 'spec.routes[0].path'],
          [6, 12, 'spec.routes[0].gas'],
        ],
      );
      return true;
    },
  );
});

test('the default of a variable is never quoted in a message', () => {
  assert.throws(
    () => read(catalog('0.6.0', '  config: [{ key: A, secret: true, default: { value: hunter2 } }]\n')),
    (error) => error instanceof FairleadError && !error.message.includes('hunter2'),
  );
});

test('damaged catalogs end as read or as CATALOG_INVALID, never as anything else', () => {
  const text = catalog('0.6.0', SECTIONS);
  const junk = [':', '"', '[', '{', '\n', '\t', '- ', '*a', '&a ', '!!x ', '\0', '%', '\u2028', '<<: ', '__proto__: '];
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let round = 0; round < 500; round += 1) {
    const at = next(text.length);
    const damaged = text.slice(0, at) + (junk[next(junk.length)] ?? '') + text.slice(at + next(6));
    try {
      read(damaged);
    } catch (error) {
      assert.ok(error instanceof FairleadError && error.code === 'CATALOG_INVALID', `${String(error)} of ${damaged}`);
    }
  }
});

function bomb(): string {
  const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(of).join(',')}]\n`;
  return level('a', 'x') + level('b', '*a') + level('c', '*b') + level('d', '*c');
}

test('variables that the platform provides may not be declared, in any letter case', () => {
  const spec = '  config: [{ key: MONGODB_URI, default: x }, { key: COLOUR }, { key: http_proxy }]\n';
  assert.throws(() => read(catalog('0.6.0', spec)), {
    code: 'RESERVED_ENV_VAR',
    message: /^spec\.config: MONGODB_URI, http_proxy: the platform provides this itself/,
    details: { names: ['MONGODB_URI', 'http_proxy'] },
  });
});
