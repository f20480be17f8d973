import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Framework } from '../../../../domain/catalog/catalog.ts';
import { type Declared, describeApp } from '../../../../domain/deploys/app/describe-app.ts';
import { generateContainerFile } from '../../../../domain/deploys/container-file/generate-container-file.ts';
import { readContainerFile } from '../../../../domain/deploys/container-file/read-container-file.ts';

const WEB = {
  name: '@acme/web',
  scripts: { build: 'tsc', start: 'node dist/server.js' },
  dependencies: { express: '5', '@acme/ui': '*', kit: 'file:../../vendor/kit.tgz' },
};
const MEMBERS: Readonly<Record<string, object>> = {
  'apps/web': WEB,
  'apps/docs': { name: 'docs', dependencies: { '@acme/ui': '*' } },
  'packages/core': { name: '@acme/core', scripts: { build: 'tsc' }, devDependencies: { '@acme/ui': '*' } },
  'packages/ui': { name: '@acme/ui', scripts: { build: 'tsc' }, dependencies: { '@acme/core': '*' } },
  'packages/odd': { name: '@acme/odd' },
};

interface Given {
  readonly framework?: Framework;
  readonly lockfile?: string;
  readonly root?: object;
  /** Further files of the monorepo. */
  readonly files?: readonly string[];
  readonly members?: Readonly<Record<string, object>>;
  readonly declared?: Partial<Declared>;
}

/** The container file of `apps/web` in a monorepo. */
function generate(given: Given = {}) {
  const { framework = 'express', lockfile = 'package-lock.json', root = {}, files = [], members = MEMBERS } = given;
  const entries = Object.entries(members).map(([folder, one]) => [`${folder}/package.json`, JSON.stringify(one)]);
  const texts = { 'package.json': JSON.stringify(root), ...Object.fromEntries(entries) };
  const manifest = texts['apps/web/package.json'] ?? '';
  const source = { files: ['package.json'], texts: { 'package.json': manifest } };
  const monorepo = {
    folder: '',
    app: 'apps/web',
    source: { files: [lockfile, 'vendor/kit.tgz', ...Object.keys(texts), ...files], texts },
  };
  const declared = { framework, port: null, healthEndpoint: '/health', ...given.declared };
  const app = describeApp(source, declared, monorepo);
  const generated = generateContainerFile(app, { secretsEnabled: false, cacheMounts: false });
  const [{ text = '' } = {}, ...others] = generated.files;
  readContainerFile(text, 'Dockerfile');
  return { ...app, text, others: Object.fromEntries(others.map((file) => [file.path, file.text])) };
}

it("the monorepo's lockfile decides, and of npm only what the app needs is installed and stays", () => {
  const { text, manager, others } = generate();
  assert.equal(manager.lockfile, 'package-lock.json');
  assert.match(
    text,
    /COPY package\.json package-lock\.json \.\/\nCOPY fairlead-manifests \.\/\n(?:COPY .*\n)*RUN npm ci --workspace=apps\/web --include-workspace-root --include=dev/,
  );
  assert.match(text, /RUN cd \/app && npm prune --workspace=apps\/web --include-workspace-root --omit=dev/);
  assert.equal(others['fairlead-manifests/apps/docs/package.json'], JSON.stringify(MEMBERS['apps/docs']));
});

it('the packages that the app needs are built first, each after what it needs itself, even in a circle', () => {
  const { build, workspace } = generate();
  const [core, ui] = ['packages/core', 'packages/ui'].map((folder) => `(cd /app/${folder} && npm run build)`);
  assert.equal(build?.value, `${core} && ${ui} && npm run build`);
  assert.deepEqual(
    workspace?.others.map(({ folder }) => folder),
    ['apps/docs', 'packages/odd'],
  );
  const { build: declared } = generate({ declared: { buildCommand: 'make' } });
  assert.equal(declared?.value, 'make');
});

it('turbo builds where the monorepo has it, from its root', () => {
  const turbo = { root: { devDependencies: { turbo: '2' } }, files: ['turbo.json'] };
  assert.equal(generate(turbo).build?.value, '(cd /app && turbo run build --filter=@acme/web)');
  assert.match(generate({ ...turbo, files: [] }).build?.value ?? '', /^\(cd \/app\/packages/);
});

it('it runs in its own folder, with the programs of both', () => {
  const { text } = generate();
  const [, final = ''] = text.split(/\n\n(?=FROM )/);
  assert.match(final, /PATH=\/app\/apps\/web\/node_modules\/\.bin:\/app\/node_modules\/\.bin:\$PATH/);
  assert.match(final, /COPY --from=build \/out \.\/\nWORKDIR \/app\/apps\/web\n/);
});

it('what it does not need stays out of the build context, so that a change there changes nothing for it', () => {
  const lines = generate().others['.dockerignore']?.split('\n') ?? [];
  assert.deepEqual(
    lines.filter((line) => /^(?:apps|packages)/.test(line)),
    ['apps/docs/*', 'packages/odd/*'],
  );
  assert.ok(lines.includes('**/.env*'), 'no settings of any of its packages');
  const nested = { 'apps/web': WEB, libs: { name: 'libs' }, 'libs/ui': MEMBERS['packages/ui'] ?? {} };
  const kept = generate({ members: nested }).others['.dockerignore'] ?? '';
  assert.doesNotMatch(kept, /^libs/m, 'a package that holds one of those it needs');
});

it('an install that works on the source has the manifests of what stays out, which the lockfile names', () => {
  const members = { ...MEMBERS, 'apps/web': { ...WEB, scripts: { ...WEB.scripts, postinstall: 'node prepare.js' } } };
  for (const lockfile of ['bun.lock', 'package-lock.json', 'yarn.lock', 'pnpm-lock.yaml']) {
    const { text } = generate({ members, lockfile });
    assert.match(text, /COPY \. \.\nCOPY fairlead-manifests \.\/\nRUN /, lockfile);
  }
});

it('pnpm is given the packages that the app needs alone', () => {
  const { text, others } = generate({ lockfile: 'pnpm-lock.yaml' });
  assert.deepEqual(
    Object.keys(others).filter((path) => path.startsWith('fairlead-manifests/')),
    ['apps/web', 'packages/core', 'packages/ui'].map((folder) => `fairlead-manifests/${folder}/package.json`),
  );
  assert.match(
    text,
    /RUN rm -rf \/app\/fairlead-manifests \/app\/apps\/docs \/app\/packages\/odd && mkdir -p public && touch \.env$/m,
  );
  assert.match(text, /pnpm install --frozen-lockfile --prod --prefer-offline --ignore-scripts && pnpm prune/);
});

it('yarn 2 and later leaves what the app needs to run', () => {
  const { text } = generate({ lockfile: 'yarn.lock', files: ['.yarnrc.yml'] });
  assert.match(text, /cd \/app && \{ yarn workspaces focus @acme\/web --production \|\| true; \}/);
});

it('a packed package beside the packages is there when they are installed', () => {
  const { text, warnings } = generate();
  assert.match(text, /COPY \["vendor\/kit\.tgz","\.\/vendor\/kit\.tgz"\]\nRUN npm ci/);
  assert.deepEqual(warnings, []);
  const far = { ...MEMBERS, 'apps/web': { ...WEB, dependencies: { kit: 'file:../../../kit' } } };
  assert.match(generate({ members: far }).warnings.join(), /kit in package\.json is file:/);
});

it('a Next.js app starts in its folder: its standalone output, or what next makes', () => {
  const next = { name: 'web', scripts: { build: 'next build' }, dependencies: { next: '16' } };
  const { text, start } = generate({ framework: 'nextjs', members: { 'apps/web': next } });
  assert.match(text, /\[ -f \.next\/standalone\/apps\/web\/server\.js \]/);
  assert.match(text, /cp -R \.next\/static \/out\/apps\/web\/\.next\/static/);
  assert.match(text, /exec next start' > \/out\/apps\/web\/start\.sh/);
  assert.deepEqual(start?.value, ['/bin/sh', '/app/apps/web/start.sh']);
});

it('a site without a build is served from its own folder, as if there were no monorepo', () => {
  const members = { 'apps/web': { name: 'web' }, 'apps/docs': { name: 'docs' } };
  const { workspace, text } = generate({ framework: 'static', members });
  assert.equal(workspace, null);
  assert.doesNotMatch(text, /apps\/web|fairlead-manifests/);
});

it('the Node.js version of the app goes before that of the monorepo', () => {
  const root = { engines: { node: '20' } };
  assert.match(generate({ root }).nodeImage.value, /^node:20/);
  const members = { ...MEMBERS, 'apps/web': { ...WEB, engines: { node: '22' } } };
  assert.match(generate({ root, members }).nodeImage.value, /^node:22/);
});

it('an install script of the monorepo itself may work on any of its packages: none is left out', () => {
  const root = { scripts: { postinstall: 'node build-all.js' } };
  for (const [lockfile, install] of [
    ['package-lock.json', /^npm ci --include=dev/],
    ['bun.lock', /^bun install --frozen-lockfile$/],
    ['pnpm-lock.yaml', /^pnpm install --frozen-lockfile --prod=false$/],
  ] as const) {
    const app = generate({ root, lockfile });
    assert.match(app.install?.value ?? '', install);
    assert.doesNotMatch(app.others['.dockerignore'] ?? '', /^(?:apps|packages)/m, lockfile);
    assert.equal(app.others['fairlead-manifests/apps/docs/package.json'], JSON.stringify(MEMBERS['apps/docs']));
  }
  const harmless = generate({ root: { scripts: { prepare: 'husky' } } });
  assert.match(harmless.install?.value ?? '', /^npm ci --workspace=apps\/web /);
});

it('a package whose source is left out is installed without its install scripts, which Bun and yarn would run', () => {
  const scripts = { postinstall: 'node make.js', build: 'tsc' };
  const members = { ...MEMBERS, 'apps/docs': { name: 'docs', scripts, dependencies: { '@acme/ui': '*' } } };
  for (const lockfile of ['bun.lock', 'yarn.lock']) {
    const { others } = generate({ members, lockfile });
    const manifest = JSON.parse(others['fairlead-manifests/apps/docs/package.json'] ?? '');
    assert.deepEqual(manifest, {
      name: 'docs',
      scripts: { build: 'tsc' },
      dependencies: { '@acme/ui': '*' },
    });
  }
});

it('an install script of a package that the app needs gets the source, and one of another package nothing', () => {
  const hooked = (folder: string) => ({
    ...MEMBERS,
    [folder]: { ...MEMBERS[folder], scripts: { postinstall: 'node make.js' } },
  });
  assert.equal(generate({ members: hooked('packages/ui') }).installsFromSource.value, true);
  assert.equal(generate({ members: hooked('apps/docs') }).installsFromSource.value, false);
});
