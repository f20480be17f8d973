import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import ipaddr from 'ipaddr.js';
import { SITE_POLICY } from '../../../adapters/http-fetch/fetch-policy.ts';
import { createGuardedFetch } from '../../../adapters/http-fetch/guarded-fetch.ts';
import type { Lookup } from '../../../adapters/public-address.ts';
import {
  FORMS_IN_IPV6,
  FORMS_OF_HOST,
  INNER_IPV4,
  INNER_IPV6,
  octetsOf,
  PUBLIC_IPV4,
  PUBLIC_IPV6,
} from './address-forms.ts';
import { type LocalSite, startLocalSite } from './local-site.ts';

let site: LocalSite;
before(async () => {
  site = await startLocalSite((_request, response) => response.end('here'));
});
after(() => site[Symbol.asyncDispose]());

const unused: Lookup = async (hostname) => assert.fail(`${hostname} was looked up`);
const fetchFrom = (url: string, lookup: Lookup) =>
  createGuardedFetch({
    policy: SITE_POLICY,
    dialler: site.dialler,
    lookup,
    timeoutMs: 10_000,
    mostBytes: 1_000,
  })({ method: 'GET', url, headers: {} });

/** Addresses and tricks of which none got through. */
const refused = new Set<string>();

async function isRefused(url: string, lookup: Lookup = unused): Promise<void> {
  const before = site.dialled.length;
  await assert.rejects(fetchFrom(url, lookup), { code: 'SOURCE_REFUSED' }, url);
  assert.equal(site.dialled.length, before, `a socket was made for ${url}`);
  refused.add(url);
}

describe('the corpus', () => {
  it('has at least 150 addresses that are not the public internet, and 100 that are, none of them twice', () => {
    const inner = [...INNER_IPV4, ...INNER_IPV6];
    const open = [...PUBLIC_IPV4, ...PUBLIC_IPV6];
    const all = [...inner, ...open].map((address) => ipaddr.parse(address).toNormalizedString());
    assert.equal(new Set(all).size, all.length);
    assert.ok(inner.length >= 150 && open.length >= 100, `${inner.length} inner and ${open.length} public ones`);
  });
});

it("this machine's own public address is fetched at the ports of the web alone", async () => {
  const fetch = createGuardedFetch({
    ...{ policy: { ...SITE_POLICY, ports: null }, dialler: site.dialler, timeoutMs: 10_000, mostBytes: 1_000 },
    lookup: async () => [{ address: '93.184.215.14' }],
    isOwn: (address) => address === '93.184.215.14',
  });
  const at = (url: string) => fetch({ method: 'GET', url, headers: {} });
  assert.equal((await at('http://own.example/')).status, 200);
  for (const host of ['own.example', '93.184.215.14']) {
    await assert.rejects(at(`http://${host}:8080/`), { code: 'SOURCE_REFUSED' });
    await assert.rejects(at(`https://${host}:9000/`), { code: 'SOURCE_REFUSED' });
  }
});

describe('the host of an address', () => {
  for (const [form, write] of FORMS_OF_HOST) {
    it(`is refused where it is an inner IPv4 address written as ${form}`, async () => {
      for (const address of INNER_IPV4) await isRefused(`http://${write(octetsOf(address))}/`);
    });
  }

  for (const [form, write] of FORMS_IN_IPV6) {
    it(`is refused where it is an IPv6 address that leads to an inner IPv4 address: ${form}`, async () => {
      for (const address of INNER_IPV4) await isRefused(`http://[${write(octetsOf(address))}]/`);
    });
  }

  it('is refused where it is an inner IPv6 address', async () => {
    for (const address of INNER_IPV6) await isRefused(`http://[${address}]/`);
  });

  it('is fetched where it is a public address, of which one written in any way is the same', async () => {
    const [first = ''] = PUBLIC_IPV4;
    const urls = [
      ...PUBLIC_IPV4.flatMap((address, index) => {
        const forms = index < 10 ? FORMS_OF_HOST : FORMS_OF_HOST.slice(0, 1);
        return forms.map(([, write]) => `http://${write(octetsOf(address))}/`);
      }),
      `http://[::ffff:${first}]/`,
      ...PUBLIC_IPV6.map((address) => `http://[${address}]/`),
    ];
    assert.ok(new Set(urls).size >= 200);
    for (const url of urls) assert.equal((await fetchFrom(url, unused)).text, 'here', url);
  });
});

describe('the addresses that a name resolves to', () => {
  const inner = [
    ...INNER_IPV4,
    ...INNER_IPV6,
    ...FORMS_IN_IPV6.map(([, write]) => write([127, 0, 0, 1])),
    'fe80::1%eth0',
    '127.1',
    'localhost',
    '',
  ];

  it('are refused when one of them is not public, wherever it stands among others', async () => {
    for (const address of inner) {
      for (const found of [[address], ['1.1.1.1', address], [address, '1.1.1.1'], ['2600::1', address, '1.1.1.1']]) {
        await isRefused('http://site.example/', async () => found.map((each) => ({ address: each })));
      }
    }
  });

  it('are those that are connected to: the name is not asked a second time', async () => {
    const answers = [['93.184.215.14', '2600::1'], ['127.0.0.1']];
    const answer = await fetchFrom('http://site.example/', async () =>
      (answers.shift() ?? assert.fail('asked again')).map((address) => ({ address })),
    );
    assert.equal(answer.text, 'here');
    assert.deepEqual(site.dialled.at(-1)?.addresses, ['93.184.215.14', '2600::1']);
    assert.equal(answers.length, 1);
  });

  it('are asked for again with each new connection, so that a name that turns inwards later is refused', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1']];
    const turning: Lookup = async () => (answers.shift() ?? []).map((address) => ({ address }));
    await fetchFrom('http://site.example/', turning);
    await isRefused('http://site.example/', turning);
  });

  for (const name of ['localhost', 'localhost.', 'LOCALHOST', 'ip6-localhost']) {
    it(`are refused for ${name}, as this machine resolves it`, async () => {
      const found = name.toLowerCase().startsWith('localhost') ? '127.0.0.1' : '::1';
      await isRefused(`http://${name}/`, async () => [{ address: found }]);
    });
  }
});

describe('an address', () => {
  for (const [why, url] of [
    ['of a port that serves no pages', 'http://1.1.1.1:22/'],
    ['of the port of a mail server', 'http://1.1.1.1:25/'],
    ['of the port of a database', 'https://1.1.1.1:6379/'],
    ['of the port of a container engine', 'http://1.1.1.1:2375/'],
    ['of port 0', 'http://1.1.1.1:0/'],
    ['with a name and a password', 'http://person:password@1.1.1.1/'],
    ['with a name', 'http://person@1.1.1.1/'],
    ['with a name that looks like a host', 'http://1.1.1.1#@127.0.0.1/'.replace('#', '%23')],
    ['of a file', 'file:///etc/passwd'],
    ['by FTP', 'ftp://1.1.1.1/'],
    ['by gopher', 'gopher://1.1.1.1/'],
    ['of a script', 'javascript:alert(1)'],
    ['that is data itself', 'data:text/plain,here'],
    ['of a blob', 'blob:http://1.1.1.1/1'],
    ['of a socket', 'unix:///var/run/docker.sock'],
    ['by WebSocket', 'ws://1.1.1.1/'],
    ['without a scheme', '1.1.1.1/'],
    ['of a path alone', '/etc/passwd'],
    ['of nothing', ''],
    ['with a zone', 'http://[fe80::1%25eth0]/'],
    ['with a space in its host', 'http://1.1.1.1 .example/'],
    ['of an IPv4 address that is none', 'http://256.1.1.1/'],
    ['of an IPv4 address of five parts', 'http://1.1.1.1.1/'],
  ] as const) {
    it(`${why} is refused`, () => isRefused(url));
  }

  it('is told without its path, query and credentials when it is refused', async () => {
    for (const url of ['http://person:secret@1.1.1.1/secret?secret', 'ftp://1.1.1.1/secret', 'http://[secret/']) {
      await assert.rejects(fetchFrom(url, unused), (error: Error) => {
        assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, /secret/);
        return true;
      });
    }
  });
});

// Behind all others: what is not refused fails its own test, and that they ran is counted here.
it('1,000 addresses and tricks of this file were refused', () => {
  assert.ok(refused.size >= 1_000, `${refused.size} were`);
});
