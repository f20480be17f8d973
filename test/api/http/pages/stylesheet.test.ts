import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { contrast } from '../../../../api/http/pages/brand-colour.ts';

const css = readFileSync(new URL('../../../../api/http/pages/assets/pages.css', import.meta.url), 'utf8');

/** Custom properties of the first and the second `:root`: the light and the dark scheme. */
const [light, dark] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(
  ([, block = '']) =>
    new Map([...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value])),
);

const TEXT: readonly (readonly [string, string])[] = [
  ['text', 'card'],
  ['text', 'page'],
  ['quiet', 'card'],
  ['link', 'card'],
  ['on-brand', 'brand'],
  ['bad', 'card'],
  ['bad', 'bad-back'],
  ['good', 'card'],
  ['good', 'good-back'],
];
const CONTROLS: readonly (readonly [string, string])[] = [
  ['field', 'card'],
  ['brand-edge', 'card'],
  ['link', 'card'],
];

describe('the stylesheet', () => {
  for (const [scheme, colours] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    it(`can be read in the ${scheme} scheme: text 4.5 to 1, controls 3 to 1 (WCAG 2.2 AA)`, () => {
      const of = (name: string): string => colours?.get(name) ?? assert.fail(`no --${name}`);
      for (const [one, other] of TEXT) assert.ok(contrast(of(one), of(other)) >= 4.5, `${one} on ${other}`);
      for (const [one, other] of CONTROLS) assert.ok(contrast(of(one), of(other)) >= 3, `${one} on ${other}`);
    });
  }

  it('loads nothing from anywhere', () => {
    assert.doesNotMatch(css, /url\(|@import/);
  });
});
