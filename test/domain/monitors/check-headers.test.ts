import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headersProblem, isHeaderValue, MOST_PLAIN_HEADER_BYTES } from '../../../domain/monitors/check-headers.ts';
import {
  type CheckSecret,
  MOST_SECRETS,
  sendingProblem,
  withoutSecret,
  withSecret,
} from '../../../domain/monitors/check-secret.ts';
import { checkSecretSchema, headersSchema } from '../../../domain/monitors/header-schema.ts';
import { headersToSend, type OpenedSecret } from '../../../domain/monitors/headers-to-send.ts';
import { platformHosts } from '../../../domain/monitors/platform-host.ts';
import { storedCheckSchema } from '../../../domain/monitors/schema.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

const isPlatformHost = platformHosts('apps.test');
const plain = (name: string, value = 'x') => ({ name, value });
const secret = (name: string, of: string) => ({ name, secret: of });

describe('request headers of a check', () => {
  it('are those that are its own: none that leads the request elsewhere, or frames it', () => {
    for (const name of [
      ...['Host', 'Connection', 'keep-alive', 'Proxy-Authorization', 'proxy-connection', 'TE', 'Trailer', 'Upgrade'],
      ...['Transfer-Encoding', 'Content-Length', 'Expect', 'Accept-Encoding', 'Forwarded', 'X-Forwarded-Host'],
      ...['X-Host', 'x-original-host', 'X-HTTP-Host-Override'],
    ]) {
      assert.match(headersProblem([plain(name)]) ?? '', new RegExp(`^${name} is set by the check`), name);
    }
    assert.equal(
      headersProblem([plain('Accept'), plain('X-Tenant'), plain('User-Agent'), secret('Authorization', 'a')]),
      null,
    );
  });

  it('have a value of their own each, and credentials are secrets', () => {
    assert.match(headersProblem([plain('X-A'), plain('x-a')]) ?? '', /x-a is there twice|X-A is there twice/);
    for (const name of ['Authorization', 'cookie', 'X-API-Key', 'x-auth-token']) {
      const problem = headersProblem([plain(name, 'Bearer s3cret')]) ?? '';
      assert.match(problem, /takes a secret/);
      assert.doesNotMatch(problem, /s3cret/);
    }
  });

  it('are bounded in number, in bytes and in secrets', () => {
    const many = Array.from({ length: 17 }, (_, index) => plain(`X-${index}`));
    assert.equal(headersSchema.safeParse(many).success, false);
    assert.equal(headersSchema.safeParse(many.slice(1)).success, true);
    const wide = many.slice(0, 5).map(({ name }) => plain(name, 'y'.repeat(1_000)));
    assert.match(headersProblem(wide) ?? '', new RegExp(`more than ${MOST_PLAIN_HEADER_BYTES} bytes`));
    assert.equal(headersProblem(wide.slice(1)), null);
    const secrets = ['A', 'B', 'C', 'D'].map((name) => secret(`X-${name}`, 'a'));
    assert.match(headersProblem(secrets) ?? '', /at most 3/);
    assert.equal(headersProblem(secrets.slice(1)), null);
  });

  it('have no line break, in name or value', () => {
    for (const text of ['a\r\nX-Other: 1', 'a\nb', 'a\rb', 'a\0b', ' a', 'a ', 'ä', '']) {
      assert.equal(isHeaderValue(text), false, JSON.stringify(text));
      assert.equal(headersSchema.safeParse([plain('X-A', text)]).success, false);
      assert.equal(checkSecretSchema.safeParse({ value: text, hosts: ['a.example'] }).success, false);
    }
    for (const name of ['X A', 'X:A', 'X-A\r\n', 'Ä', '', 'x'.repeat(65)]) {
      assert.equal(headersSchema.safeParse([plain(name)]).success, false, name);
    }
    assert.equal(isHeaderValue('Bearer a b\tc'), true);
    assert.equal(headersSchema.safeParse([plain('X-A', '********')]).success, false, 'what viewers are shown');
  });
});

describe('a secret of checks', () => {
  const token = { name: 'token', hosts: ['api.example.com', 'shop.apps.test:8000'] };
  const at = (url: string) => sendingProblem(token, { url }, isPlatformHost);

  it('is sent to its hosts alone, by https, or by plain http to an address of the platform', () => {
    assert.equal(at('https://api.example.com/health'), null);
    assert.equal(at('http://shop.apps.test:8000/'), null);
    assert.match(at('http://api.example.com/health') ?? '', /is sent by https/);
    for (const url of [
      ...['https://evil.example/', 'https://api.example.com:8443/', 'https://api.example.com.evil.example/'],
      ...['https://x.api.example.com/', 'http://shop.apps.test/', 'https://other.apps.test:8000/'],
    ]) {
      assert.match(at(url) ?? '', /is not for/, url);
    }
  });

  it('names hosts as addresses do', () => {
    const hostsOf = (...hosts: string[]) => checkSecretSchema.safeParse({ value: 'x', hosts }).data?.hosts;
    assert.deepEqual(hostsOf('API.example.com', 'api.example.com:443'), ['api.example.com']);
    assert.deepEqual(hostsOf('b.example:8443', 'a.example'), ['a.example', 'b.example:8443']);
    for (const host of ['', 'a b', 'https://a.example', 'a.example/x', 'u@a.example', 'a.example?x', 'a.example:0x']) {
      assert.equal(hostsOf(host), undefined, host);
    }
    assert.equal(hostsOf(), undefined);
    assert.equal(hostsOf(...Array.from({ length: 11 }, (_, index) => `a${index}.example`)), undefined);
  });

  it('is one of so many of its org; setting one that is there takes no place', () => {
    const of = (name: string): CheckSecret => ({
      ...{ name, hosts: ['a.example'], sealed: { keyId: 'k', sealed: 's' } },
      ...{ setAt: new Date(0), setBy: 'usr_ada' },
    });
    const secrets = Array.from({ length: MOST_SECRETS }, (_, index) => of(`s-${index}`));
    const full = { org: 'acme', secrets, revision: 7 };
    assert.equal(withSecret(full, of('one-more')), null);
    const next = withSecret(full, { ...of('s-1'), hosts: ['b.example'] });
    assert.deepEqual([next?.secrets.length, next?.revision], [MOST_SECRETS, 8]);
    assert.deepEqual(next?.secrets.find(({ name }) => name === 's-1')?.hosts, ['b.example']);
    assert.equal(withoutSecret(full, 's-1').secrets.length, MOST_SECRETS - 1);
  });

  it('keeps a check from being made where it is not there, is for another host, or cannot be opened', () => {
    const { check } = monitorRecord(1);
    const sent = (opened: readonly OpenedSecret[], url = 'https://api.example.com/') => {
      const headers = [plain('X-Tenant', 'acme'), secret('Authorization', 'token')];
      const asked = { ...check, kind: 'http' as const, method: 'GET' as const, url, headers };
      const all = { ...{ expectStatus: null, expectBodyContains: null, json: null, latencyBudgetMs: null }, ...asked };
      return headersToSend(all, new Map(opened.map((each) => [each.name, each])), isPlatformHost);
    };
    assert.deepEqual(sent([{ ...token, value: 'Bearer s3cret' }]), {
      send: { 'x-tenant': 'acme', authorization: 'Bearer s3cret' },
    });
    const refusals = [
      [sent([]), /Authorization is not sent: there is no secret token/],
      [sent([{ ...token, value: null }]), /set the secret token again/],
      [sent([{ ...token, value: 'Bearer s3cret' }], 'https://evil.example/'), /is not for evil\.example/],
      [sent([{ ...token, value: 'Bearer s3cret' }], 'http://api.example.com/'), /by https/],
    ] as const;
    for (const [found, words] of refusals) {
      assert.match(JSON.stringify(found), words);
      assert.doesNotMatch(JSON.stringify(found), /s3cret/);
    }
    assert.equal(headersToSend(check, new Map(), isPlatformHost), undefined);
  });
});

describe('headers that are on record', () => {
  const stored = (headers: readonly object[]) => {
    const { check } = monitorRecord(1);
    const all = { ...{ expectStatus: null, expectBodyContains: null, json: null, latencyBudgetMs: null }, ...check };
    const read = storedCheckSchema.parse({
      ...all,
      kind: 'http',
      method: 'GET',
      url: 'https://api.example.com/',
      headers,
    });
    return headersToSend(read, new Map([['token', { ...token, value: 'Bearer s3cret' }]]), isPlatformHost);
  };
  const token = { name: 'token', hosts: ['api.example.com'] };

  it('are read whatever they are, and not sent where a check could not be given them now', () => {
    for (const [header, words] of [
      [{ name: 'Host', value: 'evil.example' }, /Host is set by the check itself/],
      [{ name: 'X-A', value: 'a\r\nHost: evil.example' }, /one of them is none/],
      [{ name: 'X-A: b\r\nHost', secret: 'token' }, /one of them is none/],
    ] as const) {
      const found = JSON.stringify(stored([header, { name: 'Authorization', secret: 'token' }]));
      assert.match(found, /^\{"refused":"its headers are not sent: /);
      assert.match(found, words);
      assert.doesNotMatch(found, /s3cret|evil/);
    }
  });

  it('are all sent, also those of a name that objects have', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const found = stored([...names.slice(1).map((name) => plain(name)), secret('__proto__', 'token')]);
    const sent = Object.entries(found !== undefined && 'send' in found ? found.send : {});
    assert.deepEqual(sent, [
      ['constructor', 'x'],
      ['tostring', 'x'],
      ['__proto__', 'Bearer s3cret'],
    ]);
  });
});
