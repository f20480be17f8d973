import assert from 'node:assert/strict';
import { it } from 'node:test';
import { workspaceFolders } from '../../../domain/catalog/workspace-folders.ts';
import { FairleadError } from '../../../domain/errors.ts';

const FILES = [
  ...['apps/web/package.json', 'apps/old/package.json', 'packages/ui/package.json', 'packages/README.md'],
  ...['packages/deep/down/package.json', 'tools/package.json', 'node_modules/x/package.json'],
];

const tree = {
  list: async (folder: string) => {
    if (folder === 'packages/link') throw new FairleadError('SOURCE_REFUSED', folder);
    const inside = [...FILES, 'packages/link/a'].filter((path) => folder === '' || path.startsWith(`${folder}/`));
    return [...new Set(inside.map((path) => path.slice(folder === '' ? 0 : folder.length + 1).split('/')[0] ?? ''))];
  },
};

const ROWS: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
  ['none', {}, []],
  ['a list', { 'package.json': '{"workspaces":["apps/*","tools"]}' }, ['apps/old', 'apps/web', 'tools']],
  ['an object', { 'package.json': '{"workspaces":{"packages":["./packages/*/"]}}' }, ['packages/ui']],
  ['folders of any depth', { 'package.json': '{"workspaces":["packages/**"]}' }, ['packages/deep/down', 'packages/ui']],
  ['an exception', { 'package.json': '{"workspaces":["apps/*","!apps/old"]}' }, ['apps/web']],
  ['pnpm', { 'pnpm-workspace.yaml': 'packages:\n  - "apps/w*"\n' }, ['apps/web']],
  ['outside the repository', { 'package.json': '{"workspaces":["../*","/etc"]}' }, []],
  ['what cannot be read', { 'package.json': '{', 'pnpm-workspace.yaml': '\t:' }, []],
];

for (const [name, texts, expected] of ROWS) {
  it(`finds the packages of a repository: ${name}`, async () => {
    assert.deepEqual(await workspaceFolders(tree, texts), expected);
  });
}
