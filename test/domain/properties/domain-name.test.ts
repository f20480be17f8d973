import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normaliseDomain } from '../../../domain/properties/domain-name.ts';

const domain = (name: string) => ({ domain: name });
const refused = (why: string) => ({ refused: why });

/** What is written, and what comes of it. */
const ROWS: readonly (readonly [string, ReturnType<typeof domain> | ReturnType<typeof refused>])[] = [
  ['example.com', domain('example.com')],
  ['  Example.COM. ', domain('example.com')],
  ['https://www.example.com/a/b?c#d', domain('example.com')],
  ['ftp://user:word@www.example.com:8080/x', domain('example.com')],
  ['www.com', domain('www.com')],
  ['www.example.co.uk', domain('example.co.uk')],
  ['https://bücher.de/', domain('xn--bcher-kva.de')],
  ['www.BÜCHER.de', domain('xn--bcher-kva.de')],
  ['xn--bcher-kva.de', domain('xn--bcher-kva.de')],
  ['例え.jp', domain('xn--r8jz45g.jp')],
  ['me.github.io', domain('me.github.io')],
  ['www.me.github.io', domain('me.github.io')],
  ['co.uk', refused('a public suffix')],
  ['github.io', refused('a public suffix')],
  ['shop.example.com', refused('a name below an apex domain')],
  ['www.shop.example.com', refused('a name below an apex domain')],
  ['127.0.0.1', refused('an address')],
  ['0x7f.1', refused('an address')],
  ['http://[::1]/', refused('an address')],
  ['localhost', refused('not a domain')],
  ['shop.internal', refused('not a domain')],
  ['example.nosuchsuffix', refused('not a domain')],
  ['_dmarc.example.com', refused('not a domain')],
  ['*.example.com', refused('not a domain')],
  ['-a.com', refused('not a domain')],
  [`${'a'.repeat(64)}.com`, refused('not a domain')],
  ['example com', refused('not a domain')],
  ['http://', refused('not a domain')],
  ['', refused('not a domain')],
];

describe('the domain of a Property', () => {
  for (const [text, expected] of ROWS) {
    it(`${JSON.stringify(text)}: ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(normaliseDomain(text), expected);
    });
  }

  it('what was normalised stays as it is', () => {
    for (const [, expected] of ROWS) {
      if ('domain' in expected) assert.deepEqual(normaliseDomain(expected.domain), expected);
    }
  });
});
