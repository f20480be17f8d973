import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inferCatalog } from '../../../domain/catalog/infer-catalog.ts';
import { mergeInferred, parseCatalog } from '../../../domain/catalog/parse-catalog.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { testRecord } from '../../ports/records.ts';

const MIB = 1024 ** 2;
const read = (text: string) => parseCatalog(text, { enforceMinimumVersion: false });

function catalog(version: string, spec: string, annotations = ''): string {
  return `metadata:\n  name: hello\n  annotations:\n    platform.io/catalog-version: ${version}\n${annotations}spec:\n  owner: acme\n${spec}`;
}

test('a full catalog of the current version is read without a warning', () => {
  const { catalog: found, warnings } = read(
    catalog(
      '0.6.0',
      `  routes:
    - { path: "/items/{id}", methods: [get, POST], auth: user, gas: 3, charge: callerOrg, stripPrefix: /api }
    - { path: "/items/:id/free" }
  dependencies:
    - { service: mailer, scopes: [send, read] }
  databases: [{ type: mongodb }, { type: postgres }]
  storage: [{ name: files, tier: s3-md }]
  config:
    - { key: LIMIT, default: 5, description: dropped }
    - { key: API_KEY, secret: true, required: true }
  queues: [{ name: mail.out }, { name: orders, path: /work/orders }]
  schedules: [{ name: night, cron: "0 2 * * *" }]
  tests:
    - { name: home, path: / }
    - { name: home, path: /, method: post, headers: { accept: text/html, X-N: 1 }, body: '{}', expectStatus: 201, expectBodyContains: hi }
  walkthrough: { url: /tour }
  seo: { enabled: true, entity: Hello Ltd, topic: greetings, pages: [/, { path: /about }] }
`,
      `    platform.io/framework: fastify
    platform.io/pod-tier: medium
    platform.io/health-endpoint: /status
    platform.io/port: 8081
    platform.io/env-vars: A_URL, B_URL
    platform.io/dockerfile: deploy/Dockerfile
    platform.io/writable-paths: /app/data, /var/lib/app.d
    platform.io/node-version: 22
    platform.io/package-manager: pnpm@10.2.0
    platform.io/install-command: npm install
    platform.io/build-command: npm run build && npm run css
    platform.io/start-command: node server.js --all
    platform.io/output-folder: web/out
    platform.io/cpu-request: 0.5
    platform.io/memory-request: 512Mi
`,
    ),
  );
  assert.deepEqual(warnings, []);
  assert.deepEqual(found, {
    name: 'hello',
    declared: true,
    version: '0.6.0',
    framework: 'fastify',
    owner: 'acme',
    podTier: 'medium',
    cpuRequestMillis: 500,
    memoryRequestBytes: 512 * MIB,
    healthEndpoint: '/status',
    healthDeclared: true,
    port: 8081,
    buildEnvVars: ['A_URL', 'B_URL'],
    dockerfile: 'deploy/Dockerfile',
    nodeVersion: '22',
    packageManager: 'pnpm@10.2.0',
    installCommand: 'npm install',
    buildCommand: 'npm run build && npm run css',
    startCommand: 'node server.js --all',
    outputFolder: 'web/out',
    writablePaths: ['/app/data', '/var/lib/app.d'],
    config: [
      { key: 'LIMIT', secret: false, required: false, default: '5' },
      { key: 'API_KEY', secret: true, required: true, default: null },
    ],
    databases: ['mongodb', 'postgres'],
    storage: [{ name: 'files', tier: 's3-md' }],
    dependencies: [{ service: 'mailer', scopes: ['send', 'read'] }],
    routes: [
      { path: '/items/{id}', methods: ['GET', 'POST'], auth: 'user', gas: 3, charge: 'callerOrg', stripPrefix: '/api' },
      { path: '/items/:id/free', methods: [], auth: null, gas: 0, charge: null, stripPrefix: null },
    ],
    auth: null,
    tests: [
      testRecord(),
      {
        ...{ name: 'home', method: 'POST', path: '/', headers: { accept: 'text/html', 'X-N': '1' }, body: '{}' },
        ...{ expectStatus: 201, expectBodyContains: 'hi' },
      },
    ],
    modules: [],
    userAccess: null,
    registration: null,
    walkthrough: '/tour',
    seo: { enabled: true, entity: 'Hello Ltd', topic: 'greetings' },
    bindings: [
      { kind: 'queue', name: 'mail.out', path: '/queues/mail.out', cron: null },
      { kind: 'queue', name: 'orders', path: '/work/orders', cron: null },
      { kind: 'schedule', name: 'night', path: '/schedules/night', cron: '0 2 * * *' },
    ],
    sections: ['queues', 'schedules', 'seo', 'tests', 'walkthrough'],
  });
});

test('what a database declares beside its type is a warning, and so is a type that is named twice', () => {
  const spec =
    '  databases: [{ type: postgres, name: orders, size: 1 }, { type: mongodb }, { type: postgres }, { type: postgres }]\n';
  const { catalog: found, warnings } = read(catalog('0.6.0', spec));
  assert.deepEqual(found.databases, ['postgres', 'mongodb']);
  assert.deepEqual(warnings, [
    'spec.databases[0].name is ignored: a database is called <service>_<environment>',
    'spec.databases[0].size is ignored, as it is not known',
    'spec.databases names postgres more than once: a service has one database of a type',
  ]);
});

test('a word inside of a section that is not known is a warning with the ones that are', () => {
  const spec = [
    '  dependencies: [{ service: mailer, scope: [send], databases: [{ type: postgres, acess: read }] }]',
    '  config: [{ key: A }, { key: B, requird: true }]',
    '  routes: [{ path: /a, metods: [GET] }]',
    '  auth: { mode: sso, branding: true, pasport: {}, passport: { branding: true, headles: true } }',
    '  modules: [orders, { name: crm, titel: CRM }]',
    '  seo: { enabled: true, pages: [/], topics: x }',
    '  tests: [{ name: a, path: /, headers: { x-any: "1" }, status: 200 }]',
  ];
  assert.deepEqual(
    read(catalog('0.6.0', `${spec.join('\n')}\n`)).warnings.map((warning) => warning.split(' is not known')[0]),
    [
      'spec.routes[0].metods',
      'spec.dependencies[0].scope',
      'spec.dependencies[0].databases[0].acess',
      'spec.config[1].requird',
      'spec.tests[0].status',
      'spec.seo.topics',
      'spec.modules[1].titel',
      'spec.auth.pasport',
      'spec.auth.passport.headles',
    ],
  );
  const [warning] = read(catalog('0.6.0', '  config: [{ key: B, requird: true }]\n')).warnings;
  assert.equal(
    warning,
    'spec.config[0].requird is not known and is ignored; known there: key, secret, required, default',
  );
  const many = Array.from({ length: 30 }, (_, index) => `w${index}: 1`).join(', ');
  const { warnings } = read(catalog('0.6.0', `  seo: { ${many} }\n`));
  assert.deepEqual([warnings.length, warnings.at(-1)?.slice(0, 17)], [21, 'and 10 more words']);
});

const NO_FLAGS = { includeBranding: false, includeEntityHash: false, headless: false, allowedEmbedOrigins: [] };
const AUTH: readonly (readonly [string, string, unknown])[] = [
  ['sso', 'auth: { mode: sso }', { mode: 'sso', passport: NO_FLAGS }],
  ['service-only', 'auth: { mode: service-only, passport: null }', { mode: 'service-only', passport: NO_FLAGS }],
  [
    'every passport field',
    'auth: { mode: sso, passport: { includeBranding: true, includeEntityHash: true, headless: true, allowedEmbedOrigins: ["https://a.example", "http://localhost:3000"] } }',
    {
      mode: 'sso',
      passport: {
        includeBranding: true,
        includeEntityHash: true,
        headless: true,
        allowedEmbedOrigins: ['https://a.example', 'http://localhost:3000'],
      },
    },
  ],
  [
    'origins under the other key',
    'auth: { mode: sso, passport: { allowedOrigins: ["https://a.example"] } }',
    { mode: 'sso', passport: { ...NO_FLAGS, allowedEmbedOrigins: ['https://a.example'] } },
  ],
  [
    'the shorthand branding, which is dropped without a word',
    'auth: { mode: sso, branding: true, passport: { branding: true } }',
    { mode: 'sso', passport: NO_FLAGS },
  ],
];

for (const [what, text, expected] of AUTH) {
  test(`spec.auth: ${what}`, () => {
    const { catalog: found, warnings } = read(catalog('0.6.0', `  ${text}\n`));
    assert.deepEqual(found.auth, expected);
    assert.deepEqual(warnings, []);
  });
}

const EVERYTHING =
  '  storage: [{ name: a, tier: s3-sm }]\n  dependencies: [{ service: b }]\n  config: [{ key: C }]\n  tests: []\n  userAccess: {}\n  registration: {}\n';
const IGNORED: Readonly<Record<string, readonly string[]>> = {
  '0.2.0': ['storage', 'dependencies', 'config', 'tests', 'userAccess', 'registration'],
  '0.3.0': ['dependencies', 'config', 'tests', 'userAccess', 'registration'],
  '0.4.0': ['config', 'tests', 'userAccess', 'registration'],
  '0.5.0': ['registration'],
  '0.6.0': [],
};

for (const [version, ignored] of Object.entries(IGNORED)) {
  test(`version ${version} ignores the sections that came later, each with a warning`, () => {
    const { warnings } = read(catalog(version, EVERYTHING));
    assert.deepEqual(
      warnings,
      warnings.filter((line) => line.includes('is ignored: it needs catalog version')),
    );
    assert.deepEqual(
      warnings.map((line) => /^spec\.(\w+)/.exec(line)?.[1]),
      ignored,
    );
  });
}

test('what other tools write is read: an end of the file by ---, numbers of their own, lists that are repeated', () => {
  const text = `apiVersion: backstage.io/v1alpha1
kind: Component
metadata:
  name: hello
  labels: { release: 1.10 }
  annotations: { platform.io/catalog-version: 0.6.0, other.io/scale: 1e3 }
spec:
  type: service
  version: 007
  routes:
    - { path: /a, methods: &methods [GET], gas: 0 }
    - { path: /b, methods: *methods, gas: 0 }
  config: [{ key: PIN, default: "0042" }, { key: RATE, default: 1.5 }]
---
`;
  const { catalog, warnings } = parseCatalog(text, { enforceMinimumVersion: false });
  assert.deepEqual(
    catalog.config.map((variable) => variable.default),
    ['0042', '1.5'],
  );
  assert.deepEqual(catalog.routes[1]?.methods, ['GET']);
  assert.deepEqual(warnings, ['spec.version is not a known section and is ignored']);
});

test('an annotation of the platform that is not known is told of, and one of another tool is not', () => {
  const text =
    'metadata:\n  name: hello\n  annotations:\n    platform.io/catalog-version: 0.6.0\n    platform.io/prot: 80\n    other.io/x: 1\n';
  const { warnings } = parseCatalog(text, { enforceMinimumVersion: false });
  assert.deepEqual(warnings, ['the annotation platform.io/prot is not known and is ignored']);
});

test('a section that is too new for the version is not even checked', () => {
  assert.deepEqual(read(catalog('0.2.0', '  storage: 5\n')).catalog.storage, []);
});

test('a version below the minimum warns, and is refused when the minimum is enforced', () => {
  const text = catalog('0.1.0', '');
  assert.match(read(text).warnings.join(), /version 0\.1\.0 is older than 0\.2\.0/);
  assert.throws(
    () => parseCatalog(text, { enforceMinimumVersion: true }),
    (error) => error instanceof FairleadError && error.code === 'CATALOG_VERSION_UNSUPPORTED',
  );
});

const WARNED: readonly (readonly [string, string, RegExp])[] = [
  ['newer version', catalog('0.7.0', ''), /newer than 0\.6\.0/],
  ['no version', 'metadata: { name: a }\n', /catalog-version is not set/],
  ['unknown tier', catalog('0.6.0', '', '    platform.io/pod-tier: giant\n'), /pod-tier "giant".*nano is used/],
  ['cpu below floor', catalog('0.6.0', '', '    platform.io/cpu-request: 5m\n'), /below the floor of 10m; 25m is used/],
  [
    'cpu over limit',
    catalog('0.6.0', '', '    platform.io/cpu-request: 1\n'),
    /limit of the nano tier, 250m; 25m is used/,
  ],
  ['cpu invalid', catalog('0.6.0', '', '    platform.io/cpu-request: lots\n'), /not a quantity.*25m is used/],
  [
    'memory below floor',
    catalog('0.6.0', '', '    platform.io/memory-request: 63Mi\n'),
    /floor of 64Mi; 128Mi is used/,
  ],
  ['memory over limit', catalog('0.6.0', '', '    platform.io/memory-request: 1Gi\n'), /tier, 256Mi; 128Mi is used/],
  ['configDeclarations', catalog('0.6.0', '  configDeclarations: []\n'), /configDeclarations does nothing/],
  ['unknown section', catalog('0.6.0', '  rotes: []\n'), /spec\.rotes is not a known section/],
  ['unknown framework', catalog('0.6.0', '  framework: django\n'), /framework "django" is not one of/],
  ['repeated key', catalog('0.6.0', '  config: [{ key: A }, { key: A }]\n'), /names A more than once/],
];

for (const [name, text, expected] of WARNED) {
  test(`a warning, not a failure: ${name}`, () => assert.match(read(text).warnings.join('\n'), expected));
}

const annotated = (line: string) => catalog('0.6.0', '', `    platform.io/${line}\n`);
test('the framework is inferred where the file names none, and the health endpoint follows it', () => {
  const inferred = inferCatalog({ manifest: '{"dependencies":{"next":"15"}}', files: [] });
  const open = mergeInferred(read(catalog('0.6.0', '')), inferred).catalog;
  assert.deepEqual([open.framework, open.healthEndpoint], ['nextjs', '/api/health']);
  const declared = mergeInferred(read(annotated('health-endpoint: /health')), inferred).catalog;
  assert.deepEqual([declared.framework, declared.healthEndpoint], ['nextjs', '/health']);
  const named = mergeInferred(read(annotated('framework: express')), inferred).catalog;
  assert.deepEqual([named.framework, named.healthEndpoint], ['express', '/health']);
});
