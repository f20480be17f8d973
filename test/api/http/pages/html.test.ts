import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { html, renderHtml, trustedMarkup } from '../../../../api/http/pages/html.ts';

describe('html', () => {
  it('keeps the template and escapes every value', () => {
    assert.equal(
      renderHtml(html`<p title="${'"x"'}">${'<b>'} & ${"it's `"}</p>`),
      '<p title="&quot;x&quot;">&lt;b&gt; & it&#39;s &#96;</p>',
    );
  });

  it('takes markup of its own as it is, alone and in lists', () => {
    const items = ['<1>', '<2>'].map((text) => html`<li>${text}</li>`);
    assert.equal(renderHtml(html`<ul>${items}</ul>`), '<ul><li>&lt;1&gt;</li><li>&lt;2&gt;</li></ul>');
  });

  it('writes nothing for null, undefined and false, and zero as zero', () => {
    assert.equal(renderHtml(html`[${null}${undefined}${false}${0}]`), '[0]');
  });

  it('takes markup from a trusted producer only when it is marked as such', () => {
    assert.equal(renderHtml(html`${trustedMarkup('<svg/>')}${'<svg/>'}`), '<svg/>&lt;svg/&gt;');
  });

  it('does not mistake an object that looks like markup for markup', () => {
    const forged = JSON.parse('{"markup":"<script>","toString":"<script>"}');
    assert.doesNotMatch(renderHtml(html`${forged}`), /</);
  });

  it('lets no value out of text or a quoted attribute, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const [, attribute = '', content = ''] =
          /^<a title="([\s\S]*)">([\s\S]*)<\/a>$/.exec(renderHtml(html`<a title="${text}">${text}</a>`)) ?? [];
        assert.doesNotMatch(attribute, /["<>'`]/);
        assert.doesNotMatch(content, /[<>]/);
      }),
    );
  });
});
