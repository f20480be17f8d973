import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { brandFills, contrast } from '../../../../api/http/pages/brand-colour.ts';

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('colours of a brand', () => {
  it('can be read on with at least 4.5 to 1, and have an edge of 3 to 1 to the card, whatever the brand chose', () => {
    fc.assert(
      fc.property(colour, (chosen) => {
        const fills = brandFills(chosen);
        assert.ok(fills !== null);
        assert.ok(contrast(fills.light.fill, fills.light.text) >= 4.5);
        assert.ok(contrast(fills.dark.fill, fills.dark.text) >= 4.5);
        assert.ok(contrast(fills.light.edge, '#ffffff') >= 3);
        assert.ok(contrast(fills.dark.edge, '#1e2127') >= 3);
      }),
    );
  });

  it('stay what the brand chose, with an edge of another shade only where it would be lost', () => {
    assert.deepEqual(brandFills('#1F5FBF')?.light, { fill: '#1f5fbf', text: '#ffffff', edge: '#1f5fbf' });
    assert.deepEqual(brandFills('#ffcc00')?.dark, { fill: '#ffcc00', text: '#000000', edge: '#ffcc00' });
    assert.deepEqual(brandFills('#ffffff')?.light, { fill: '#ffffff', text: '#000000', edge: '#8c8c8c' });
  });

  it('are none for what is no colour', () => {
    for (const text of ['', 'red', '#fff', '#12345g', '#123456;}body{display:none', 'url(https://evil.example)']) {
      assert.equal(brandFills(text), null);
    }
  });

  it('contrast is that of WCAG', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21);
    assert.equal(contrast('#777777', '#777777'), 1);
    assert.ok(Math.abs(contrast('#767676', '#ffffff') - 4.54) < 0.01);
  });
});
