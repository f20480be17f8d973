import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import {
  api,
  completed,
  copyApp,
  createService,
  ended,
  gitRepository,
  logText,
  removeService,
  trigger,
  uniqueName,
  visit,
} from './harness.ts';

const run = promisify(execFile);

type Files = Readonly<Record<string, string | object>>;

interface Given {
  /** A sample application. */
  readonly app?: string;
  readonly files?: Files;
  /** Fields of the service. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** What makes further files in its folder. */
  readonly prepare?: (folder: string) => Promise<unknown>;
}

const listening = (text: string, where: string): string =>
  `require('node:http').createServer((_, reply) => reply.end(${text})).listen(${where});\n`;

const WEB_OF_MONOREPO = {
  name: 'web',
  version: '1.0.0',
  scripts: { start: 'node server.js' },
  dependencies: { 'is-odd': '3.0.1' },
};

const made: string[] = [];

/** Starts the first build of a source, in which `{service}` stands for the name of its service. */
async function deploy({ app, files = {}, fields = {}, prepare }: Given) {
  const name = uniqueName('pkg');
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-packages-'));
  if (app !== undefined) await copyApp(app, folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(join(folder, path), text.replaceAll('{service}', name));
  }
  await prepare?.(folder);
  await using repository = await gitRepository(folder);
  await createService(name, { gitUrl: repository.path, ...fields });
  made.push(name);
  const { buildId } = await trigger(name);
  const build = await ended(buildId);
  return { name, buildId, build };
}

/** The first page of a source that goes live, and its build with the log. */
async function live(given: Given): Promise<{ page: string; log: string; buildId: string }> {
  const { name, buildId } = await deploy(given);
  await completed(buildId);
  const { status, body } = await visit(name);
  assert.equal(status, 200, body);
  return { page: body, log: await logText(buildId), buildId };
}

after(async () => {
  for (const name of made) await removeService(name);
});

describe('packages of every kind are installed, and the app that needs them is live', { concurrency: 3 }, () => {
  it('a package of a workspace of pnpm, with the one that it needs built first', async () => {
    const { page, log } = await live({ app: 'pnpm-workspace', fields: { appPath: 'apps/web' } });
    assert.equal(page, 'built by the workspace, odd: true');
    assert.match(log, /it is a package of one, and needs packages\/greet/);
  });

  it('a monorepo whose own install script works on packages that the app does not need', async () => {
    const { page } = await live({
      files: {
        'package.json': {
          private: true,
          workspaces: ['apps/*', 'packages/*'],
          scripts: { postinstall: 'node make.js' },
        },
        'make.js': `require('node:fs').cpSync('packages/texts/text.txt', 'apps/web/text.txt');\n`,
        'packages/texts/package.json': { name: 'texts', version: '1.0.0' },
        'packages/texts/text.txt': 'of another package',
        'apps/web/package.json': WEB_OF_MONOREPO,
        'apps/web/server.js': listening(`require('node:fs').readFileSync('text.txt')`, 'process.env.PORT'),
      },
      fields: { appPath: 'apps/web' },
    });
    assert.equal(page, 'of another package');
  });

  it('a monorepo of Bun with an install script in a package that the app does not need', async () => {
    const { page, log } = await live({
      files: {
        'package.json': { private: true, workspaces: ['apps/*'], packageManager: 'bun@1.3.2' },
        'apps/docs/package.json': { name: 'docs', version: '1.0.0', scripts: { postinstall: 'node make.js' } },
        'apps/docs/make.js': `require('node:fs').writeFileSync('made.txt', 'made');\n`,
        'apps/web/package.json': WEB_OF_MONOREPO,
        'apps/web/server.js': listening(`'odd: ' + require('is-odd')(3)`, 'process.env.PORT'),
      },
      fields: { appPath: 'apps/web' },
    });
    assert.equal(page, 'odd: true');
    assert.match(log, /Package manager: bun 1\.3\.2/);
  });

  it('a lockfile of yarn 3 beside which nothing names a yarn', async () => {
    const { page, log } = await live({ app: 'yarn-berry' });
    assert.equal(page, 'installed by yarn, odd: true');
    assert.match(log, /Package manager: yarn 3\.8\.7/);
  });

  it('a packed tarball of the repository, without a lockfile: the one that the install wrote is kept', async () => {
    const { page, buildId } = await live({
      files: {
        'package.json': { scripts: { start: 'node server.js' }, dependencies: { kit: 'file:kit-1.0.0.tgz' } },
        'server.js': listening(`require('kit')`, 'process.env.PORT'),
        'source/package/package.json': { name: 'kit', version: '1.0.0', main: 'index.js' },
        'source/package/index.js': `module.exports = 'out of a tarball';\n`,
      },
      prepare: async (folder) => {
        await run('tar', ['-czf', join(folder, 'kit-1.0.0.tgz'), '-C', join(folder, 'source'), 'package']);
        await rm(join(folder, 'source'), { recursive: true });
      },
    });
    assert.equal(page, 'out of a tarball');
    const { data } = await api<{ name: string; text: string }>('GET', `/builds/${buildId}/lockfile`);
    assert.equal(data.name, 'package-lock.json');
    assert.match(data.text, /"resolved": "file:kit-1\.0\.0\.tgz"/);
  });

  it('a folder that a manifest names and the repository does not have, which the app does not load, with a warning', async () => {
    const { page, log } = await live({
      files: {
        'package.json': {
          scripts: { start: 'node server.js' },
          dependencies: { kit: 'file:vendor/kit', 'is-odd': '3.0.1' },
        },
        'server.js': listening(`'odd: ' + require('is-odd')(3)`, 'process.env.PORT'),
      },
    });
    assert.equal(page, 'odd: true');
    assert.match(log, /kit in package\.json is file:vendor\/kit, which the repository does not have/);
  });

  it('a packed tarball that the repository does not have is named, with the remedy', async () => {
    const { build } = await deploy({
      files: {
        'package.json': { scripts: { start: 'node server.js' }, dependencies: { kit: 'file:vendor/kit-1.0.0.tgz' } },
        'server.js': listening(`'never'`, 'process.env.PORT'),
      },
    });
    assert.equal(build.status, 'failed');
    assert.match(build.failure?.message ?? '', /packed package vendor\/kit-1\.0\.0\.tgz, .* commit it/);
  });

  it('a lockfile of Bun, by which the app is built and started too', async () => {
    const { page, log } = await live({ app: 'bun' });
    assert.equal(page, 'built and started by Bun, odd: true');
    assert.match(log, /Package manager: bun 1\./);
    assert.match(log, /devDependencies: pruned/);
  });

  it('a secret that .npmrc names is there while packages are installed, and in no log', async () => {
    const hash = `require('node:crypto').createHash('sha256').update(process.env.NPM_TOKEN ?? 'none').digest('hex')`;
    const { page, log } = await live({
      files: {
        'package.json': {
          scripts: { preinstall: 'node note.js', start: 'node server.js' },
          dependencies: { 'is-odd': '3.0.1' },
        },
        '.npmrc': `//npm.example.org/:_authToken=\${NPM_TOKEN}\n`,
        'note.js': `require('node:fs').writeFileSync('noted.txt', ${hash});\n`,
        'server.js': listening(`require('node:fs').readFileSync('noted.txt')`, 'process.env.PORT'),
        'catalog-info.yaml': [
          'metadata:',
          '  name: {service}',
          '  annotations: {platform.io/catalog-version: 0.6.0, platform.io/env-vars: NPM_TOKEN}',
        ].join('\n'),
      },
      fields: { secrets: { NPM_TOKEN: 'canary-of-a-registry' } },
    });
    assert.equal(page, createHash('sha256').update('canary-of-a-registry').digest('hex'));
    assert.doesNotMatch(log, /canary-of-a-registry/);
  });

  it('an app of a Node.js that is no longer supported, installed by yarn 1', async () => {
    const { page, log } = await live({
      files: {
        'package.json': {
          name: 'old',
          version: '1.0.0',
          engines: { node: '14.x' },
          scripts: { start: 'node server.js' },
        },
        'yarn.lock': '# yarn lockfile v1\n',
        'server.js': listening('process.version', 'process.env.PORT'),
      },
    });
    assert.match(page, /^v2\d\./);
    assert.match(log, /Node\.js: node:20-bookworm-slim/);
    assert.match(log, /yarn install .*--ignore-engines/);
  });
});

describe('a server that makes folders where nothing can be written', () => {
  it('is live, with a warning, and has them in memory', async () => {
    const server = [
      `const { mkdirSync, writeFileSync, readFileSync } = require('node:fs');`,
      `for (const folder of ['logs', '/etc/todos/of/mine']) mkdirSync(folder, { recursive: true });`,
      `writeFileSync('/etc/todos/of/mine/one', 'kept for now');`,
      `writeFileSync('logs/one', '');`,
      listening(`readFileSync('/etc/todos/of/mine/one')`, 'process.env.PORT'),
    ].join('\n');
    const { page, log } = await live({
      files: { 'package.json': { scripts: { start: 'node server.js' } }, 'server.js': server },
    });
    assert.equal(page, 'kept for now');
    assert.match(log, /makes the folder logs,[\s\S]*makes the folder \/etc\/todos\/of\/mine,.*empty at each start/);
  });
});

describe('a server that does not listen where it is told', { concurrency: 2 }, () => {
  const served = (where: string) => ({
    files: { 'package.json': { scripts: { start: 'node server.js' } }, 'server.js': listening(`'found'`, where) },
  });

  it('is live where it listens on another port, with a warning', async () => {
    const { page, log } = await live(served('4100'));
    assert.equal(page, 'found');
    assert.match(log, /4100/);
  });

  for (const [where, at] of [
    ['on the loopback alone', `process.env.PORT, '127.0.0.1'`],
    ['on localhost alone, on another port', `4200, 'localhost'`],
  ] as const) {
    it(`is live where it listens ${where}, with a warning`, async () => {
      const { page, log } = await live(served(at));
      assert.equal(page, 'found');
      assert.match(log, /loopback only.*connections are forwarded to it there/);
    });
  }
});
