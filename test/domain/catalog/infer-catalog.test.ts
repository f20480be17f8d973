import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inferCatalog } from '../../../domain/catalog/infer-catalog.ts';

const CASES: readonly (readonly [string, string | null, readonly string[], string | null])[] = [
  ['express', '{"dependencies":{"express":"5"}}', [], 'express'],
  ['fastify', '{"dependencies":{"fastify":"5"}}', [], 'fastify'],
  ['hono', '{"dependencies":{"hono":"4"}}', [], 'hono'],
  ['next beside express', '{"dependencies":{"express":"5","next":"15"}}', [], 'nextjs'],
  ['a page without a manifest', null, ['index.html'], 'static'],
  ['a built page', '{"devDependencies":{"vite":"7"}}', ['index.html'], 'static'],
  ['a tool that makes sites', '{"devDependencies":{"astro":"5"}}', [], 'static'],
  ['a server only for development', '{"dependencies":{"vite":"7"},"devDependencies":{"express":"5"}}', [], 'static'],
  ['a site beside a server', '{"scripts":{"start":"node a.js"},"dependencies":{"vite":"7"}}', ['index.html'], null],
  [
    'a site whose server another script starts',
    '{"scripts":{"start":"npm run build && yarn serve","serve":"node a.js"},"dependencies":{"vite":"7"}}',
    ['index.html'],
    null,
  ],
  [
    'a site that a program makes ready before a tool shows it',
    '{"scripts":{"start":"node a.js; serve site"},"dependencies":{"vite":"7","serve":"14"}}',
    ['index.html'],
    null,
  ],
  [
    'a site that a tool shows by another script',
    '{"scripts":{"start":"npm run show","show":"vite preview"},"dependencies":{"vite":"7"}}',
    ['index.html'],
    'static',
  ],
  [
    'scripts that call one another',
    '{"scripts":{"start":"npm run a","a":"npm run start"},"dependencies":{"vite":"7"}}',
    ['index.html'],
    'static',
  ],
  ['SvelteKit for any host', '{"devDependencies":{"vite":"7","@sveltejs/adapter-auto":"7"}}', [], null],
  [
    'SvelteKit as a site',
    '{"devDependencies":{"vite":"7","@sveltejs/adapter-auto":"7","@sveltejs/adapter-static":"3"}}',
    [],
    'static',
  ],
  ['a site with a server of its own', '{"dependencies":{"astro":"5","@astrojs/node":"9"}}', [], null],
  ['nothing known', '{"dependencies":{}}', ['main.go'], null],
  ['a manifest that is not JSON', '{', [], null],
  ['a manifest that is a list', '[]', [], null],
  ['odd fields', '{"name":5,"scripts":[],"dependencies":{"express":"5"}}', [], 'express'],
];

for (const [name, manifest, files, framework] of CASES) {
  test(`framework of ${name}: ${framework}`, () => {
    const { catalog, warnings } = inferCatalog({ manifest, files });
    assert.equal(catalog.framework, framework);
    assert.equal(catalog.declared, false);
    assert.match(warnings.at(-1) ?? '', /there is no catalog-info\.yaml/);
  });
}

test('an app of unknown framework is asked for a Dockerfile only when it has none', () => {
  const asked = (files: readonly string[]) => inferCatalog({ manifest: null, files }).warnings.join();
  assert.match(asked(['main.go']), /no framework could be inferred; .*add a Dockerfile/);
  assert.doesNotMatch(asked(['main.go', 'Dockerfile']), /framework/);
});

test('the name is taken from the manifest when it can name a service', () => {
  const nameOf = (name: string) => inferCatalog({ manifest: JSON.stringify({ name }), files: [] }).catalog.name;
  assert.equal(nameOf('@acme/api'), 'api');
  assert.equal(nameOf('Not A Service'), null);
});

test('the sample without a catalog is known by its manifest', () => {
  const folder = new URL('../../fixtures/apps/express-npm/', import.meta.url);
  const manifest = readFileSync(new URL('package.json', folder), 'utf8');
  const { catalog } = inferCatalog({ manifest, files: readdirSync(folder) });
  assert.deepEqual([catalog.name, catalog.framework, catalog.healthEndpoint], ['express-npm', 'express', '/health']);
});
