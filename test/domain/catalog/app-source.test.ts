// biome-ignore-all lint/suspicious/noTemplateCurlyInString: settings name variables so.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readAppSource, type SourceTree } from '../../../domain/catalog/app-source.ts';
import { FairleadError } from '../../../domain/errors.ts';

/** A tree of these files; those named in `refused` cannot be read. */
function treeOf(files: Readonly<Record<string, string>>, refused: readonly string[] = []): SourceTree {
  return {
    readText: async (path) => {
      if (refused.includes(path)) throw new FairleadError('SOURCE_REFUSED', path);
      return files[path] ?? null;
    },
    list: async (folder) => {
      const inside = Object.keys(files).filter((path) => folder === '' || path.startsWith(`${folder}/`));
      const names = inside.map((path) => path.slice(folder === '' ? 0 : folder.length + 1).split('/')[0] ?? '');
      return [...new Set(names)];
    },
  };
}

it('the manifest and the files that tell versions, builds and starts are read, and no others', async () => {
  const files = {
    'package.json': '{}',
    '.nvmrc': '22',
    'next.config.mjs': 'export default {}',
    Procfile: 'web: node a.js',
    'server.js': 'secret()',
    '.env': 'PASSWORD=x',
    'src/index.ts': 'secret()',
  };
  const source = await readAppSource(treeOf(files));
  assert.deepEqual(Object.keys(source.texts).sort(), ['.nvmrc', 'Procfile', 'next.config.mjs', 'package.json']);
  assert.deepEqual(source.variables, { '.env': { names: ['PASSWORD'], secrets: ['PASSWORD'] } }, 'names, no values');
  assert.ok(source.files.includes('src/index.ts') && source.files.includes('server.js'));
});

it('the packages that code loads are found, in folders as well, and not those of tests, types and settings of tools', async () => {
  const files = {
    'package.json': '{}',
    'server.js':
      "const a = require('dotenv/config'); require.resolve('@scope/one/x'); require('./own'); require('node:fs');",
    'src/log/logger.ts': "import {\n  pino,\n} from 'pino';\npino({ transport: { target: 'pino-pretty' } });",
    'src/types.ts': "import type { A } from 'only-types';\nexport type { B } from 'more-types';\nawait import('lazy');",
    'src/a.test.ts': "import 'vitest'",
    'src/tests/b.ts': "import 'chai'",
    'src/a.d.ts': "import 'typed'",
    'vite.config.ts': "import 'vite'",
  };
  const { loaded } = await readAppSource(treeOf(files));
  assert.deepEqual(loaded?.toSorted(), ['@scope/one', 'dotenv', 'lazy', 'pino', 'pino-pretty']);
});

it('a folder of code that leads out of the source says nothing', async () => {
  const tree = treeOf({ 'package.json': '{}', 'src/a.js': "require('a')", 'src/out/b.js': "require('b')" });
  const list = async (folder: string) => {
    if (folder === 'src/out') throw new FairleadError('SOURCE_REFUSED', folder);
    return await tree.list(folder);
  };
  assert.deepEqual((await readAppSource({ ...tree, list })).loaded, ['a']);
});

it('a telling file that cannot be read says nothing, while the manifest must be readable', async () => {
  const tree = (refused: string) => treeOf({ 'package.json': '{}', '.nvmrc': '22' }, [refused]);
  assert.deepEqual((await readAppSource(tree('.nvmrc'))).texts, { 'package.json': '{}' });
  await assert.rejects(readAppSource(tree('package.json')), { code: 'SOURCE_REFUSED' });
});

it('of the settings of package managers the names of variables are read, and no token that stands there', async () => {
  const files = {
    '.npmrc': '//npm.example/:_authToken=${NPM_TOKEN}\n//other.example/:_authToken=npm_canary\nprefix=${HOME}/x\n',
    '.yarnrc.yml': 'npmAuthToken: "${YARN_TOKEN}"\nnpmScopes: { a: { npmAuthToken: "${WITH_DEFAULT:-}" } }\n',
    'bunfig.toml': 'token = "$BUN_TOKEN"\n',
  };
  const source = await readAppSource(treeOf(files));
  assert.deepEqual(source.registryVariables, ['NPM_TOKEN', 'YARN_TOKEN', 'BUN_TOKEN']);
  assert.doesNotMatch(JSON.stringify(source), /canary/);
});

it('of files and folders that manifests name as dependencies those are named that are there', async () => {
  const source = await readAppSource(
    treeOf({
      'package.json': JSON.stringify({
        workspaces: ['apps/*'],
        dependencies: { kit: 'file:vendor/kit', gone: 'link:vendor/gone', far: 'file:../far', sdk: 'file:sdk.tgz' },
      }),
      'apps/web/package.json': JSON.stringify({
        dependencies: { own: 'file:lib/own.tgz', up: 'link:../../vendor/up' },
      }),
      'apps/web/lib/own.tgz': '',
      'sdk.tgz': '',
      'vendor/kit/index.js': '',
      'vendor/up/index.js': '',
    }),
  );
  assert.deepEqual(source.files.toSorted(), [
    ...['apps', 'apps/web/lib/own.tgz', 'apps/web/package.json', 'package.json', 'sdk.tgz', 'vendor'],
    ...['vendor/kit', 'vendor/up'],
  ]);
});
