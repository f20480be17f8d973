import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';
import { CHROMIUM_FLAGS } from '../../../../infra/dev/tools/chromium.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { toolPath } from '../../../support/tool-path.ts';
import { type LoopbackClient, startLoopbackClient } from './loopback-client.ts';

const PASSWORD = 'correct horse battery';

/** A passkey in the device itself, whose owner always puts their finger on it. */
const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

describe('signing in with a real browser', () => {
  let idp: TestIdp;
  let client: LoopbackClient;
  let browser: Browser;
  /** What the browser complained of: a blocked style, script or form among them. */
  const complaints: string[] = [];

  before(async () => {
    const executablePath = await toolPath('chromium');
    idp = await startIdp();
    let secret = '';
    client = await startLoopbackClient({
      issuer: () => idp.issuer,
      clientId: 'loopback',
      clientSecret: () => secret,
    });
    ({ secret } = await idp.seedClient('loopback', {
      name: 'Loopback Tool',
      redirectUris: [client.redirectUri],
      whiteLabel: { emailFromName: 'Loopback & Sons', logoUrl: null, primaryColor: '#ffcc00' },
    }));
    browser = await playwright.launch({ executablePath, args: CHROMIUM_FLAGS });
  });
  after(async () => {
    await browser?.close();
    await client?.stop();
    await idp?.stop();
  });

  /** A fresh browser profile; pages give up on what they wait for after a while. */
  async function openPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<{
    page: Page;
    context: BrowserContext;
  }> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    page.on('console', (message) => {
      // That another page may not frame ours is no complaint.
      const text = message.text();
      if (/Content Security Policy/.test(text) && !/frame-ancestors/.test(text)) complaints.push(text);
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    return { page, context };
  }

  /** Waits for the page with that heading. */
  const see = (page: Page, name: string): Promise<void> =>
    page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  for (const javaScriptEnabled of [true, false]) {
    it(`signs in, agrees, and comes back to the client ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async () => {
      const email = `${javaScriptEnabled ? 'with' : 'without'}@example.com`;
      await idp.seedUser(email, { password: PASSWORD });
      const { page, context } = await openPage({ javaScriptEnabled });
      await page.goto(client.address);
      await see(page, 'Sign in');
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('alert').filter({ hasText: 'The e-mail address or the password is wrong' }).waitFor();
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await see(page, 'Loopback Tool asks for access');
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await see(page, `Hello ${email}`);
      // Agreed and signed in: the next login shows no page at all.
      await page.goto(client.address);
      await see(page, `Hello ${email}`);
      // A login that ends in a redirect to the client at once: the policy must let the form through.
      await page.goto(`${client.address}/?prompt=login`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await see(page, `Hello ${email}`);
      await context.close();
    });
  }

  it('answers the challenge for an address where too many logins failed, while its person types', async () => {
    const { email } = await idp.seedUser('colleague@example.com', { password: PASSWORD });
    const { page, context } = await openPage();
    const key = `login:address:${idp.deps.tokens.hash('127.0.0.1')}`;
    const failed = Array.from({ length: 51 }, () => idp.deps.attempts.count(key, 900, idp.deps.now()));
    await Promise.all(failed);
    await idp.deps.attempts.count(`${key}:pace`, 900, idp.deps.now());
    await page.goto(`${idp.issuer}/login`);
    for (const heading of ['Sign in', 'Your account']) {
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      if (heading === 'Sign in') await page.getByText(/Too many failed attempts from your network/).waitFor();
      else await see(page, heading);
    }
    await idp.deps.attempts.clear(key);
    await context.close();
  });

  it('tells the client when the person does not agree', async () => {
    await idp.seedUser('no@example.com', { password: PASSWORD });
    const { page, context } = await openPage();
    await page.goto(client.address);
    await page.getByLabel('E-mail address').fill('no@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Do not allow' }).click();
    await see(page, 'Refused: access_denied');
    await context.close();
  });

  it('can be used with the keyboard alone, in the order one reads', async () => {
    const { page, context } = await openPage();
    await page.goto(`${idp.issuer}/login`);
    const focused = (): Promise<string> =>
      page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()');
    const order = [await focused()];
    for (let stops = 0; stops < 5; stops += 1) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    const expected = ['Sign in', 'E-mail me a sign-in link', 'Sign in with a passkey', 'Forgot your password?'];
    assert.deepEqual(order, ['email', 'password', ...expected]);
    await context.close();
  });

  it('fits a narrow phone without scrolling sideways', async () => {
    await idp.seedUser('phone@example.com', { password: PASSWORD });
    const { page, context } = await openPage({ viewport: { width: 320, height: 640 } });
    await page.goto(`${idp.issuer}/login`);
    const overflow = (): Promise<number> =>
      page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.equal(await overflow(), 0);
    await page.getByLabel('E-mail address').fill('phone@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await see(page, 'Your account');
    assert.equal(await overflow(), 0);
    await context.close();
  });

  it('signs in by a mailed link', async () => {
    await idp.seedUser('link@example.com');
    const { page, context } = await openPage();
    await page.goto(client.address);
    await page.getByLabel('E-mail address').fill('link@example.com');
    await page.getByRole('button', { name: 'E-mail me a sign-in link' }).click();
    await see(page, 'Check your e-mail');
    await idp.deps.mailQueue.idle();
    const [link = ''] = /http\S+\/login\/magic\S+/.exec(idp.mailbox.at(-1)?.text ?? '') ?? [];
    await page.goto(link);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await see(page, 'Hello link@example.com');
    await context.close();
  });

  it('adds a passkey, signs in with it alone, and uses it as a second factor', async () => {
    await idp.seedUser('key@example.com', { password: PASSWORD });
    const { page, context } = await openPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    await page.goto(`${idp.issuer}/login`);
    await page.getByLabel('E-mail address').fill('key@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the new passkey').fill('My laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await see(page, 'The passkey is added');
    assert.equal(await page.getByRole('listitem').count(), 10);
    await page.getByRole('link', { name: 'I have kept them' }).click();
    assert.ok(await page.getByText('My laptop').isVisible());
    await page.getByRole('button', { name: 'Make new recovery codes' }).click();
    await see(page, 'Show your second factor');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('Now make your change.').waitFor();
    await page.getByRole('button', { name: 'Make new recovery codes' }).click();
    await see(page, 'New recovery codes');
    await page.getByRole('link', { name: 'I have kept them' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();

    await page.goto(client.address);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await see(page, 'Hello key@example.com');
    assert.equal(await page.getByText('swk mfa').count(), 1);

    await page.goto(`${client.address}/?prompt=login`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await see(page, 'One more step');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await see(page, 'Hello key@example.com');
    assert.equal(await page.getByText('pwd swk mfa').count(), 1);
    await context.close();
  });

  it('refuses a passkey answer that is sent a second time', async () => {
    const { page, context } = await openPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    await idp.seedUser('replay@example.com', { password: PASSWORD });
    await page.goto(`${idp.issuer}/login`);
    await page.getByLabel('E-mail address').fill('replay@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await see(page, 'The passkey is added');
    await context.clearCookies();
    await page.goto(`${idp.issuer}/login`);
    const sent = page.waitForRequest((request) => request.url().endsWith('/login/passkey'));
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    const request = await sent;
    await see(page, 'Your account');
    const headers = await request.allHeaders();
    const again = await idp.call('POST', '/login/passkey', {
      form: new URLSearchParams(request.postData() ?? ''),
      headers: { cookie: headers.cookie ?? '' },
    });
    assert.equal(again.status, 401);
    assert.match(again.text, /This passkey was not accepted/);
    await context.close();
  });

  describe('a page of somebody else', () => {
    let evil: Server;
    let address = '';
    /** What it serves: the attack of the test. */
    let attack = '';
    before(async () => {
      evil = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(attack);
      }).listen(0, '127.0.0.1');
      await once(evil, 'listening');
      const bound = evil.address();
      address = bound !== null && typeof bound === 'object' ? `http://127.0.0.1:${bound.port}` : '';
    });
    after(() => {
      evil.closeAllConnections();
      evil.close();
    });

    async function signedIn(email: string): Promise<{ page: Page; context: BrowserContext }> {
      await idp.seedUser(email, { password: PASSWORD });
      const opened = await openPage();
      await opened.page.goto(`${idp.issuer}/login`);
      await opened.page.getByLabel('E-mail address').fill(email);
      await opened.page.getByLabel('Password').fill(PASSWORD);
      await opened.page.keyboard.press('Enter');
      await see(opened.page, 'Your account');
      return opened;
    }

    it('cannot send a form in the name of whoever is signed in', async () => {
      const { page, context } = await signedIn('victim@example.com');
      const csrf = await page.locator('input[name=csrf]').first().inputValue();
      for (const [action, fields] of [
        ['/account/sessions/end-others', { csrf }],
        ['/oauth/logout/confirm', { csrf }],
        ['/login', { csrf, email: 'evil@example.com', password: PASSWORD }],
      ] as const) {
        const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
        attack = `<form method="post" action="${idp.issuer}${action}">${inputs.join('')}</form>
          <script>document.forms[0].submit()</script>`;
        await page.goto(address);
        await see(page, 'This form has expired');
      }
      await page.goto(`${idp.issuer}/account`);
      await see(page, 'Your account');
      await context.close();
    });

    it('cannot show our pages in a frame', async () => {
      const { page, context } = await signedIn('framed@example.com');
      attack = `<iframe src="${idp.issuer}/account"></iframe>`;
      const blocked = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
      await page.goto(address);
      await blocked;
      for (const frame of page.frames()) assert.equal(await frame.getByText('Your account').count(), 0);
      await context.close();
    });
  });

  it('says so on the page when a passkey cannot be used, and the other ways stay', async () => {
    const { page, context } = await openPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const options = { ...AUTHENTICATOR, isUserVerified: false };
    await devtools.send('WebAuthn.addVirtualAuthenticator', { options });
    await page.goto(`${idp.issuer}/login`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').filter({ hasText: 'The passkey was not used. You can try again.' }).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Sign in', exact: true }).isEnabled());
    assert.ok(await page.getByRole('button', { name: 'Sign in with a passkey' }).isEnabled());
    await context.close();
  });

  it('was never stopped by the policy of the pages', () => {
    assert.deepEqual(complaints, []);
  });
});
