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
  assert.ok(source.files.includes('src/index.ts') && source.files.includes('server.js'));
});

it('a telling file that cannot be read says nothing, while the manifest must be readable', async () => {
  const tree = (refused: string) => treeOf({ 'package.json': '{}', '.nvmrc': '22' }, [refused]);
  assert.deepEqual((await readAppSource(tree('.nvmrc'))).texts, { 'package.json': '{}' });
  await assert.rejects(readAppSource(tree('package.json')), { code: 'SOURCE_REFUSED' });
});
