import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeApp } from '../../../../domain/deploys/app/describe-app.ts';

/** A static app of these packages, with these files beside its manifest. */
function site(
  packages: readonly string[],
  files: Readonly<Record<string, string>> = {},
  scripts: object = { build: 'x' },
) {
  const dependencies = Object.fromEntries(packages.map((name) => [name, '1']));
  const texts = { 'package.json': JSON.stringify({ scripts, dependencies }), ...files };
  const source = { files: Object.keys(texts), texts };
  return describeApp(source, { framework: 'static', port: null, healthEndpoint: '/health' });
}

const OUTPUTS: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>, string])[] = [
  ['vite', ['vite'], {}, 'dist'],
  ['vite with a folder of its own', ['vite'], { 'vite.config.ts': "build: { outDir: '../public_html' }" }, 'dist'],
  ['vite with a named folder', ['vite'], { 'vite.config.ts': "build: { outDir: 'web' } // outDir: 'x'" }, 'web'],
  ['a setting in a comment', ['vite'], { 'vite.config.js': "// outDir: 'old'\nbuild: {}" }, 'dist'],
  ['astro', ['astro'], { 'astro.config.mjs': "outDir: './site'" }, 'site'],
  ['eleventy', ['@11ty/eleventy'], { '.eleventy.js': "return { dir: { output: 'www' } }" }, 'www'],
  ['docusaurus', ['@docusaurus/core'], {}, 'build'],
  ['gatsby', ['gatsby'], {}, 'public'],
  ['create-react-app', ['react-scripts'], {}, 'build'],
  [
    'angular',
    ['@angular/core'],
    { 'angular.json': '{"projects":{"shop":{"architect":{"build":{"options":{"outputPath":"dist/shop"}}}}}}' },
    'dist/shop',
  ],
  ['angular without a folder', ['@angular/core'], { 'angular.json': '{"projects":{"shop":{}}}' }, 'dist/shop'],
];

for (const [name, packages, files, folder] of OUTPUTS) {
  it(`${name} is served from ${folder}`, () => assert.equal(site(packages, files).site?.folders.value[0], folder));
}

it('a folder that the build script names goes before the settings, and the catalog before both', () => {
  const app = site(['vite'], { 'vite.config.ts': "outDir: 'a'" }, { build: 'vite build --outDir b' });
  assert.equal(app.site?.folders.value[0], 'b');
});

it('a site that its packages build without a build script is built by its tool', () => {
  assert.equal(site(['@11ty/eleventy'], {}, {}).build?.value, 'eleventy');
  assert.equal(site([], {}, {}).build, null);
});

it('paths without a file are the one page exactly where the pages are made in the browser', () => {
  const isSingle = (packages: readonly string[], files = {}) => site(packages, files).site?.singlePage.value;
  assert.deepEqual(
    [['vite'], ['react-scripts'], ['@angular/core'], ['webpack'], ['react-router-dom']].map((one) => isSingle(one)),
    [true, true, true, true, true],
  );
  assert.deepEqual(
    [['astro'], ['@11ty/eleventy'], ['gatsby'], []].map((one) => isSingle(one)),
    [false, false, false, false],
  );
  assert.equal(isSingle(['vite'], { 'vite.config.js': "appType: 'mpa'" }), false);
});

it('a path below which the pages look for their files is known', () => {
  assert.equal(site(['vite'], { 'vite.config.js': "base: '/shop/'" }).site?.basePath, 'shop');
  assert.equal(site(['@docusaurus/core'], { 'docusaurus.config.js': "baseUrl: '/'" }).site?.basePath, null);
});

it('a site that another script than build makes is built by it, below the folder that it names', () => {
  for (const [scripts, build, folder] of [
    [
      { 'docs:dev': 'vitepress dev docs', 'docs:build': 'vitepress build docs' },
      'npm run docs:build',
      'docs/.vitepress/dist',
    ],
    [{ 'docs:build': 'vitepress build' }, 'npm run docs:build', '.vitepress/dist'],
    [{ build: 'vitepress build site', 'docs:build': 'vitepress build docs' }, 'npm run build', 'site/.vitepress/dist'],
    [{ dev: 'vitepress dev' }, 'vitepress build', '.vitepress/dist'],
  ] as const) {
    const text = JSON.stringify({ scripts, devDependencies: { vitepress: '^1.6.0' } });
    const app = describeApp(
      { files: ['package.json', 'package-lock.json', 'docs'], texts: { 'package.json': text } },
      { framework: 'static', port: null, healthEndpoint: '/health' },
    );
    assert.deepEqual([app.build?.value, app.site?.folders.value[0]], [build, folder]);
  }
});
