import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clientPage, withToken } from '../../../domain/oauth-clients/client-page.ts';

const CLIENT = {
  redirectUris: [
    'https://shop.example/api/auth/callback',
    'http://127.0.0.1:4000/callback',
    'com.example.app:/callback',
  ],
  customDomains: ['my.shop.example'],
};

test('pages on a registered origin or a custom domain are the client’s', () => {
  for (const page of [
    'https://shop.example/',
    'https://shop.example/a?b=c',
    'http://127.0.0.1:4000/x',
    'https://my.shop.example/reset',
  ]) {
    assert.equal(clientPage(CLIENT, page)?.href, page);
  }
});

test('no other page is, however it is written', () => {
  const others = [
    'https://evil.example/',
    'https://shop.example.evil.example/',
    'https://shop.example@evil.example/',
    'https://user:pass@shop.example/',
    'https://shop.example:8443/',
    'http://shop.example/',
    'http://127.0.0.1:4001/',
    'http://my.shop.example/',
    'https://my.shop.example:444/',
    'https://sub.my.shop.example/',
    'https://shop.example/#x',
    'https://shop.example/#',
    'https://evil.example\\@shop.example/',
    'https:shop.example\\x',
    'https://shop.example/\nx',
    ' https://shop.example/',
    'com.example.app:/callback',
    'javascript:alert(1)//https://shop.example/',
    'data:text/html,https://shop.example/',
    '//shop.example/',
    '/reset',
    '',
  ];
  for (const page of others) assert.equal(clientPage(CLIENT, page), null, JSON.stringify(page));
});

test('whatever is taken leads to a host of the client', () => {
  const hosts = new Set(['shop.example', '127.0.0.1:4000', 'my.shop.example']);
  const parts = fc.constantFrom(
    'https://',
    'http://',
    'shop.example',
    'evil.example',
    '@',
    '\\',
    '/',
    ':',
    '.',
    '#',
    '?',
    '%2f',
    '127.0.0.1:4000',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), (pieces) => {
      const page = clientPage(CLIENT, pieces.join(''));
      if (page !== null) assert.ok(hosts.has(page.host), page.href);
    }),
    { numRuns: 2_000 },
  );
});

test('the token is one parameter of its own, in the place of any that was there', () => {
  const page = new URL('https://shop.example/reset?lang=en&token=old&token=older');
  assert.equal(withToken(page, 'flot_a&b=c'), 'https://shop.example/reset?lang=en&token=flot_a%26b%3Dc');
});
