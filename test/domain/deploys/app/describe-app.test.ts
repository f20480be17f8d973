import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readVariablesFile } from '../../../../domain/catalog/variables-file.ts';
import { type Declared, describeApp } from '../../../../domain/deploys/app/describe-app.ts';
import { generateContainerFile } from '../../../../domain/deploys/container-file/generate-container-file.ts';

/** The description of an app with this manifest, beside files that are empty or have a text. */
function describe(manifest: object, declared: Partial<Declared> = {}, files: Readonly<Record<string, string>> = {}) {
  const texts = { 'package.json': JSON.stringify(manifest), ...files };
  const paths = ['package-lock.json', ...Object.keys(texts)];
  const rest = { framework: 'express', port: null, healthEndpoint: '/health', ...declared } as const;
  return describeApp({ files: paths, texts }, rest);
}

it('names framework, version, install, build and start, each with its reason', () => {
  const app = describe({
    engines: { node: '22' },
    scripts: { build: 'tsc', start: 'node dist/main.js' },
    dependencies: { express: '^5.1.0' },
  });
  assert.deepEqual([app.framework, app.frameworkVersion, app.manager.name], ['express', '^5.1.0', 'npm']);
  assert.match(app.nodeImage.reason, /engines\.node in package\.json asks for "22"/);
  assert.match(app.install?.reason ?? '', /package-lock\.json/);
  assert.deepEqual(app.build, { value: 'npm run build', reason: 'package.json has a build script' });
  assert.deepEqual(app.start, { value: ['node', 'dist/main.js'], reason: 'package.json has a start script' });
  assert.deepEqual([app.port.value, app.site], [3000, null]);
  assert.equal(
    describe({ scripts: { start: 'node a.js' } }, { port: 8081 }).port.reason,
    'platform.io/port declares it',
  );
});

it('a site without a build installs nothing and is served from the usual folders', () => {
  const app = describe({}, { framework: 'static' });
  assert.deepEqual([app.install, app.build, app.start], [null, null, null]);
  assert.deepEqual(app.site?.folders.value, ['public', 'dist', '.']);
  const found = describe({}, { framework: 'static' }, { 'index.html': '' }).site?.folders;
  assert.deepEqual(found, { value: ['.'], reason: 'there is its index.html' });
});

const FASTIFY_DEMO = {
  scripts: { start: 'npm run build && node dist/server.js', build: 'tsc' },
  dependencies: { fastify: '5' },
  devDependencies: { typescript: '6', tsx: '4' },
};

it('what the start script builds first is built with the image, once, and its tools are pruned', () => {
  const app = describe(FASTIFY_DEMO, { framework: 'fastify' });
  assert.deepEqual(app.start?.value, ['node', 'dist/server.js']);
  assert.equal(app.build?.value, 'npm run build');
  assert.equal(app.keepsDevelopment.value, false);
});

/** Manifest and files; the start command, the build command, and whether packages for development stay. */
const SHAPES: readonly (readonly [string, object, Readonly<Record<string, string>>, string, string | null, boolean])[] =
  [
    [
      'a chain',
      { scripts: { start: 'node migrate.js && node a.js' } },
      {},
      'node migrate.js && exec node a.js',
      null,
      false,
    ],
    ['two commands', { scripts: { start: 'node a.js; serve -s b' } }, {}, 'node a.js; exec serve -s b', null, false],
    [
      'prestart',
      { scripts: { prestart: 'node a.js', start: 'node b.js' } },
      {},
      'node a.js && exec node b.js',
      null,
      false,
    ],
    [
      'a prestart that builds, without a build script',
      { scripts: { prestart: 'tsc', start: 'node dist/b.js' }, devDependencies: { typescript: '5' } },
      {},
      'node dist/b.js',
      'tsc',
      false,
    ],
    [
      'a script that calls another one of another package manager',
      { scripts: { start: 'yarn serve --port 1', serve: 'node a.js' } },
      {},
      'node a.js --port 1',
      null,
      false,
    ],
    [
      'variables before a script',
      { scripts: { start: 'A=1 yarn serve', serve: 'node a.js && node b.js' } },
      {},
      'exec env A=1 npm run serve',
      null,
      false,
    ],
    [
      'tsx for development',
      { scripts: { start: 'tsx src/a.ts' }, devDependencies: { tsx: '4' } },
      {},
      'exec tsx src/a.ts',
      null,
      true,
    ],
    ['tsx', { scripts: { start: 'tsx src/a.ts' }, dependencies: { tsx: '4' } }, {}, 'exec tsx src/a.ts', null, false],
    [
      'a module that is loaded first',
      { scripts: { start: 'node -r ts-node/register a.ts' }, devDependencies: { 'ts-node': '10' } },
      {},
      'node -r ts-node/register a.ts',
      null,
      true,
    ],
    [
      'a wrapper',
      { scripts: { start: 'cross-env A=1 node a.js' }, devDependencies: { 'cross-env': '7' } },
      {},
      'exec cross-env A=1 node a.js',
      null,
      true,
    ],
    [
      'fastify-cli',
      { scripts: { start: 'fastify start -l info app.js' }, devDependencies: { 'fastify-cli': '7' } },
      {},
      'exec fastify start -l info app.js',
      null,
      true,
    ],
    [
      'a watcher',
      { scripts: { start: 'nodemon a.js' }, devDependencies: { nodemon: '3' } },
      {},
      'node a.js',
      null,
      false,
    ],
    ['a watching Node.js', { scripts: { start: 'node --watch a.js' } }, {}, 'node a.js', null, false],
    [
      'a start script for development',
      { scripts: { start: 'nest start', 'start:prod': 'node dist/main', build: 'nest build' } },
      {},
      'node dist/main',
      'npm run build',
      false,
    ],
    [
      'types of Node.js among the packages for development',
      { scripts: { start: 'node a.js' }, devDependencies: { '@types/node': '24' } },
      {},
      'node a.js',
      null,
      false,
    ],
    [
      'a file of variables that no image has',
      { scripts: { start: 'node --env-file=.env --env-file=shared.conf a.js' } },
      { 'shared.conf': '' },
      'node --env-file=shared.conf a.js',
      null,
      false,
    ],
    [
      'a script for development that calls another one',
      { scripts: { dev: 'pnpm node:dev', 'node:dev': 'tsx watch src/web.ts' }, devDependencies: { tsx: '4' } },
      {},
      'tsx src/web.ts',
      null,
      true,
    ],
    [
      'compiled TypeScript without a build script',
      { scripts: { start: 'node dist/a.js' }, devDependencies: { typescript: '5' } },
      { 'tsconfig.json': '{}' },
      'node dist/a.js',
      'tsc',
      false,
    ],
    [
      'Procfile',
      { scripts: { start: 'node a.js' } },
      { Procfile: 'release: x\nweb: npm start -- -v\n' },
      'node a.js -v',
      null,
      false,
    ],
    ["the express generator's bin/www", { scripts: { start: 'node ./bin/www' } }, {}, 'node ./bin/www', null, false],
    ['main without an ending', { main: 'app' }, { 'app.js': '' }, 'node app.js', null, false],
    ['main that is not there', { main: 'index.js' }, { 'server.js': '' }, 'node server.js', null, false],
    ['a script for development alone', { scripts: { dev: 'nodemon src/a.js' } }, {}, 'node src/a.js', null, false],
    [
      'an entry in TypeScript',
      { devDependencies: { tsx: '4' } },
      { 'src/index.ts': '' },
      'tsx src/index.ts',
      null,
      true,
    ],
    [
      'a line for a shell',
      { scripts: { start: 'node a.js > $(date).log' } },
      {},
      'node a.js > $(date).log',
      null,
      false,
    ],
    [
      'a build of something else',
      { scripts: { build: 'docker build .', start: 'node a.js' } },
      {},
      'node a.js',
      null,
      false,
    ],
    [
      'scripts that run side by side',
      {
        scripts: { start: 'run-p api jobs', api: 'tsx a.ts', jobs: 'node b.js' },
        dependencies: { 'npm-run-all2': '7' },
        devDependencies: { tsx: '4' },
      },
      {},
      'exec run-p api jobs',
      null,
      true,
    ],
    [
      'scripts that a program runs one after the other',
      {
        scripts: {
          start: 'run-s migrate "serve:*"',
          migrate: 'node m.js',
          'serve:web': 'node a.js',
          serve: 'node c.js',
        },
        devDependencies: { 'npm-run-all': '4' },
      },
      {},
      'node m.js && exec node a.js',
      null,
      false,
    ],
    [
      'scripts one after the other, of which the first builds',
      {
        scripts: { start: 'npm-run-all -n build serve', build: 'tsc', serve: 'node dist/a.js' },
        devDependencies: { 'npm-run-all': '4', typescript: '5' },
      },
      {},
      'node dist/a.js',
      'npm run build',
      false,
    ],
    [
      'scripts one after the other whatever fails',
      {
        scripts: { start: 'run-s -c migrate serve', migrate: 'tsx m.ts', serve: 'node a.js' },
        devDependencies: { 'npm-run-all': '4', tsx: '4' },
      },
      {},
      'exec run-s -c migrate serve',
      null,
      true,
    ],
    [
      'the script of the same name of another folder',
      { scripts: { start: 'cd server && npm start' } },
      {},
      'cd server && exec npm start',
      null,
      false,
    ],
    [
      'the script of the same name of another package',
      { scripts: { start: 'npm start --prefix server' } },
      {},
      'exec npm start --prefix server',
      null,
      false,
    ],
    [
      'a build in another folder',
      { scripts: { start: 'npm run build && node a.js', build: 'cd client && npm run build' } },
      {},
      'node a.js',
      'npm run build',
      false,
    ],
    [
      'a prestart in another folder',
      { scripts: { prestart: 'cd db && node up.js', start: 'node a.js' } },
      {},
      'npm run prestart && exec node a.js',
      null,
      false,
    ],
    [
      'a process manager',
      { scripts: { start: 'pm2-runtime start ecosystem.config.js' }, devDependencies: { pm2: '6' } },
      {},
      'exec pm2-runtime start ecosystem.config.js',
      null,
      true,
    ],
  ];

for (const [name, manifest, files, start, build, keeps] of SHAPES) {
  it(`${name}: starts with ${start}`, () => {
    const app = describe(manifest, {}, files);
    const words = app.start?.value ?? [];
    assert.equal(words[0] === '/bin/sh' ? words[2] : words.join(' '), start);
    assert.equal(app.build?.value ?? null, build);
    assert.equal(app.keepsDevelopment.value, keeps, app.keepsDevelopment.reason);
  });
}

it('what the catalog declares goes before what was found', () => {
  const app = describe(
    FASTIFY_DEMO,
    { installCommand: 'npm i', buildCommand: 'make', startCommand: 'node x.js' },
    { Procfile: 'web: node y.js' },
  );
  assert.deepEqual(
    [app.install?.value, app.build?.value, app.start?.value, app.installsFromSource.value],
    ['npm i', 'make', ['node', 'x.js'], true],
  );
});

it('install scripts of the app get what they need: the source, all packages, or neither', () => {
  const hooks = (scripts: Readonly<Record<string, string>>) => {
    const app = describe({ scripts: { start: 'node a.js', ...scripts } });
    return [app.installsFromSource.value, app.install?.value === app.commands.installAll];
  };
  assert.deepEqual(hooks({}), [false, false]);
  assert.deepEqual(hooks({ prepare: 'husky' }), [false, true]);
  assert.deepEqual(hooks({ postinstall: 'patch-package && prisma generate' }), [false, true]);
  assert.deepEqual(hooks({ postinstall: 'node scripts/copy.js' }), [true, true]);
});

it('a hono app for Workers is told which adapter makes it listen, and one with the adapter is built', () => {
  const manifest = { scripts: { dev: 'wrangler dev' }, dependencies: { hono: '4' } };
  assert.throws(
    () => describe(manifest, { framework: 'hono' }),
    /made for Cloudflare Workers.*|no adapter.*@hono\/node-server/,
  );
  const adapted = { ...manifest, main: 'dist/index.js', dependencies: { hono: '4', '@hono/node-server': '1' } };
  assert.ok(describe(adapted, { framework: 'hono' }).start);
});

it('a Node.js server of no known framework is started like any other', () => {
  const app = describe({ scripts: { start: 'node index.js' } }, { framework: null });
  assert.deepEqual([app.framework, app.start?.value], [null, ['node', 'index.js']]);
});

it('packages for development stay where the code of a server loads one of them, and not where Next.js builds it in', () => {
  const manifest = {
    scripts: { start: 'node a.js', build: 'tsc' },
    dependencies: { fastify: '4', next: '15' },
    devDependencies: { 'pino-pretty': '10', typescript: '5' },
  };
  const kept = (framework: Declared['framework'], loaded: readonly string[], scripts = manifest.scripts) => {
    const texts = { 'package.json': JSON.stringify({ ...manifest, scripts }) };
    const declared = { framework, port: null, healthEndpoint: '/health' };
    return describeApp({ files: Object.keys(texts), texts, loaded }, declared).keepsDevelopment;
  };
  assert.deepEqual(kept('fastify', ['fastify', 'pino-pretty']), {
    value: true,
    reason: 'the app needs pino-pretty to start, which is in devDependencies',
  });
  assert.equal(kept('fastify', ['fastify', 'node']).value, false);
  assert.equal(kept('nextjs', ['pino-pretty'], { start: 'next start', build: 'next build' }).value, false);
});

describeSettings('API_HOST=1', true, /^\.env of the repository is part of the image/);
describeSettings('API_HOST=1\nAPI_SECRET=2', false, /because API_SECRET in it looks like a secret: .*--set: API_HOST$/);

function describeSettings(text: string, isKept: boolean, warning: RegExp): void {
  it(`an .env that the repository holds is ${isKept ? 'part of the image' : 'left out of the image where it holds a secret'}, with a warning`, () => {
    const manifest = { scripts: { start: 'node --env-file=.env a.js' }, dependencies: { express: '5' } };
    const texts = { 'package.json': JSON.stringify(manifest) };
    const source = { files: ['package.json', '.env'], texts, variables: { '.env': readVariablesFile(text) } };
    const app = describeApp(source, { framework: 'express', port: null, healthEndpoint: '/health' });
    assert.equal(app.keepsSettingsFile, isKept);
    assert.ok(
      app.warnings.some((line) => warning.test(line)),
      app.warnings.join(),
    );
    assert.deepEqual(app.start?.value, isKept ? ['node', '--env-file=.env', 'a.js'] : ['node', 'a.js']);
    const ignored = generateContainerFile(app, { secretsEnabled: false, cacheMounts: false }).files.find(
      ({ path }) => path === '.dockerignore',
    );
    assert.equal(/^!\.env$/m.test(ignored?.text ?? ''), isKept);
  });
}

it('the client of Prisma is made before the build where there is a schema and no script makes it', () => {
  const dependencies = { prisma: '7', express: '5' };
  const scripts = { start: 'node server.js' };
  const schema = { prisma: '' };
  const buildOf = (manifest: object, files: Readonly<Record<string, string>> = schema, declared = {}) =>
    describe({ dependencies, ...manifest }, declared, files).build?.value ?? null;
  assert.equal(buildOf({ scripts }), 'prisma generate');
  assert.equal(buildOf({ scripts: { ...scripts, build: 'tsc' } }), 'prisma generate && npm run build');
  assert.equal(buildOf({ scripts, prisma: { schema: 'src/a.prisma' } }, {}), 'prisma generate');
  assert.equal(buildOf({ scripts, dependencies: { '@prisma/client': '7' } }), null, 'without its program');
  assert.equal(buildOf({ scripts }, {}), null, 'without a schema');
  assert.equal(buildOf({ scripts }, schema, { buildCommand: 'make' }), 'make');
  const made = { ...scripts, build: 'npm run db && tsc', db: 'prisma generate --no-hints' };
  assert.equal(buildOf({ scripts: made }), 'npm run build');
  for (const build of ['npm-run-all build:db build:app', 'run-p build:*']) {
    const several = { ...scripts, build, 'build:db': 'prisma generate', 'build:app': 'tsc' };
    assert.equal(buildOf({ scripts: several }), 'npm run build');
  }
  assert.equal(buildOf({ scripts: { ...scripts, postinstall: 'npx prisma generate' } }), null);
});

it('an app that Bun starts runs on Bun, a hono app without an adapter as well', () => {
  for (const start of ['bun run src/index.ts', 'bun src/index.ts', 'NODE_ENV=production bun run src/index.ts']) {
    const app = describe({ scripts: { start }, dependencies: { hono: '4' } }, { framework: 'hono' });
    assert.equal(app.start?.value.at(-1), `exec ${start.startsWith('NODE') ? 'env ' : ''}${start}`);
    assert.match(app.bun ?? '', /^1\.\d+\.\d+$/);
    const { files } = generateContainerFile(app, { secretsEnabled: false, cacheMounts: false });
    assert.match(files[0]?.text.split('\nFROM ').at(-1) ?? '', /^COPY --from=bun /m);
  }
  assert.equal(describe({ scripts: { start: 'bun run next start' } }).bun, null, 'a program of a package needs no Bun');
  assert.equal(describe({ scripts: { start: 'bunx serve' } }).bun !== null, true);
});

it('of the root of a monorepo that starts nothing, the packages are named with the option that chooses one', () => {
  const membersOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`apps/a${index}/package.json`, '{}']));
  const deploy = (count: number) => () => describe({ workspaces: ['apps/*'] }, { framework: null }, membersOf(count));
  assert.throws(
    deploy(2),
    /names no way to start the app, .*root of a monorepo: .* with --dir \(apps\/a0, apps\/a1\)$/,
  );
  assert.throws(deploy(12), /apps\/a9 and 2 more\)$/);
  assert.throws(deploy(0), /add a "start" script/);
});

it('an app that Bun starts for development alone, or that is made for it, is started by Bun without a watcher', () => {
  const startOf = (manifest: object, files: Readonly<Record<string, string>> = {}) => {
    const app = describe({ dependencies: { hono: '4' }, ...manifest }, { framework: 'hono' }, files);
    return [app.start?.value.join(' ').replace(/^.*exec /, ''), app.bun !== null];
  };
  assert.deepEqual(startOf({ scripts: { dev: 'bun run --hot src/index.ts' } }), ['bun src/index.ts', true]);
  assert.deepEqual(startOf({ scripts: { start: 'bun --watch src/index.tsx' } }), ['bun src/index.tsx', true]);
  const made = { devDependencies: { '@types/bun': 'latest' } };
  assert.deepEqual(startOf(made, { 'index.ts': '' }), ['bun index.ts', true]);
  assert.deepEqual(startOf(made, { 'src/index.tsx': '' }), ['bun src/index.tsx', true]);
  assert.throws(() => startOf({}, { 'src/index.tsx': '' }), /names no way to start/, 'Node.js runs no JSX');
  const forWorkers = { scripts: { dev: 'bun run --hot src/index.ts' }, devDependencies: { wrangler: '4' } };
  assert.throws(() => startOf(forWorkers), /made for Cloudflare Workers.*let Bun start it/);
});

it('an app of SvelteKit that leaves its adapter to the host is built as a server, with adapter-static as a site', () => {
  const scripts = { build: 'vite build', preview: 'vite preview' };
  const devDependencies = { '@sveltejs/adapter-auto': '7', '@sveltejs/kit': '2', vite: '7' };
  const app = describe({ scripts, devDependencies }, { framework: null });
  assert.deepEqual([app.start?.value, app.build?.value], [['node', 'build/index.js'], 'npm run build']);
  const { files } = generateContainerFile(app, { secretsEnabled: false, cacheMounts: false });
  assert.match(files[0]?.text ?? '', /^ENV GCP_BUILDPACKS=true\n(?:.*\n)*RUN npm run build$/m);
  const { buildEnvironment } = describe(
    { scripts, devDependencies: { ...devDependencies, '@sveltejs/adapter-static': '3' } },
    { framework: 'static' },
  );
  assert.deepEqual(buildEnvironment, {});
});

const SERVED = { start: 'nx serve', build: 'nx build' };
const ANGULAR = JSON.stringify({
  projects: { shop: { architect: { build: { options: { outputPath: 'dist/shop' } } } } },
});
const NX = JSON.stringify({ targets: { build: { options: { outputPath: 'dist/api', main: 'src/main.ts' } } } });

for (const [what, manifest, files, started] of [
  ['Nx', { scripts: SERVED, dependencies: { express: '5' } }, { 'project.json': NX }, 'node dist/api/main.js'],
  [
    'Angular with server-side rendering',
    { scripts: { start: 'ng serve', build: 'ng build' }, dependencies: { express: '5', '@angular/ssr': '19' } },
    { 'angular.json': ANGULAR },
    'node dist/shop/server/server.mjs',
  ],
  [
    'Angular with a script for it',
    { scripts: { start: 'ng serve', build: 'ng build', 'serve:ssr:a': 'node dist/a/server/server.mjs' } },
    {},
    'node dist/a/server/server.mjs',
  ],
  [
    'Nx with a script for production',
    { scripts: { ...SERVED, 'start:prod': 'node dist/x.js' }, dependencies: { express: '5' } },
    { 'project.json': NX },
    'node dist/x.js',
  ],
  ['Nx that does not say where it builds', { scripts: SERVED }, {}, '/bin/sh -c exec nx serve'],
  [
    'Nx that leads out',
    { scripts: SERVED },
    { 'project.json': NX.replace('dist/api', '../x') },
    '/bin/sh -c exec nx serve',
  ],
] as const) {
  it(`a workspace is started by the server that it builds, not by one for development: ${what}`, () => {
    assert.equal(describe(manifest, {}, files).start?.value.join(' '), started);
  });
}
