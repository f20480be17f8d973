import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readManifest } from '../../../../domain/catalog/read-manifest.ts';
import { nativePackages } from '../../../../domain/deploys/app/native-packages.ts';

const of = (manifest: object, texts: Readonly<Record<string, string>> = {}) =>
  nativePackages({ files: Object.keys(texts), texts }, readManifest(JSON.stringify(manifest), []));

const LOCKS: readonly (readonly [string, string, string])[] = [
  [
    'npm',
    'package-lock.json',
    '{ "packages": {\n    "node_modules/a/node_modules/sqlite3": {\n      "version": "5.1.7"',
  ],
  ['npm before 7', 'package-lock.json', '{ "dependencies": {\n    "sqlite3": {\n      "version": "5.1.7"'],
  ['yarn 1', 'yarn.lock', '\nsqlite3@^5.1.7:\n  version "5.1.7"\n'],
  ['yarn 4', 'yarn.lock', '\n"sqlite3@npm:^5.1.7":\n  version: 5.1.7\n'],
  ['pnpm', 'pnpm-lock.yaml', 'packages:\n\n  sqlite3@5.1.7:\n    resolution: {}\n'],
  ['pnpm before 9', 'pnpm-lock.yaml', 'packages:\n\n  /sqlite3@5.1.7:\n    resolution: {}\n'],
  ['pnpm before 8', 'pnpm-lock.yaml', 'packages:\n\n  /sqlite3/5.1.7:\n    resolution: {}\n'],
  ['bun', 'bun.lock', '  "packages": {\n    "sqlite3": ["sqlite3@5.1.7", "", {}]\n'],
];

for (const [manager, file, text] of LOCKS) {
  test(`a package of a package that may be compiled is found in the lockfile of ${manager}`, () => {
    assert.deepEqual(of({ dependencies: { a: '1.0.0' } }, { [file]: text }), ['sqlite3']);
  });
}

test('without a lockfile the manifest names them', () => {
  assert.deepEqual(of({ dependencies: { 'better-sqlite3': '12' }, devDependencies: { prisma: '6' } }), [
    'better-sqlite3',
    'prisma',
  ]);
});

test('an unknown package is found by what it is compiled with', () => {
  const lock = '    "node_modules/node-addon-api": {\n';
  assert.deepEqual(of({ dependencies: { unknown: '1' } }, { 'package-lock.json': lock }), ['node-addon-api']);
});

test('what brings its programs along, and what is only wished for, is compiled nowhere', () => {
  const lock = [
    '    "node_modules/drizzle-orm": {\n      "peerDependencies": {\n        "better-sqlite3": ">=7"\n      },',
    '      "peerDependenciesMeta": {\n        "better-sqlite3": {\n          "optional": true\n',
    '    "node_modules/@img/sharp-linux-x64": {\n    "node_modules/esbuild": {\n    "node_modules/@swc/core": {\n',
  ].join('\n');
  assert.deepEqual(of({ dependencies: { sharp: '0.34', esbuild: '0.25' } }, { 'package-lock.json': lock }), []);
  const pnpm = '\n  drizzle-orm@0.44.0:\n    peerDependencies:\n      better-sqlite3: ">=7"\n';
  assert.deepEqual(of({ dependencies: {} }, { 'pnpm-lock.yaml': pnpm }), []);
});
