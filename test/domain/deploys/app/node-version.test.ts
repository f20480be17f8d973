import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readManifest } from '../../../../domain/catalog/read-manifest.ts';
import { nodeImage } from '../../../../domain/deploys/app/node-version.ts';

/** The image of an app with this manifest and these files. */
function imageOf(manifest: object, texts: Readonly<Record<string, string>> = {}) {
  return nodeImage(readManifest(JSON.stringify(manifest), []), { files: Object.keys(texts), texts });
}

const RANGES: readonly (readonly [string | null, string, RegExp | null])[] = [
  [null, 'node:24-bookworm-slim', null],
  ['', 'node:24-bookworm-slim', null],
  ['*', 'node:24-bookworm-slim', null],
  ['>=18', 'node:24-bookworm-slim', null],
  ['22', 'node:22-bookworm-slim', null],
  ['22.x', 'node:22-bookworm-slim', null],
  ['^22.11.0', 'node:22-bookworm-slim', null],
  ['>=20 <23', 'node:22-bookworm-slim', null],
  ['18 || 20', 'node:20-bookworm-slim', /Node\.js 20 gets no fixes after April 2026/],
  ['20 - 22', 'node:22-bookworm-slim', null],
  [
    '22.11.0',
    'node:22-bookworm-slim',
    /asks for "22\.11\.0"; the app gets the newest release of 22.*platform\.io\/dockerfile/,
  ],
  [
    '18.x',
    'node:20-bookworm-slim',
    /asks for "18\.x", which gets no fixes any more; .*gets 20, the nearest of 24, 22 and 20: .*dockerfile/,
  ],
  [
    '21',
    'node:22-bookworm-slim',
    /asks for "21", which gets no fixes any more; .*gets 22, the nearest of 24, 22 and 20: /,
  ],
  ['>=26', 'node:24-bookworm-slim', /asks for ">=26", which is not supported yet; .*24/],
  ['lts/*', 'node:24-bookworm-slim', /no range of versions/],
  [`>=22${' || 22'.repeat(100_000)}`, 'node:24-bookworm-slim', /no range of versions/],
];

for (const [range, image, warning] of RANGES) {
  it(`engines.node ${JSON.stringify(range?.slice(0, 30) ?? null)} runs on ${image}`, () => {
    const chosen = imageOf({ engines: { node: range } });
    assert.equal(chosen.image, image);
    if (warning === null) assert.equal(chosen.warning, null);
    else assert.match(chosen.warning ?? '', warning);
  });
}

const PINS: readonly (readonly [string, string, string])[] = [
  ['.nvmrc', 'v22.11.0\n', 'node:22-bookworm-slim'],
  ['.nvmrc', '# the team\nlts/jod # long-term', 'node:22-bookworm-slim'],
  ['.nvmrc', 'lts/*', 'node:24-bookworm-slim'],
  ['.nvmrc', 'node', 'node:24-bookworm-slim'],
  ['.node-version', '20', 'node:20-bookworm-slim'],
  ['.tool-versions', 'ruby 3.3.0\nnodejs 22.2.0\n', 'node:22-bookworm-slim'],
  ['mise.toml', '[tools]\nnode = "22"\n', 'node:22-bookworm-slim'],
  ['.mise.toml', '[tools]\nnode = { version = "20" }\n', 'node:20-bookworm-slim'],
  ['.nvmrc', 'system', 'node:24-bookworm-slim'],
];

for (const [file, text, image] of PINS) {
  it(`${file} with ${JSON.stringify(text)} runs on ${image}`, () => {
    assert.equal(imageOf({}, { [file]: text }).image, image);
  });
}

it('a pinned version is taken where engines.node allows it, and engines.node where not', () => {
  const engines = { node: '>=20' };
  const pinned = imageOf({ engines, volta: { node: '22.4.1' } });
  assert.deepEqual([pinned.image, pinned.warning], ['node:22-bookworm-slim', null]);
  assert.match(pinned.reason, /volta\.node in package\.json asks for "22\.4\.1"/);
  assert.equal(imageOf({ engines: { node: '>=24' } }, { '.nvmrc': '20' }).image, 'node:24-bookworm-slim');
  assert.match(imageOf({}, { '.nvmrc': '16.20.2' }).warning ?? '', /\.nvmrc asks for "16\.20\.2", which gets no fixes/);
});

it('the catalog’s word goes before all that the source says', () => {
  const source = { files: ['.nvmrc'], texts: { '.nvmrc': '24' } };
  const { image, reason } = nodeImage(readManifest('{"engines":{"node":">=24"}}', []), source, '22');
  assert.deepEqual([image, reason], ['node:22-bookworm-slim', 'platform.io/node-version asks for "22"']);
});

it('a version in the catalog that no Node.js can have is ignored, with a warning', () => {
  const manifest = readManifest('{"engines":{"node":"22"}}', []);
  const versions = ['01.2.3', '1.2.3-01', '1.2.3-a..b', '99999999999999999999.0.0', 'latest'];
  for (const declared of versions) {
    const { image, warning } = nodeImage(manifest, { files: [], texts: {} }, declared);
    assert.equal(image, 'node:22-bookworm-slim');
    assert.match(
      warning ?? '',
      /^platform\.io\/node-version asks for ".*", which is no range of versions; it is ignored$/,
    );
  }
});
