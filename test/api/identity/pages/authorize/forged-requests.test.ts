import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { answerOf, authorizePath, createBrowser, hiddenFields, type Page } from '../browse.ts';
import { EMAIL, PASSWORD, REDIRECT, startAuthorize, type TestAuthorize } from './start-authorize.ts';

describe('authorization requests as an attack', () => {
  let idp: TestAuthorize['idp'];
  let ada: TestAuthorize['ada'];
  let shop: TestAuthorize['shop'];
  let trusted: TestAuthorize['trusted'];
  let ask: TestAuthorize['ask'];
  before(async () => {
    ({ idp, ada, shop, trusted, ask } = await startAuthorize());
  });
  after(() => idp.stop());

  describe('the consent form', () => {
    it('is refused from elsewhere, and then nothing is agreed to', async () => {
      const user = await idp.seedUser('csrf@example.com', { password: PASSWORD });
      const browser = createBrowser(idp);
      await browser.logIn(user.email, PASSWORD);
      const consent = await ask(shop(), browser);
      const foreign = await ask(shop({ prompt: 'consent' }));
      const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
        browser.submit(consent, '/oauth/authorize/decision', { decision: 'allow', ...fields }, headers);
      const attempts = [
        await send({ csrf: '' }),
        await send({ csrf: /name="csrf" value="([^"]+)"/.exec(foreign.html)?.[1] ?? '' }),
        await send({}, { 'sec-fetch-site': 'cross-site' }),
        await send({}, { origin: 'https://shop.example' }),
      ];
      assert.deepEqual(
        attempts.map(({ status }) => status),
        [403, 403, 403, 403],
      );
      assert.deepEqual(await idp.deps.consents.find(user.id, 'shop-prod'), []);
    });

    it('judges the request it carries anew', async () => {
      const consent = await ask(shop({ prompt: 'consent' }));
      const request = (path: string): string => path.split('?')[1] ?? '';
      const send = (path: string) =>
        ada.submit(consent, '/oauth/authorize/decision', { decision: 'allow', request: request(path) });
      const evil = await send(shop({ redirect_uri: 'https://evil.example/' }));
      assert.equal(evil.title, 'Invalid Redirect URI');
      assert.equal(answerOf(await send(shop({ scope: 'admin:all' }))).error, 'invalid_scope');
    });
  });

  describe('what is reflected', () => {
    const XSS = '"><script>alert(1)</script><img src=x onerror=alert(1)>\'`';

    it('is text in every field and never markup', async () => {
      await idp.seedClient('xss', {
        name: XSS,
        redirectUris: [REDIRECT],
        whiteLabel: { emailFromName: XSS, logoUrl: 'https://cdn.example/"onerror="alert(1)', primaryColor: '#zzz' },
      });
      const parameters = { client_id: 'xss', redirect_uri: REDIRECT, state: XSS, nonce: XSS, login_hint: XSS };
      const pages = [
        await createBrowser(idp).open(authorizePath(parameters)),
        await ask(authorizePath({ ...parameters, prompt: 'consent' })),
        await ask(shop({ redirect_uri: XSS })),
        await ask(shop({ client_id: XSS })),
        await createBrowser(idp).open(`/login?notice=${encodeURIComponent(XSS)}&return_to=${encodeURIComponent(XSS)}`),
      ];
      for (const { html } of pages) {
        assert.doesNotMatch(html, /<script>|<img src=x/);
        assert.doesNotMatch(html, /onerror="alert/);
      }
    });

    it('comes back to the client as it was sent, and an error description without quotes', async () => {
      assert.equal(answerOf(await ask(trusted({ state: XSS }))).state, XSS);
      const { error_description: description = '' } = answerOf(await ask(shop({ scope: 'openid "x' })));
      assert.doesNotMatch(description, /"/);
    });
  });

  it('does not follow the Host header: issuer, redirects and mailed links stay those of the installation', async () => {
    const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const code = await sendRaw(idp.address + trusted(), { ...evil, cookie });
    assert.equal(new URL(code.location).searchParams.get('iss'), idp.issuer);
    const login = await sendRaw(idp.address + trusted(), evil);
    assert.match(login.location, /^\/login\?return_to=/);
    const browser = createBrowser(idp);
    const { csrf = '' } = hiddenFields(await browser.open('/login'), '/login');
    const visit = `fl-visit=${browser.cookies.get('fl-visit')}`;
    const body = new URLSearchParams({ csrf, email: EMAIL }).toString();
    const sent = await sendRaw(`${idp.address}/login/link`, { ...evil, cookie: visit }, body);
    assert.equal(sent.status, 200);
    await idp.deps.mailQueue.idle();
    const { text = '', html = '' } = idp.mailbox.at(-1) ?? {};
    assert.ok(text.includes(`${idp.issuer}/login/magic?token=`));
    assert.doesNotMatch(text + html + sent.text, /evil\.example/);
  });

  it('a form may be redirected to the client it is for, and to nobody else', async () => {
    const policyOf = (page: Page): string => page.headers.get('content-security-policy') ?? '';
    const login = await createBrowser(idp).open(shop());
    assert.match(policyOf(login), /form-action 'self' https:\/\/shop\.example;/);
    assert.match(policyOf(await ask(shop({ prompt: 'consent' }))), /form-action 'self' https:\/\/shop\.example;/);
    const stray = `/oauth/authorize?client_id=shop-prod&redirect_uri=${encodeURIComponent('https://evil.example/')}`;
    const other = await createBrowser(idp).open(`/login?return_to=${encodeURIComponent(stray)}`);
    assert.match(policyOf(other), /form-action 'self';/);
  });
});

/** Sends any Host header, which fetch does not. */
async function sendRaw(
  url: string,
  headers: Record<string, string>,
  form?: string,
): Promise<{ status: number; location: string; text: string }> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const outgoing = request(url, { method: form === undefined ? 'GET' : 'POST', headers: { ...headers, ...type } });
  outgoing.end(form);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode ?? 0, location: response.headers.location ?? '', text };
}
