import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import { checkRedirectUri, serviceCallback } from '../../../domain/oauth-clients/redirect-uri.ts';

const OWN = { service: null };
const SERVICE = { service: 'shop' };

const refused = (uri: string, client: { service: string | null }, why: RegExp) =>
  assert.throws(
    () => checkRedirectUri(uri, client),
    (error: unknown) => {
      assert.ok(error instanceof FairleadError && error.code === 'INVALID_REDIRECT_URI', String(error));
      assert.match(error.message, /^Invalid Redirect URI: /);
      assert.match(error.message, why);
      return true;
    },
    uri,
  );

describe('redirect URIs', () => {
  for (const [given, stored] of [
    ['https://shop.example/cb', 'https://shop.example/cb'],
    ['HTTPS://Shop.Example:443/cb', 'https://shop.example/cb'],
    ['https://shop.example', 'https://shop.example'],
    ['https://shop.example/', 'https://shop.example/'],
    ['https://shop.example/cb?tenant=1', 'https://shop.example/cb?tenant=1'],
    ['https://shop.example:8443/@me', 'https://shop.example:8443/@me'],
    ['http://127.0.0.1:51004/callback', 'http://127.0.0.1:51004/callback'],
    ['http://[::1]/callback', 'http://[::1]/callback'],
    ['http://localhost:3000/cb', 'http://localhost:3000/cb'],
    ['http://shop.prod.localhost:8000/cb', 'http://shop.prod.localhost:8000/cb'],
  ] as const) {
    it(`${given} is stored as ${stored}`, () => assert.equal(checkRedirectUri(given, OWN), stored));
  }

  for (const [uri, why] of [
    ['http://shop.example/cb', /must be https/],
    ['http://localhost.shop.example/cb', /must be https/],
    ['http://127.0.0.1.shop.example/cb', /must be https/],
    ['http://notlocalhost/cb', /must be https/],
    ['https://shop.example/cb#token', /fragment/],
    ['https://shop.example/cb#', /fragment/],
    ['https://me:pass@shop.example/cb', /user information/],
    ['https://@shop.example/cb', /user information/],
    ['https://*.shop.example/cb', /wildcard/],
    ['https://shop.example/*', /wildcard/],
    ['https://shop.example/a/../cb', /dot segments/],
    ['https://shop.example/a/%2e%2E/cb', /dot segments/],
    ['https://shop.example\\@evil.example/cb', /backslash/],
    ['https://shop.example/ cb', /blank/],
    ['https://shop.example/\ncb', /blank/],
    ['https://shöp.example/cb', /to be encoded/],
    ['javascript:alert(1)', /https:\/\//],
    ['data:text/html,x', /https:\/\//],
    ['ftp://shop.example/cb', /https:\/\//],
    ['com.example.app:/cb', /https:\/\//],
    ['//shop.example/cb', /absolute/],
    ['/cb', /absolute/],
    ['https:shop.example/cb', /https:\/\//],
    ['', /absolute/],
    [`https://shop.example/${'x'.repeat(2_000)}`, /longer/],
  ] as const) {
    it(`${JSON.stringify(uri.slice(0, 60))} is refused`, () => refused(uri, OWN, why));
  }

  it('an error repeats nothing of the URI, which may hold a credential', () => {
    for (const uri of ['https://me:hunter2hunter2@shop.example/cb', 'http://shop.example/cb?token=hunter2hunter2']) {
      assert.throws(
        () => checkRedirectUri(uri, OWN),
        (error: Error) => !error.message.includes('hunter2'),
      );
    }
  });

  it('a service has one callback path, on whatever host', () => {
    for (const host of ['https://shop.example', 'https://shop.customer.example:8443', 'http://localhost:3000']) {
      assert.equal(checkRedirectUri(`${host}/api/auth/callback`, SERVICE), `${host}/api/auth/callback`);
      for (const path of [
        '',
        '/',
        '/callback',
        '/api/auth/callback/',
        '/api/auth/Callback',
        '/api/auth/callback?a=1',
      ]) {
        refused(`${host}${path}`, SERVICE, /callback path of a service is \/api\/auth\/callback, exactly/);
      }
    }
    refused('https://shop.example/api/auth/callback?', SERVICE, /exactly/);
  });

  it('the callback of a service follows its public address, and there is none on plain http', () => {
    assert.equal(serviceCallback('https://shop.apps.example'), 'https://shop.apps.example/api/auth/callback');
    assert.equal(serviceCallback('http://shop.localhost:8000'), 'http://shop.localhost:8000/api/auth/callback');
    assert.equal(serviceCallback('http://shop.apps.example'), null);
  });
});
