import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignAddresses, registeredHosts, withoutAddresses } from '../../../domain/identity/mail-addresses.ts';

const HOSTS = registeredHosts([
  {
    redirectUris: ['https://shop.example/api/auth/callback', 'http://localhost:3000/cb'],
    customDomains: ['my.shop.example'],
  },
  { redirectUris: ['com.acme.app:/callback'], customDomains: ['xn--bcher-kva.example'] },
]);

test('registered addresses are not foreign, however they are written', () => {
  for (const text of [
    'Go to https://shop.example/orders?x=1#y and SHOP.example',
    'write to help@shop.example or look at my.shop.example.',
    'http://localhost:3000/help',
    'bücher.example has them',
    'Hello Ada. It is 10.5 km, i.e. near; version 1.2.3 costs 9,99.',
    'No. 5 and e.g. that',
  ]) {
    assert.deepEqual(foreignAddresses(text, HOSTS), [], text);
  }
});

test('every other address is found, in all forms that mail programs turn into links', () => {
  for (const [text, address] of [
    ['https://evil.example/x', 'https://evil.example/x'],
    ['at evil.example/x now', 'evil.example'],
    ['EVIL.example', 'EVIL.example'],
    ['www.evil.example', 'www.evil.example'],
    ['ceo@evil.example', 'evil.example'],
    ['mailto:ceo@evil.example', 'mailto:ceo@evil.example'],
    ['https://shop.example@evil.example', 'https://shop.example@evil.example'],
    ['https://shop.example.evil.example/', 'https://shop.example.evil.example/'],
    ['ftp://shop.example/', 'ftp://shop.example/'],
    ['http://192.0.2.1/x', 'http://192.0.2.1/x'],
    ['evil。example', 'evil。example'],
    ['еvіl.example', 'еvіl.example'],
    ['tel:+4912345', 'tel:+4912345'],
  ] as const) {
    assert.deepEqual(foreignAddresses(text, HOSTS), [address], text);
  }
});

test('a name with an address in it is shown so that nothing of it is an address', () => {
  for (const name of ['Win at evil.example', 'https://evil.example/x', 'evil。example', 'a.b.evil.example']) {
    assert.deepEqual(foreignAddresses(withoutAddresses(name), new Set()), [], name);
  }
  assert.equal(withoutAddresses('Dr. Who Ltd.'), 'Dr. Who Ltd.');
});
