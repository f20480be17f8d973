import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ORG_MAIL_LIMITS } from '../../../../api/identity/mail/org-quota.ts';
import { NO_WHITE_LABEL } from '../../../../domain/branding/white-label.ts';
import { MAIL_KINDS } from '../../../../domain/identity/mail.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { type Headless, seedHeadless } from '../embed/embed-fixture.ts';
import { createLogins } from '../oauth/logins.ts';
import { authorizePath, createBrowser } from '../pages/browse.ts';

const PHISH = { subject: 'Your account is closed', text: 'Pay now, or lose it: {{link}}' };
const TEMPLATES = Object.fromEntries(MAIL_KINDS.map((kind) => [kind, PHISH]));
const LOOK = { ...NO_WHITE_LABEL, emailFromName: 'Security', logoUrl: 'https://shop.example/pixel.png' };

describe('mail of an org', () => {
  let idp: TestIdp;
  let shop: Headless;
  before(async () => {
    idp = await startIdp();
    shop = await seedHeadless(idp, 'acme', {
      name: 'Acme Shop',
      mailTemplates: TEMPLATES,
      whiteLabel: LOOK,
      trustedClient: true,
    });
    const acme = await idp.deps.orgs.find('acme');
    await idp.deps.orgs.update(acme?.id ?? '', { mailTemplates: TEMPLATES, whiteLabel: LOOK });
    await idp.seedOrg('other');
  });
  after(() => idp.stop());

  let people = 0;
  const person = (org: string, emailVerified = false) => {
    people += 1;
    return idp.seedUser(`person-${people}@example.com`, {
      org,
      password: 'a sentence of mine',
      fields: { emailVerified },
    });
  };
  const invite = (email: string, org = 'acme', more: Record<string, unknown> = {}) =>
    idp.call('POST', `/api/v2/orgs/${org}/invites`, {
      headers: idp.internal,
      json: { email, role: 'member', ...more },
    });
  async function mailTo(email: string) {
    await idp.deps.mailQueue.idle();
    return idp.mailbox.findLast(({ to }) => to === email) ?? assert.fail(`no mail to ${email}`);
  }
  const lookOf = async (email: string) => {
    const { subject, fromName, html } = await mailTo(email);
    return { words: subject === PHISH.subject ? 'org' : 'platform', fromName, pixel: html.includes('pixel.png') };
  };
  const OWN = { words: 'org', fromName: 'Security', pixel: true };
  const STRANGER = { words: 'platform', fromName: 'Fairlead', pixel: false };

  it('is in its words for its own people, and for those who use its client, and for no others', async () => {
    const [own, stranger, guest] = [await person('acme'), await person('other'), await person('other')];
    const client = await idp.deps.clients.find(shop.clientId);
    assert.ok(client !== null);
    const logins = createLogins(idp);
    await logins.login({ client, secret: shop.secret }, guest, { redirectUri: client.redirectUris[0] ?? '' });
    for (const [operation, more] of [
      ['magic-link', {}],
      ['forgot-password', { sendEmail: true }],
      ['send-confirmation', {}],
    ] as const) {
      for (const { email } of [own, stranger, guest]) await shop.call(operation, { email, ...more });
      assert.deepEqual(await lookOf(own.email), OWN, operation);
      assert.deepEqual(await lookOf(guest.email), OWN, operation);
      assert.deepEqual(await lookOf(stranger.email), STRANGER, operation);
    }
  });

  it('is not in its words for strangers who are invited, or who are led to the login by its client', async () => {
    const [own, stranger] = [await person('acme'), await person('other')];
    for (const email of [own.email, stranger.email, 'nobody@example.com'])
      assert.equal((await invite(email)).status, 201);
    assert.deepEqual(await lookOf(own.email), { ...OWN, pixel: false });
    assert.deepEqual(await lookOf(stranger.email), STRANGER);
    assert.deepEqual(await lookOf('nobody@example.com'), STRANGER);
    assert.match((await mailTo('nobody@example.com')).text, /join Org acme on Fairlead/);

    const browser = createBrowser(idp);
    const page = await browser.open(
      authorizePath({ client_id: shop.clientId, redirect_uri: 'https://shop.example/api/auth/callback' }),
    );
    await browser.submit(page, '/login/link', { email: stranger.email });
    assert.equal((await mailTo(stranger.email)).kind, 'magic_link');
    assert.deepEqual(await lookOf(stranger.email), STRANGER);
  });

  it('names no address but those registered for its clients: such templates are refused', async () => {
    const text = (address: string) => ({ invite: { subject: 'Hi', text: `Look at ${address}: {{link}}` } });
    const path = `/api/internal/oauth-clients/${shop.clientId}`;
    for (const address of ['https://evil.example/pay', 'evil.example', 'help@evil.example', 'http://192.0.2.1']) {
      for (const target of ['/api/v2/orgs/acme', path]) {
        const json = { mailTemplates: text(address) };
        const { status, body } = await idp.call('PATCH', target, { headers: idp.internal, json });
        assert.deepEqual([status, body.error.code], [400, 'VALIDATION_FAILED'], `${target} ${address}`);
      }
    }
    for (const target of ['/api/v2/orgs/acme', path]) {
      const json = { mailTemplates: { ...TEMPLATES, ...text('https://my.shop.example/help') } };
      assert.equal((await idp.call('PATCH', target, { headers: idp.internal, json })).status, 200, target);
    }
  });

  it('is in the platform’s words when an address is registered no more, or is somebody’s name', async () => {
    const stored = await idp.seedOrg('stored', {
      name: 'Win at evil.example',
      mailTemplates: { invite: { subject: 'Hi', text: 'Look at evil.example: {{link}}' } },
      whiteLabel: { ...NO_WHITE_LABEL, emailFromName: 'evil.example' },
    });
    const own = await person(stored.slug);
    await invite(own.email, stored.slug);
    const { subject, fromName, text, html } = await mailTo(own.email);
    assert.deepEqual([subject, fromName], ['You are invited to Win at evil. example', 'Fairlead']);
    assert.doesNotMatch(text + html, /evil\.example/);
  });

  it('is bounded: the org that sends too much is told, and its clients send no more; others go on', async () => {
    const [hour] = ORG_MAIL_LIMITS;
    const sender = await seedHeadless(idp, 'sender');
    const own = await person('sender');
    const key = 'mail:org:hour:sender';
    while ((await idp.deps.attempts.count(key, hour.windowSeconds, idp.deps.now())) < hour.count - 1);
    assert.equal((await invite('last@example.com', 'sender')).status, 201);
    const { status, body } = await invite('late@example.com', 'sender');
    assert.deepEqual([status, body.error.code], [429, 'RATE_LIMITED']);
    assert.equal((await invite('late@example.com', 'sender', { sendEmail: false })).status, 201, 'no mail is sent');
    const before = idp.mailbox.length;
    assert.deepEqual((await sender.call('magic-link', { email: own.email })).body, { sent: true });
    await idp.deps.mailQueue.idle();
    assert.equal(idp.mailbox.length, before);
    const { items } = await idp.deps.audit.list({ subject: own.id }, { cursor: null, limit: 10 });
    assert.ok(items.some(({ type, data }) => type === 'mail.failed' && data.reason === 'quota_of_org'));
    assert.equal((await invite('fine@example.com', 'other')).status, 201);
    idp.advance(hour.windowSeconds * 1_000 + 1);
    assert.equal((await invite('later@example.com', 'sender')).status, 201);
  });
});
