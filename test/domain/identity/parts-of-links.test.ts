import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsOfLinks } from '../../../domain/identity/parts-of-links.ts';

const linksOf = (text: string): string[] => partsOfLinks(text).flatMap((part) => (part.isLink ? [part.text] : []));

test('only web addresses are links', () => {
  assert.deepEqual(linksOf('go to https://id.example/x?token=a-b_c now'), ['https://id.example/x?token=a-b_c']);
  assert.deepEqual(linksOf('http://a.example https://b.example'), ['http://a.example', 'https://b.example']);
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://',
    'www.x.example',
    '',
  ]) {
    assert.deepEqual(linksOf(text), [], text);
  }
  assert.deepEqual(linksOf('https://x.example/"onclick=alert(1)'), ['https://x.example/']);
});

test('no character is lost', () => {
  for (const text of ['a https://x.example b', 'https://x.example', 'https:// y', '<https://x.example>']) {
    assert.equal(
      partsOfLinks(text)
        .map((part) => part.text)
        .join(''),
      text,
    );
  }
});
