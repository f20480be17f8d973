import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findMonorepo } from '../../../domain/catalog/find-monorepo.ts';

const text = (manifest: object): string => JSON.stringify(manifest);

/** A source of these files. */
function tree(files: Readonly<Record<string, string>>) {
  const names = (folder: string): readonly string[] => {
    const top = folder === '' ? '' : `${folder}/`;
    const below = Object.keys(files).filter((path) => path.startsWith(top));
    return [...new Set(below.map((path) => path.slice(top.length).split('/', 1)[0] ?? ''))];
  };
  return { readText: async (path: string) => files[path] ?? null, list: async (folder: string) => names(folder) };
}

const NPM = {
  'package.json': text({ workspaces: ['apps/*', 'packages/**'] }),
  'package-lock.json': '{}',
  'apps/web/package.json': text({ name: 'web' }),
  'packages/ui/core/package.json': text({ name: 'ui' }),
  'tools/one/package.json': '{}',
};

it('an app is a package of the monorepo whose workspaces name its folder', async () => {
  const found = await findMonorepo(tree(NPM), 'apps/web');
  assert.deepEqual([found?.folder, found?.app], ['', 'apps/web']);
  assert.ok(found?.source.texts['packages/ui/core/package.json'] !== undefined, 'with the manifests of the others');
  assert.equal((await findMonorepo(tree(NPM), 'packages/ui/core'))?.app, 'packages/ui/core');
  const pnpm = {
    'pnpm-workspace.yaml': 'packages:\n  - apps/*\n',
    'package.json': '{}',
    'apps/web/package.json': '{}',
  };
  assert.equal((await findMonorepo(tree(pnpm), 'apps/web'))?.app, 'apps/web');
});

it('the nearest monorepo counts, wherever in the source it is', async () => {
  const nested = Object.fromEntries(Object.entries(NPM).map(([path, manifest]) => [`js/all/${path}`, manifest]));
  const files = { ...nested, 'package.json': text({ workspaces: ['js/**'] }), 'package-lock.json': '{}' };
  const found = await findMonorepo(tree(files), 'js/all/apps/web');
  assert.deepEqual([found?.folder, found?.app], ['js/all', 'apps/web']);
});

it('an app that no workspace names stands alone, and so does the root', async () => {
  assert.equal(await findMonorepo(tree(NPM), 'tools/one'), null);
  assert.equal(await findMonorepo(tree(NPM), ''), null);
  assert.equal(await findMonorepo(tree({ 'apps/web/package.json': '{}' }), 'apps/web'), null);
});

it('an app with a lockfile of its own stands alone where the monorepo has none', async () => {
  const { 'package-lock.json': lockfile, ...unlocked } = NPM;
  const own = { ...unlocked, 'apps/web/package-lock.json': lockfile };
  assert.equal(await findMonorepo(tree(own), 'apps/web'), null);
  assert.equal((await findMonorepo(tree({ ...own, ...NPM }), 'apps/web'))?.app, 'apps/web');
  assert.equal((await findMonorepo(tree(unlocked), 'apps/web'))?.app, 'apps/web');
});
