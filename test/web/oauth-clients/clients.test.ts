import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { TokenVerifier } from '../../../sdk/index.ts';
import {
  type ConsolePeople,
  createConsolePeople,
  submitted,
  verifierOf,
  wordsOf,
} from '../../support/console-people.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';
import { KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';

/** The pages before the real builder and the real provider. */
describe('the pages of clients', () => {
  let idp: TestIdp;
  let api: TestApi;
  let verifier: TokenVerifier;
  let people: ConsolePeople;
  let ann: UserRecord;
  let ben: UserRecord;
  let eve: UserRecord;
  before(async () => {
    idp = await startIdp();
    verifier = verifierOf(idp, 'builder');
    const clients = createClientAdministration({ url: idp.address, internalKey: KEY });
    api = await startApi({ verifier, issuer: idp.issuer }, clients);
    people = createConsolePeople(idp, { builder: api.address });
    for (const org of ['acme', 'rival']) await idp.seedOrg(org);
    ann = await idp.seedUser('ann@acme.example', { org: 'acme', orgRoles: ['admin'] });
    ben = await idp.seedUser('ben@acme.example', { org: 'acme', orgRoles: ['viewer'] });
    eve = await idp.seedUser('eve@rival.example', { org: 'rival', orgRoles: ['admin'] });
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    await idp.seedClient('shop-prod', {
      ...{ orgSlug: 'acme', service: 'shop', environment: 'prod', name: '<i>shop</i>\u202e' },
      redirectUris: ['https://shop.example/callback'],
      allowedScopes: ['openid', 'stock:read'],
    });
    await idp.seedClient('rival-app', { orgSlug: 'rival', name: 'Secret project' });
  });
  after(async () => {
    await people?.stop();
    verifier?.close();
    await api?.stop();
    await idp?.stop();
  });

  const stored = async (clientId: string) => await idp.deps.clients.find(clientId);

  it('list the clients of the org alone, and show one with its addresses, scopes and the state of its secrets', async () => {
    const browser = await people.browserOf(ben);
    const list = await browser.get('/clients');
    assert.match(list.text, /href="\/clients\/shop-prod">&lt;i&gt;shop&lt;\/i&gt;⟦U\+202E⟧/);
    assert.doesNotMatch(list.text, /rival-app|Secret project|<i>shop/);
    const { text } = await browser.get('/clients/shop-prod');
    assert.match(text, /https:\/\/shop\.example\/callback/);
    assert.match(text, /stock:read/);
    assert.match(text, /One secret/);
    const kept = await stored('shop-prod');
    assert.equal(text.includes(kept?.secrets[0]?.hash ?? 'no secret'), false);
  });

  it('show a viewer no form, and refuse theirs', async () => {
    const browser = await people.browserOf(ben);
    for (const page of ['/clients', '/clients/shop-prod']) {
      assert.doesNotMatch((await browser.get(page)).text, /action="\/clients/, page);
    }
    const sent = await browser.submit('/clients', '/clients/shop-prod/secrets/replace');
    assert.equal(sent.status, 403);
  });

  it('answer 404 for every address of a client of another org, and change nothing', async () => {
    const browser = await people.browserOf(eve);
    const { status, text } = await browser.get('/clients/shop-prod');
    assert.equal(status, 404);
    assert.doesNotMatch(text, /shop\.example|acme/);
    const before = await stored('shop-prod');
    const forms: readonly (readonly [string, Record<string, string>])[] = [
      ['redirect-uris', { redirectUri: 'https://evil.example/callback' }],
      ['redirect-uris/remove', { redirectUri: 'https://shop.example/callback' }],
      ['secrets', {}],
      ['secrets/replace', {}],
      [`secrets/${before?.secrets[0]?.id}/remove`, {}],
      [
        'settings',
        {
          name: 'x',
          description: '',
          postLogoutRedirectUris: '',
          accessTokenTtlSeconds: '60',
          refreshTokenTtlSeconds: '3600',
        },
      ],
      ['remove', {}],
    ];
    for (const [rest, fields] of forms) {
      const landed = await submitted(browser, '/clients', `/clients/shop-prod/${rest}`, fields);
      assert.match(wordsOf(landed), /There is nothing here/, rest);
    }
    assert.deepEqual(await stored('shop-prod'), before);
  });

  it('show a new secret once, in the answer to the form, and nowhere else', async () => {
    const browser = await people.browserOf(ann);
    const page = '/clients/shop-prod';
    const second = await browser.submit(page, `${page}/secrets`);
    assert.equal(second.status, 200);
    assert.equal(second.headers.get('cache-control'), 'no-store');
    const [secret = ''] = /flcs_[\w-]{20,}/.exec(second.text) ?? [];
    assert.ok(secret !== '');
    const { text } = await browser.get(page);
    assert.match(text, /Two secrets/);
    assert.equal(text.includes(secret), false);
    assert.equal(
      [browser.logged, api.logged, idp.logged, [...browser.cookies.values()]].flat().join().includes(secret),
      false,
    );
    const full = await submitted(browser, page, `${page}/secrets`);
    assert.match(wordsOf(full), /secret/i);
    assert.equal((await stored('shop-prod'))?.secrets.length, 2);
    const replaced = await browser.submit(page, `${page}/secrets/replace`);
    assert.match(replaced.text, /flcs_/);
    assert.equal((await stored('shop-prod'))?.secrets.length, 1);
    const [last] = (await stored('shop-prod'))?.secrets ?? [];
    assert.match(await submitted(browser, page, `${page}/secrets/${last?.id}/remove`), /No secret/);
  });

  it('register and remove redirect URIs; a wrong one is shown with its reason', async () => {
    const browser = await people.browserOf(ann);
    const page = '/clients/shop-prod';
    const wrong = await submitted(browser, page, `${page}/redirect-uris`, { redirectUri: 'javascript:alert(1)' });
    assert.match(wrong, /value="javascript:alert\(1\)"/);
    assert.match(wrong, /role="alert"/);
    const added = { redirectUri: 'http://localhost:4000/api/auth/callback' };
    await submitted(browser, page, `${page}/redirect-uris`, added);
    assert.ok((await stored('shop-prod'))?.redirectUris.includes(added.redirectUri));
    await submitted(browser, page, `${page}/redirect-uris/remove`, added);
    assert.equal((await stored('shop-prod'))?.redirectUris.includes(added.redirectUri), false);
  });

  it('make a client with its secret, a public one without, change and remove it', async () => {
    const browser = await people.browserOf(ann);
    const made = await browser.submit('/clients', '/clients', {
      ...{ name: 'Reports', clientType: 'confidential', redirectUris: 'https://a.example/x\nhttps://b.example/y' },
    });
    assert.match(made.text, /flcs_/);
    const [, clientId = ''] = /<code>(reports-\w+)<\/code>/.exec(made.text) ?? [];
    const page = `/clients/${clientId}`;
    assert.equal((await stored(clientId))?.redirectUris.length, 2);
    const settings = { name: 'Reports 2', description: '', postLogoutRedirectUris: '', refreshTokenTtlSeconds: '3600' };
    const wrong = await submitted(browser, page, `${page}/settings`, { ...settings, accessTokenTtlSeconds: '9' });
    assert.match(wrong, /value="9"[^>]*aria-invalid="true"/);
    await submitted(browser, page, `${page}/settings`, { ...settings, accessTokenTtlSeconds: '600' });
    assert.equal((await stored(clientId))?.name, 'Reports 2');
    assert.match(await submitted(browser, page, `${page}/remove`), new RegExp(`${clientId} is removed`));
    assert.equal(await stored(clientId), null);
    const open = { name: 'Phone', clientType: 'public', redirectUris: '' };
    assert.match(await submitted(browser, '/clients', '/clients', open), /It needs no secret/);
  });

  it('say that the platform’s own clients cannot be changed, to those who see them', async () => {
    const root = await idp.seedUser('root@platform.example', { org: 'platform', platformRoles: ['super_admin'] });
    const browser = await people.browserOf(root);
    const { text } = await browser.get('/clients/fairlead-cli');
    assert.match(text, /the platform&#39;s own|the platform's own/);
    assert.doesNotMatch(text, /action="\/clients/);
  });
});
