import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Framework } from '../../../../domain/catalog/catalog.ts';
import { type Declared, describeApp } from '../../../../domain/deploys/app/describe-app.ts';
import { checkUser } from '../../../../domain/deploys/container-file/check-user.ts';
import { generateContainerFile } from '../../../../domain/deploys/container-file/generate-container-file.ts';
import { readContainerFile } from '../../../../domain/deploys/container-file/read-container-file.ts';
import { FairleadError } from '../../../../domain/errors.ts';

const FRAMEWORKS: readonly Framework[] = ['express', 'fastify', 'hono', 'nextjs', 'static'];

interface Given extends Partial<Declared> {
  readonly files?: readonly string[];
  readonly secretsEnabled?: boolean;
  readonly cacheMounts?: boolean;
  /** Further texts by path. */
  readonly texts?: Readonly<Record<string, string>>;
}

function generate(framework: Framework, manifest: object | null, given: Given = {}) {
  const {
    files = ['package.json', 'package-lock.json'],
    secretsEnabled = false,
    cacheMounts = false,
    ...declared
  } = given;
  const texts = { ...given.texts, ...(manifest === null ? {} : { 'package.json': JSON.stringify(manifest) }) };
  const app = describeApp({ files, texts }, { framework, port: null, healthEndpoint: '/health', ...declared });
  const generated = generateContainerFile(app, { secretsEnabled, cacheMounts });
  return { ...app, port: app.port.value, files: generated.files, text: generated.files[0]?.text ?? '' };
}

const start = { scripts: { start: 'node server.js' } };
const built = { scripts: { start: 'node dist/server.js', build: 'tsc' } };

for (const framework of FRAMEWORKS) {
  for (const [name, manifest] of [
    ['without a build', start],
    ['with a build', built],
  ] as const) {
    for (const secretsEnabled of [false, true]) {
      test(`${framework} ${name}${secretsEnabled ? ' and secrets' : ''}: valid, user 1001, buildable without BuildKit`, () => {
        const { text, port } = generate(framework, manifest, { secretsEnabled });
        assert.equal(checkUser(text, { framework: 'express', fileName: 'Dockerfile' }), '1001');
        const file = readContainerFile(text, 'Dockerfile');
        assert.deepEqual(file.finalChain[0]?.ports, [port]);
        assert.ok(file.baseImages.length > 0);
        assert.ok(file.baseImages.every((image) => ['node:24-bookworm-slim', 'nginx:1.28-alpine'].includes(image)));
        assert.doesNotMatch(text, /--mount|--link|--chmod|<</);
        assert.match(file.finalChain[0]?.cmd?.arguments ?? '', /^\[".+"\]$/);
        assert.equal(text.includes('/app-entrypoint.sh'), secretsEnabled);
      });
    }
  }
}

test('the user of a Node.js image has a name, without which a program that asks who it is fails, as tsx does', () => {
  const { text } = generate('hono', { scripts: { start: 'node server.js' } });
  const final = text.slice(text.lastIndexOf('FROM '));
  assert.match(final, /^RUN .*echo "app:x:1001:1001::\/tmp:\/bin\/sh" >> \/etc\/passwd$/m);
  assert.ok(final.indexOf('/etc/passwd') < final.indexOf('USER 1001'));
});

test('engines.node decides what the app is built on and runs on, and a static site is told of it only when it is built', () => {
  const engines = { node: '22.x' };
  for (const manifest of [start, built]) {
    const { text, runsOn, warnings } = generate('express', { ...manifest, engines });
    const { baseImages } = readContainerFile(text, 'Dockerfile');
    assert.deepEqual(
      [new Set(baseImages), runsOn, warnings],
      [new Set(['node:22-bookworm-slim']), 'node:22-bookworm-slim', []],
    );
  }
  const old = { engines: { node: '8' } };
  assert.match(generate('nextjs', { ...built, ...old }).warnings.join(), /asks for "8"/);
  assert.match(generate('static', { ...built, ...old }).warnings.join(), /asks for "8"/);
  assert.deepEqual(generate('static', { ...start, ...old }).warnings, []);
  assert.equal(generate('express', { ...start, engines: 'no object' }).runsOn, 'node:24-bookworm-slim');
});

const MANAGERS: readonly (readonly [string, readonly string[], object, RegExp])[] = [
  ['npm', ['package-lock.json'], {}, /COPY package\.json package-lock\.json \.\/\nRUN npm ci --omit=dev/],
  ['npm with a shrinkwrap', ['npm-shrinkwrap.json'], {}, /COPY package\.json npm-shrinkwrap\.json \.\/\nRUN npm ci/],
  [
    'yarn',
    ['yarn.lock'],
    {},
    /ENV YARN_NETWORK_TIMEOUT=300000\nCOPY package\.json yarn\.lock \.\/\nRUN yarn install --non-interactive --frozen-lockfile --ignore-engines --production/,
  ],
  [
    'yarn 4',
    ['yarn.lock', '.yarnrc.yml'],
    { packageManager: 'yarn@4.1.0' },
    /npm install --global --force .*@yarnpkg\/cli-dist@4\.1\.0 [\s\S]*--immutable/,
  ],
  [
    'pnpm',
    ['pnpm-lock.yaml'],
    {},
    /corepack prepare pnpm@10\.\d+\.\d+ --activate[\s\S]*pnpm install --frozen-lockfile --prod\n/,
  ],
  [
    'pnpm as pinned',
    ['pnpm-lock.yaml'],
    { packageManager: 'pnpm@9.15.0+sha512.abc' },
    /corepack prepare pnpm@9\.15\.0 --activate/,
  ],
  [
    'bun',
    ['bun.lock'],
    {},
    /COPY --from=bun \/bun\/ \/usr\/local\/bin\/\nCOPY package\.json bun\.lock \.\/\nRUN bun install --frozen-lockfile --production\n/,
  ],
  ['no lockfile', [], {}, /RUN npm install --omit=dev/],
  [
    'no lockfile but a stated manager',
    [],
    { packageManager: 'pnpm@9.15.0' },
    /pnpm install --no-frozen-lockfile --prod/,
  ],
];

for (const [name, files, extra, expected] of MANAGERS) {
  test(`the package manager follows the lockfile: ${name}`, () => {
    assert.match(generate('express', { ...start, ...extra }, { files: ['package.json', ...files] }).text, expected);
  });
}

test('an app that reads a file of settings finds one, whether the repository has it or not', () => {
  for (const manifest of [start, built]) {
    assert.match(generate('express', manifest).text, /^RUN mkdir -p public && touch \.env$/m);
  }
});

test('the lockfile that the install writes is in every kind of image, and no other is', () => {
  const laid = (lock: string) =>
    `RUN rm -rf /lockfile && mkdir /lockfile && if [ -f ${lock} ] && [ ! -L ${lock} ]; then cp -P ${lock} /lockfile/; fi\n`;
  for (const framework of FRAMEWORKS) {
    const { text } = generate(framework, built, { files: ['package.json'] });
    const [stage = '', final = ''] = text.split(/\n\n(?=FROM )/);
    assert.ok(stage.includes(laid('package-lock.json')), text);
    assert.ok(stage.indexOf('npm install') < stage.indexOf('/lockfile'), 'as the install left it');
    assert.match(final, /^COPY --from=build \/lockfile \/lockfile$/m);
    assert.doesNotMatch(generate(framework, built).text, /\/lockfile/, 'the source has one');
  }
  const stated = generate('express', { ...start, packageManager: 'pnpm@9.15.0' }, { files: ['package.json'] });
  assert.ok(stated.text.includes(laid('pnpm-lock.yaml')));
  assert.doesNotMatch(generate('static', {}, { files: ['package.json', 'index.html'] }).text, /\/lockfile/);
});

test('one program of Bun is installed, once for the stages that need it, and none where nothing does', () => {
  const BUN = { ...start, scripts: { ...start.scripts, build: 'bun build.ts', start: 'bun src/index.ts' } };
  const files = ['package.json', 'bun.lock'];
  const installed = (text: string) =>
    text.match(/npm install --global \S+ \S+ "@oven\/bun-linux-\$kind@[\d.]+"/g)?.length ?? 0;
  const taken = (text: string) => text.match(/^COPY --from=bun /gm)?.length ?? 0;
  const { text } = generate('express', BUN, { files });
  assert.deepEqual([installed(text), taken(text)], [1, 2]);
  const npm = generate('express', BUN).text;
  assert.deepEqual([installed(npm), taken(npm)], [1, 2], 'what builds and starts by Bun, installed by npm');
  const node = generate('express', start, { files }).text;
  assert.deepEqual([installed(node), taken(node)], [1, 1], 'the app runs on Node.js alone');
  assert.equal(installed(generate('express', start).text), 0);
  assert.equal(installed(generate('static', {}, { files: [...files, 'index.html'] }).text), 0);
  readContainerFile(text, 'Dockerfile');
});

test('an older lockfile of pnpm is installed by the pnpm that wrote such ones', () => {
  const files = ['package.json', 'pnpm-lock.yaml'];
  const pnpmFor = (lockfile: string, manifest: object = start) =>
    /corepack prepare pnpm@(\d+)/.exec(
      generate('express', manifest, { files, texts: { 'pnpm-lock.yaml': lockfile } }).text,
    )?.[1];
  assert.deepEqual(
    ['lockfileVersion: 5.4\n', "lockfileVersion: '6.0'\n", "lockfileVersion: '9.0'\n", ''].map((text) => pnpmFor(text)),
    ['7', '8', '10', '10'],
  );
  assert.equal(pnpmFor("lockfileVersion: '6.0'\n", { ...start, packageManager: 'pnpm@9.1.0' }), '9');
});

test('a missing lockfile and a second one are worth a warning', () => {
  assert.match(generate('express', start, { files: ['package.json'] }).warnings.join(), /there is no lockfile/);
  const two = generate('express', start, { files: ['package.json', 'yarn.lock', 'package-lock.json'] });
  assert.match(two.warnings.join(), /several lockfiles.*yarn\.lock is followed/);
  assert.deepEqual(generate('static', null, { files: ['index.html'] }).warnings, []);
});

const STARTS: readonly (readonly [object, string])[] = [
  [{ scripts: { start: 'node server.js' } }, '["node","server.js"]'],
  [
    { scripts: { start: 'node --enable-source-maps ./dist/main.js' } },
    '["node","--enable-source-maps","./dist/main.js"]',
  ],
  [{ scripts: { start: 'tsx src/server.ts' } }, '["/bin/sh","-c","exec tsx src/server.ts"]'],
  [{ scripts: { start: 'A=1 node server.js' } }, '["/bin/sh","-c","exec env A=1 node server.js"]'],
  [{ scripts: { start: 'node a.js && node b.js' } }, '["/bin/sh","-c","node a.js && exec node b.js"]'],
  [{ main: 'lib/app.js' }, '["node","lib/app.js"]'],
];

for (const [manifest, command] of STARTS) {
  test(`started by ${command}`, () => {
    assert.ok(generate('express', manifest).text.endsWith(`CMD ${command}\n`));
  });
}

test('without a start script the usual entry file is taken, and without one the remedy is named', () => {
  assert.match(generate('hono', {}, { files: ['package.json', 'index.js'] }).text, /CMD \["node","index\.js"\]/);
  for (const call of [() => generate('hono', {}), () => generate('express', null)]) {
    assert.throws(
      call,
      (error) => error instanceof FairleadError && error.code === 'CONTAINER_FILE_INVALID' && /add/.test(error.message),
    );
  }
});

test('the declared port goes into PORT and EXPOSE, and for a static site into the web server', () => {
  assert.match(generate('express', start, { port: 8081 }).text, /PORT=8081[\s\S]*EXPOSE 8081/);
  assert.match(generate('static', null, { port: 8082 }).text, /listen 8082;/);
});

test('a static site appends its content types at the top level and answers its health endpoint itself', () => {
  const { text } = generate('static', null, { healthEndpoint: '/up' });
  for (const type of ['md', 'mjs', 'webmanifest', 'ttf', 'otf']) assert.match(text, new RegExp(`' {4}\\S+ ${type};'`));
  assert.match(text, /location = \/up \{/);
  assert.doesNotMatch(generate('static', null, { healthEndpoint: '/' }).text, /location = /);
});

test('a page of a static site goes before a folder of its name, and a folder without an index is that page or none', () => {
  const { text: pages } = generate('static', built);
  assert.match(pages, /location \/ \{ try_files \$uri \$uri\.html \$uri\/ =404; \}/);
  assert.match(pages, /location ~ \^\(\.\*\)\/\$ \{ try_files \$\{uri\}index\.html \$1\.html =404; \}/);
  const { text: onePage } = generate('static', { scripts: { build: 'vite build' }, devDependencies: { vite: '7' } });
  assert.match(onePage, /location \/ \{ try_files \$uri \$uri\.html \$uri\/ \/index\.html; \}/);
  assert.match(onePage, /location ~ \^\(\.\*\)\/\$ \{ try_files \$\{uri\}index\.html \$1\.html \/index\.html; \}/);
});

test('a health endpoint cannot write into the configuration of the web server', () => {
  for (const healthEndpoint of ['/a;}', "/a'b", '/a\nb', '/{x}']) {
    assert.throws(
      () => generate('static', null, { healthEndpoint }),
      (error) => error instanceof FairleadError && error.code === 'CONTAINER_FILE_INVALID',
    );
  }
});

test('an ignore file is written only where there is none, and keeps the build-time env file', () => {
  const ignore = generate('express', start).files.find((file) => file.path === '.dockerignore');
  assert.deepEqual(
    ['node_modules', '.git', '.env*', '!.env.production'].filter((line) => !ignore?.text.split('\n').includes(line)),
    [],
  );
  const own = generate('express', start, { files: ['package.json', '.dockerignore'] });
  assert.equal(own.files.length, 1);
});

for (const [name, framework] of [
  ['express-npm', 'express'],
  ['express-yarn', 'express'],
  ['fastify-pnpm', 'fastify'],
  ['hono-npm', 'hono'],
  ['static-site', 'static'],
] as const) {
  test(`the sample ${name} gets a container file without a warning`, () => {
    const folder = new URL(`../../../fixtures/apps/${name}/`, import.meta.url);
    const files = readdirSync(folder);
    const manifest = files.includes('package.json') ? readFileSync(new URL('package.json', folder), 'utf8') : null;
    const texts = manifest === null ? {} : { 'package.json': manifest };
    assert.deepEqual(describeApp({ files, texts }, { framework, port: null, healthEndpoint: '/health' }).warnings, []);
  });
}

test('with a native module it is built on the image with compilers, and runs on the small one with the libraries it loads', () => {
  for (const [framework, manifest] of [
    ['express', start],
    ['express', built],
    ['nextjs', built],
  ] as const) {
    const { text } = generate(framework, { ...manifest, dependencies: { sqlite3: '5' } });
    const file = readContainerFile(text, 'Dockerfile');
    assert.deepEqual(file.baseImages, ['node:24-bookworm', 'node:24-bookworm-slim'], text);
    assert.ok(text.indexOf('-exec ldd') < text.indexOf('COPY --from=build /native-libraries/ /'), text);
    assert.match(text, /ENV JOBS=4\n/, 'not one compiler after another');
    assert.doesNotMatch(generate(framework, manifest).text, /native-libraries|JOBS=/);
  }
});

test('yarn 2 and later is told by its lockfile, and one that lies in the repository is used', () => {
  const files = ['package.json', 'yarn.lock'];
  const lock = { 'yarn.lock': '__metadata:\n  version: 8\n' };
  assert.match(
    generate('express', start, { files, texts: lock }).text,
    /cli-dist@4\.10\.3 [\s\S]*yarn install --immutable/,
  );
  const release = '.yarn/releases/yarn-4.1.0.cjs';
  const own = { ...lock, '.yarnrc.yml': `yarnPath: ${release}\n` };
  const { text } = generate('express', start, { files: [...files, '.yarnrc.yml', '.yarn', release], texts: own });
  assert.match(text, /ENV YARN_NODE_LINKER=node-modules[\s\S]*COPY \.yarn \.\/\.yarn\nRUN .*yarn install --immutable/);
  assert.doesNotMatch(text, /cli-dist/);
});

test('packed packages and folders of the repository are there when packages are installed', () => {
  const files = ['package.json', 'package-lock.json', 'sdk-0.2.0.tgz', 'vendor/kit'];
  const dependencies = {
    sdk: 'file:sdk-0.2.0.tgz',
    kit: 'file:./vendor/kit',
    far: 'file:../far',
    gone: 'link:./vendor/gone',
    odd: 'a b',
    x: '1.0.0',
  };
  const { text, warnings } = generate('express', { ...start, dependencies }, { files });
  const install = text.indexOf('RUN npm ci');
  for (const copied of ['COPY ["sdk-0.2.0.tgz","./sdk-0.2.0.tgz"]', 'COPY ["vendor/kit","./vendor/kit"]']) {
    const at = text.indexOf(copied);
    assert.ok(at > 0 && at < install, text);
  }
  assert.doesNotMatch(text, /gone/, 'a COPY of it would end the build');
  assert.deepEqual(warnings, [
    "far in package.json is file:../far, outside the app's folder: the install will not find it",
    'gone in package.json is link:./vendor/gone, which the repository does not have: the install may not find it',
  ]);
});

test('of packages in a repository the manifests are there when packages are installed, and the folders when it runs', () => {
  const texts = { 'packages/a/package.json': '{}' };
  const { text, files } = generate('express', { ...start, workspaces: ['packages/*'] }, { texts });
  assert.match(text, /COPY fairlead-manifests \.\/\nRUN npm ci/, 'in one layer, of which an image has not many');
  assert.equal(files.find(({ path }) => path === 'fairlead-manifests/packages/a/package.json')?.text, '{}');
  assert.match(
    text,
    /COPY \. \.[\s\S]*FROM [\s\S]*COPY --from=build \/app\/node_modules \.\/node_modules\nCOPY --from=build \/out \.\/\n/,
  );
});

const CACHES: readonly (readonly [string, readonly string[], string, string])[] = [
  ['npm', ['package-lock.json'], 'npm', 'npm_config_cache'],
  ['yarn', ['yarn.lock'], 'yarn', 'YARN_CACHE_FOLDER'],
  ['yarn 4', ['yarn.lock', '.yarnrc.yml'], 'yarn', 'YARN_GLOBAL_FOLDER'],
  ['pnpm', ['pnpm-lock.yaml'], 'pnpm', 'npm_config_store_dir'],
  ['bun', ['bun.lock'], 'bun', 'BUN_INSTALL_CACHE_DIR'],
];

for (const [name, files, id, variable] of CACHES) {
  test(`what ${name} fetched is kept for the next build, and is in no image`, () => {
    const { text } = generate('express', built, { files: ['package.json', ...files], cacheMounts: true });
    const [final = '', stage = ''] = text.split(/\n\n(?=FROM )/).reverse();
    assert.match(stage, new RegExp(`^ENV ${variable}=/caches/packages$`, 'm'));
    const mount = `RUN --mount=type=cache,id=${id},target=/caches/packages,sharing=locked `;
    const installs = stage
      .split('\n')
      .filter((line) => / install|npm ci| prune| focus/.test(line) && !/--global/.test(line));
    assert.ok(installs.length >= 2 && installs.every((line) => line.startsWith(mount)), installs.join('\n'));
    assert.doesNotMatch(final, /caches|--mount/);
  });
}

test('what a tool keeps is linked to before the build, and no link is left after it', () => {
  const next = { scripts: { build: 'rm -rf .next && next build' }, dependencies: { next: '16.0.0', astro: '5' } };
  const { text } = generate('nextjs', next, { cacheMounts: true });
  const lines = text.split('\n');
  const at = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line));
  const [link, build, drop] = [
    at(/ln -s \/caches\/next \.next\/cache .* ln -s \/caches\/astro node_modules\/\.astro/),
    at(/^RUN (?:--mount=type=cache,id=\w+,target=\/caches\/\w+,sharing=locked ){4}npm run build$/),
    at(/rm -rf \.next\/cache node_modules\/\.astro node_modules\/\.cache; /),
  ];
  assert.ok(link > 0 && build > link && drop > build, text);
  assert.match(
    lines[link] ?? '',
    /rm -rf \.next\/cache \/caches\/next\/fetch-cache/,
    'what other servers answered goes',
  );
  const exported = generate('nextjs', next, {
    cacheMounts: true,
    texts: { 'next.config.js': "module.exports = { output: 'export', distDir: 'out' }" },
  });
  assert.match(exported.text, /ln -s \/caches\/next \.next\/cache/);
});

test('a site that is served as it is has no caches', () => {
  assert.doesNotMatch(generate('static', null, { files: ['index.html'], cacheMounts: true }).text, /caches|--mount/);
});
