import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startIdp, type TestIdp } from '../../../../support/start-idp.ts';
import { createBrowser } from '../browse.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

describe('the device page', () => {
  let idp: TestIdp;
  before(async () => {
    idp = await startIdp({ database: 'server' });
    await idp.seedUser(EMAIL, { password: PASSWORD });
    await idp.seedClient('tv', {
      name: 'The <b>TV</b>',
      clientType: 'public',
      allowedGrantTypes: [DEVICE_GRANT, 'refresh_token'],
    });
  });
  after(() => idp.stop());

  /** Begins a flow as the device does. */
  async function begin(): Promise<{ userCode: string; poll: () => ReturnType<TestIdp['call']> }> {
    const form = { client_id: 'tv', scope: 'openid email' };
    const { body } = await idp.call('POST', '/api/oauth/device_authorization', { form });
    const { user_code: userCode, device_code: deviceCode } = body;
    assert.ok(typeof userCode === 'string', JSON.stringify(body));
    const asked = { grant_type: DEVICE_GRANT, client_id: 'tv', device_code: deviceCode };
    return { userCode, poll: () => idp.call('POST', '/api/oauth/token', { form: asked }) };
  }

  async function signedIn() {
    const browser = createBrowser(idp);
    await browser.logIn(EMAIL, PASSWORD);
    return browser;
  }

  it('connects a device whose code is typed and confirmed by somebody who is signed in', async () => {
    const { userCode, poll } = await begin();
    assert.equal((await poll()).body.error, 'authorization_pending');
    const browser = createBrowser(idp);
    const login = await browser.open('/oauth/device');
    assert.equal(login.title, 'Sign in');
    const page = await browser.follow(await browser.submit(login, '/login', { email: EMAIL, password: PASSWORD }));
    assert.equal(page.title, 'Connect a device');
    const confirm = await browser.submit(page, '/oauth/device', {
      user_code: userCode.toLowerCase().replace('-', ' '),
    });
    assert.equal(confirm.title, 'Connect The &lt;b&gt;TV&lt;/b&gt;?');
    assert.match(confirm.html, /<dt>Asked from<\/dt><dd>(::ffff:)?127\.0\.0\.1<\/dd>/);
    assert.match(confirm.html, /See your e-mail address <code>email<\/code>/);
    const done = await browser.submit(confirm, '/oauth/device/decision', { decision: 'allow' });
    assert.equal(done.title, 'The device is connected');
    idp.advance(10_000);
    const tokens = await poll();
    assert.equal(tokens.status, 200, tokens.text);
    assert.equal(tokens.body.scope, 'openid email');
  });

  it('fills a code from a link in, and connects nothing until it is sent and confirmed', async () => {
    const { userCode, poll } = await begin();
    const browser = await signedIn();
    const page = await browser.open(`/oauth/device?user_code=${userCode}`);
    assert.match(page.html, new RegExp(`id="user_code"[^>]* value="${userCode}"`));
    const confirm = await browser.submit(page, '/oauth/device', { user_code: userCode });
    assert.match(confirm.html, /Go on only if you started this yourself/);
    assert.equal((await poll()).body.error, 'authorization_pending');
  });

  it('keeps the code of a link over the login', async () => {
    const browser = createBrowser(idp);
    const page = await browser.logIn(EMAIL, PASSWORD, '/oauth/device?user_code=BCDF-GHJK');
    assert.match(page.html, /value="BCDF-GHJK"/);
  });

  it('refuses a device, which then gets access_denied', async () => {
    const { userCode, poll } = await begin();
    const browser = await signedIn();
    const page = await browser.open('/oauth/device');
    const confirm = await browser.submit(page, '/oauth/device', { user_code: userCode });
    const done = await browser.submit(confirm, '/oauth/device/decision', { decision: 'deny' });
    assert.equal(done.title, 'The device was refused');
    assert.equal((await poll()).body.error, 'access_denied');
  });

  it('takes one of two answers', async () => {
    const { userCode } = await begin();
    const browser = await signedIn();
    const page = await browser.open('/oauth/device');
    const confirm = await browser.submit(page, '/oauth/device', { user_code: userCode });
    const answers = await Promise.all(
      ['allow', 'deny', 'allow', 'deny'].map((decision) =>
        browser.submit(confirm, '/oauth/device/decision', { decision }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  it('says alike of a code that is mistyped, used or too old that nobody waits with it', async () => {
    const { userCode } = await begin();
    const browser = await signedIn();
    const page = await browser.open('/oauth/device');
    const unknown = await browser.submit(page, '/oauth/device', { user_code: 'XXXX-XXXX' });
    assert.equal(unknown.status, 400);
    assert.match(unknown.html, /No device waits with this code/);
    idp.advance(31 * 60_000);
    const old = await browser.submit(page, '/oauth/device', { user_code: userCode });
    assert.match(old.html, /No device waits with this code/);
  });

  it('limits guesses: after twenty wrong codes the next one must wait', async () => {
    await idp.seedUser('guess@example.com', { password: PASSWORD });
    const browser = createBrowser(idp);
    await browser.logIn('guess@example.com', PASSWORD);
    const page = await browser.open('/oauth/device');
    const { userCode } = await begin();
    const answers = [];
    for (let tries = 0; tries < 20; tries += 1) {
      answers.push(await browser.submit(page, '/oauth/device', { user_code: 'WRONGONE' }));
    }
    assert.ok(answers.every(({ status }) => status === 400));
    assert.equal((await browser.submit(page, '/oauth/device', { user_code: userCode })).status, 429);
  });

  it('refuses a decision from elsewhere, or of nobody', async () => {
    const { userCode, poll } = await begin();
    const browser = await signedIn();
    const page = await browser.open('/oauth/device');
    const confirm = await browser.submit(page, '/oauth/device', { user_code: userCode });
    const send = (headers: Record<string, string>, csrf?: string) =>
      browser.submit(
        confirm,
        '/oauth/device/decision',
        { decision: 'allow', ...(csrf === undefined ? {} : { csrf }) },
        headers,
      );
    assert.equal((await send({}, 'x')).status, 403);
    assert.equal((await send({ 'sec-fetch-site': 'cross-site' })).status, 403);
    const nobody = await createBrowser(idp).submit(confirm, '/oauth/device/decision', { decision: 'allow' });
    assert.equal(nobody.status, 403);
    assert.equal((await poll()).body.error, 'authorization_pending');
  });
});
