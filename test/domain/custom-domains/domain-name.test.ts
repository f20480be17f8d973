import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDomainName } from '../../../domain/custom-domains/domain-name.ts';

const PLATFORM = {
  platformDomain: 'apps.fairlead.dev',
  hosts: ['login.fairlead.dev', 'customers.edge-host.net', 'console.fairlead.dev.'],
};
const long = (count: number): string => 'a'.repeat(count);

const ADDRESS = 'an address is no domain: name one, such as shop.example.com';
const PATH = 'leave out the path: a domain is the name of a host alone';
const PORT = 'leave out the port: services are served on 443 and 80';
const SCHEME = 'leave out what stands before the name, such as https://';
const BLANK = 'it has a blank in it';
const INVISIBLE = 'it has an invisible character in it: type it anew';
const CHARACTER = 'it has a character that names of hosts have not';
const WORD = 'one word is no domain: name all of it, such as shop.example.com';
const UNDERSCORE = 'the name of a host has no underscore: use a hyphen';
const WILDCARD = 'a wildcard stands for no single name: add each name by itself';
const NOTHING_BETWEEN = 'there is nothing between two of its dots';
const SPELLING = 'it is not a valid name: see its spelling, and labels that begin with xn--';
const LONG_LABEL = 'a part between two dots is longer than 63 characters';
const TOO_LONG = 'it is longer than 240 characters';
const HYPHEN = 'a part of it begins or ends with a hyphen';
const RESERVED =
  'two hyphens in the third and fourth place are reserved, and no authority issues a certificate for them';
const USER = 'an e-mail address or user is no domain: name what stands after the @';
const PLATFORMS = 'names in apps.fairlead.dev are given by the platform';
const OWN = 'it is a name of the platform itself';
const notPublic = (suffix: string): string => `names in .${suffix} are not on the public internet`;
const suffix = (name: string): string => `under ${name} others register names: name a domain below it`;

const BAD: readonly (readonly [written: string, message: string])[] = [
  ['', 'name a domain, such as shop.example.com'],
  ['   ', 'name a domain, such as shop.example.com'],
  ['https://shop.example.com', SCHEME],
  ['ftp://shop.example.com', SCHEME],
  ['javascript://shop.example.com', SCHEME],
  ['shop.example.com/', PATH],
  ['shop.example.com/cart', PATH],
  ['shop.example.com?x=1', PATH],
  ['shop.example.com#top', PATH],
  ['shop\\example.com', PATH],
  ['//shop.example.com', PATH],
  ['shop.example.com:443', PORT],
  ['shop.example.com:', PORT],
  ['ada@example.com', USER],
  ['user:secret@example.com', USER],
  ['*.example.com', WILDCARD],
  ['*', WILDCARD],
  ['shop.*.com', WILDCARD],
  ['shop .example.com', BLANK],
  ['shop\texample.com', BLANK],
  ['shop.example.com\nx.example.com', BLANK],
  ['shop\u00a0.example.com', BLANK],
  ['shop\u200b.example.com', INVISIBLE],
  ['shop\u202e.example.com', INVISIBLE],
  ['shop\u0000.example.com', INVISIBLE],
  ['sho\u00adp.example.com', INVISIBLE],
  ['shop_1.example.com', UNDERSCORE],
  ['_fairlead.example.com', UNDERSCORE],
  ['shop%2eexample.com', 'write the name itself, without percent-encoding'],
  ['shop!.example.com', CHARACTER],
  ["shop'.example.com", CHARACTER],
  ['shop,example.com', CHARACTER],
  ['shop.example.com;', CHARACTER],
  ['<script>.example.com', CHARACTER],
  ['$(id).example.com', CHARACTER],
  ['.example.com', 'it begins with a dot'],
  ['.', 'it begins with a dot'],
  ['shop..example.com', NOTHING_BETWEEN],
  ['shop.example.com..', NOTHING_BETWEEN],
  ['-shop.example.com', HYPHEN],
  ['shop-.example.com', HYPHEN],
  ['ab--cd.example.com', RESERVED],
  ['xn--.example.com', HYPHEN],
  ['xn--a\u00fc.example.com', SPELLING],
  [`${long(64)}.example.com`, LONG_LABEL],
  [`${`${long(60)}.`.repeat(4)}example.com`, TOO_LONG],
  [long(2_001), TOO_LONG],
  ['192.0.2.7', ADDRESS],
  ['2130706433', ADDRESS],
  ['0x7f.1', ADDRESS],
  ['127.1', ADDRESS],
  ['[2001:db8::7]', ADDRESS],
  ['2001:db8::7', ADDRESS],
  ['::1', ADDRESS],
  ['example', WORD],
  ['localhost', WORD],
  ['com', WORD],
  ['shop.localhost', notPublic('localhost')],
  ['shop.local', notPublic('local')],
  ['shop.test', notPublic('test')],
  ['shop.example', notPublic('example')],
  ['metadata.google.internal', notPublic('internal')],
  ['shop.home.arpa', notPublic('arpa')],
  ['facebookwkhpilnemxj7.onion', notPublic('onion')],
  ['co.uk', suffix('co.uk')],
  ['github.io', suffix('github.io')],
  ['shop.example.notatld', 'there is no top-level domain .notatld'],
  ['apps.fairlead.dev', PLATFORMS],
  ['shop.apps.fairlead.dev', PLATFORMS],
  ['SHOP.Apps.Fairlead.DEV.', PLATFORMS],
  ['login.fairlead.dev', OWN],
  ['Customers.edge-host.net', OWN],
  ['console.fairlead.dev', OWN],
];

const GOOD: readonly (readonly [written: string, domain: string, apex: string])[] = [
  ['shop.example.com', 'shop.example.com', 'example.com'],
  ['  Shop.Example.COM. ', 'shop.example.com', 'example.com'],
  ['example.com', 'example.com', 'example.com'],
  ['www.example.co.uk', 'www.example.co.uk', 'example.co.uk'],
  ['acme.github.io', 'acme.github.io', 'acme.github.io'],
  ['b\u00fccher.example.com', 'xn--bcher-kva.example.com', 'example.com'],
  ['xn--bcher-kva.example.com', 'xn--bcher-kva.example.com', 'example.com'],
  ['\u4f8b\u3048\u3002jp', 'xn--r8jz45g.jp', 'xn--r8jz45g.jp'],
  ['shop.\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444', 'shop.xn--e1afmkfd.xn--p1ai', 'xn--e1afmkfd.xn--p1ai'],
  ['1.example.com', '1.example.com', 'example.com'],
  ['notapps.fairlead.dev', 'notapps.fairlead.dev', 'fairlead.dev'],
];

describe('readDomainName', () => {
  it('has sixty bad names to refuse', () => assert.ok(BAD.length >= 60));

  for (const [written, message] of BAD) {
    const shown = written.length > 60 ? `${written.slice(0, 20)}… (${written.length})` : JSON.stringify(written);
    it(`refuses ${shown}: ${message}`, () => {
      assert.deepEqual(readDomainName(written, PLATFORM), { refused: message });
    });
  }

  for (const [written, domain, apex] of GOOD) {
    it(`takes ${JSON.stringify(written)} as ${domain}`, () => {
      assert.deepEqual(readDomainName(written, PLATFORM), { name: { domain, apex } });
    });
  }
});
