import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nodeImage } from '../../../../domain/deploys/app/node-version.ts';

const RANGES: readonly (readonly [string | null, string, RegExp | null])[] = [
  [null, 'node:24-alpine', null],
  ['', 'node:24-alpine', null],
  ['*', 'node:24-alpine', null],
  ['>=18', 'node:24-alpine', null],
  ['22', 'node:22-alpine', null],
  ['22.x', 'node:22-alpine', null],
  ['^22.11.0', 'node:22-alpine', null],
  ['>=20 <23', 'node:22-alpine', null],
  ['18 || 20', 'node:20-alpine', null],
  ['20 - 22', 'node:22-alpine', null],
  [
    '22.11.0',
    'node:22-alpine',
    /asks for "22\.11\.0"; the app gets the newest release of 22.*platform\.io\/dockerfile/,
  ],
  ['18.x', 'node:24-alpine', /asks for "18\.x"; generated container files have 24, 22, 20.*platform\.io\/dockerfile/],
  ['>=26', 'node:24-alpine', /asks for ">=26"; generated/],
  ['lts/*', 'node:24-alpine', /no range of versions/],
  [`>=22${' || 22'.repeat(100_000)}`, 'node:24-alpine', /no range of versions/],
];

for (const [range, image, warning] of RANGES) {
  it(`engines.node ${JSON.stringify(range?.slice(0, 30) ?? null)} runs on ${image}`, () => {
    const chosen = nodeImage(range);
    assert.equal(chosen.image, image);
    if (warning === null) assert.equal(chosen.warning, null);
    else assert.match(chosen.warning ?? '', warning);
  });
}
