import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';
import { createClientAdministration } from '../../adapters/idp/client-administration.ts';
import { createInternalKeyAuth } from '../../api/http/caller.ts';
import { createTokenAuth } from '../../api/http/token-auth.ts';
import { outcome } from '../../domain/git-hooks/delivery.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../infra/dev/tools/resolve-tool.ts';
import type { TokenVerifier } from '../../sdk/index.ts';
import { type ConsolePeople, createConsolePeople, type PersonBrowser, verifierOf } from '../support/console-people.ts';
import { seriousFindings, sticksOut } from '../support/look-at-pages.ts';
import { startApi } from '../support/start-api.ts';
import { KEY, startIdp } from '../support/start-idp.ts';
import { startLedger } from '../support/start-ledger.ts';
import { startLocker } from '../support/start-locker.ts';
import { startWallet } from '../support/start-wallet.ts';

const WIDTHS = [320, 640, 1080];
const LONG = 'long'.repeat(20);

/** The pages of an org and its people, with long names and texts in them, on the real services. */
describe('the pages of an org, in a browser', () => {
  const stops: (() => unknown)[] = [];
  let people: ConsolePeople;
  let browser: Browser;
  let ann: PersonBrowser;
  let root: PersonBrowser;
  let pages: readonly (readonly [PersonBrowser, string])[] = [];
  before(async () => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    const idp = await startIdp();
    const verifiers: TokenVerifier[] = [];
    const tokens = (service: Parameters<typeof verifierOf>[1]) => {
      const verifier = verifierOf(idp, service);
      verifiers.push(verifier);
      return { verifier, issuer: idp.issuer };
    };
    const internalKey = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret: (a, b) => a === b });
    const { verifier } = tokens('audit-ledger');
    const authenticate = createTokenAuth({ internalKey, verifier, platformOrg: 'platform' });
    const noLogin = () => Promise.reject(new Error('nobody signs in at the ledger here'));
    const ledger = await startLedger({ signIn: () => ({ authenticate, login: { begin: noLogin, finish: noLogin } }) });
    const wallet = await startWallet(tokens('wallet'));
    const locker = await startLocker({}, tokens('locker'));
    const clients = createClientAdministration({ url: idp.address, internalKey: KEY });
    const api = await startApi(tokens('builder'), clients);
    const urls = {
      wallet: wallet.address,
      locker: locker.address,
      'audit-ledger': ledger.address,
      builder: api.address,
    };
    people = createConsolePeople(idp, urls);
    stops.push(() => verifiers.map((one) => one.close()), api.stop, wallet.stop, locker.stop, ledger.stop, idp.stop);
    await idp.seedOrg('acme', { name: `Acme ${LONG}`, modules: ['billing'] });
    await idp.seedOrg('partner');
    const admin = await idp.seedUser(`ann.${LONG.slice(0, 50)}@acme.example`, { org: 'acme', orgRoles: ['admin'] });
    const ben = await idp.seedUser('ben@acme.example', { org: 'acme', fields: { firstName: LONG } });
    const superAdmin = await idp.seedUser('root@platform.example', { org: 'platform', platformRoles: ['super_admin'] });
    await idp.seedClient('shop-prod', {
      ...{ orgSlug: 'acme', service: 'shop', environment: 'prod' },
      redirectUris: [`https://${LONG.slice(0, 60)}.example/api/auth/callback`],
    });
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    const event = await ledger.writer.emit({
      ...{ namespace: 'builder', orgSlug: 'acme', emitter: 'builder', eventType: 'service.deployed', entityId: LONG },
      ...{ payload: JSON.stringify({ data: { note: LONG.repeat(3) }, metadata: {} }), idempotency: null },
    });
    [ann, root] = [await people.browserOf(admin), await people.browserOf(superAdmin)];
    await ann.submit('/orgs/acme', '/orgs/acme/invites', {
      email: `new.${LONG.slice(0, 50)}@acme.example`,
      role: 'member',
    });
    await ann.submit('/services/shop/sharing', '/services/shop/sharing', { orgSlug: 'partner', repoRole: 'read' });
    await ann.submit('/locker', '/locker', {
      ...{ vault: 'shop', item: 'payments', 'fields.0.name': 'user', 'fields.0.value': LONG },
    });
    const repository = `https://git.example/acme/${LONG}.git`;
    await api.services.upsert({ id: 'svc_long', name: `s${LONG.slice(0, 29)}`, org: 'acme' }, { gitUrl: repository });
    await ann.submit('/git', '/git', {
      ...{
        service: `s${LONG.slice(0, 29)}`,
        provider: 'gitea',
        'rules.0.kind': 'branch',
        'rules.0.environment': 'uat',
      },
      ...{ 'rules.0.pattern': `release/${LONG}*`, paths: `services/${LONG}/**`, token: 'token-of-ann' },
    });
    const [connection] = (await api.gitConnections.list({ org: 'acme' }, { cursor: null, limit: 1 })).items;
    assert.ok(connection !== undefined);
    for (const id of ['gdl_1', 'gdl_waits']) {
      await api.gitDeliveries.insert({
        ...{ id, connectionId: connection.id, kind: 'push', event: 'push', providerId: null },
        ...{ ref: `refs/heads/${LONG}`, claimedHead: null, login: LONG, accountId: null, requestedBy: null },
        ...{ alreadySeen: true, receivedAt: new Date(Date.now() - 1_000_000), state: 'waiting', outcomes: [] },
      });
    }
    const [deployed, failed] = [{ commit: 'c'.repeat(40), buildId: 'bld_1' }, { message: LONG.repeat(2) }];
    await api.gitDeliveries.decide(
      ['gdl_1'],
      [outcome('deployed', { service: 'shop', environment: 'prod', ...deployed }), outcome('source_refused', failed)],
    );
    api.accounts.set('token-of-ann', { accountId: '7', login: LONG });
    await ann.submit('/git/identities', '/git/identities', {
      ...{ provider: 'gitea', host: 'https://git.example', token: 'token-of-ann' },
    });
    browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
    const own = ['', '/acme', '/acme/settings', '/acme/activity', `/acme/members/${ben.id}`].map(
      (rest) => `/orgs${rest}`,
    );
    const others = ['/clients', '/clients/shop-prod', '/services/shop/sharing', '/wallet'];
    const kept = ['/locker', '/locker/own', '/locker/items/shop/payments'];
    const git = ['/git', '/git/identities', `/git/${connection.id}`];
    const ledgers = ['/ledger', '/ledger/anchors', `/ledger/events/${event.id}`];
    const ofRoot = ['/orgs', '/orgs/acme/settings', '/people', `/people/${ben.id}`];
    pages = [
      ...[...own, ...others, ...kept, ...git, ...ledgers].map((page) => [ann, page] as const),
      ...ofRoot.map((page) => [root, page] as const),
    ];
  });
  after(async () => {
    await browser?.close();
    await people?.stop();
    for (const stop of stops) await stop();
  });

  async function signedIn(who: PersonBrowser, options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(20_000);
    await context.addCookies([...who.cookies].map(([name, value]) => ({ name, value, url: who.address })));
    return context.newPage();
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`have no serious finding of axe-core in ${colorScheme}${colorScheme === 'light' ? ', and fit on each width' : ''}`, async () => {
      const found: string[] = [];
      for (const who of [ann, root]) {
        const page = await signedIn(who, { bypassCSP: true, colorScheme });
        for (const [, path] of pages.filter(([one]) => one === who)) {
          const reply = await page.goto(who.address + path);
          assert.equal(reply?.status(), 200, path);
          // What is folded up is looked at as well.
          await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
          // Colours change no width.
          for (const width of colorScheme === 'light' ? WIDTHS : []) {
            await page.setViewportSize({ width, height: 800 });
            found.push(...(await sticksOut(page)).map((one) => `${path} at ${width} px: ${one}`));
          }
          found.push(...(await seriousFindings(page)).map((one) => `${path}: ${one}`));
        }
        await page.context().close();
      }
      assert.deepEqual(found, []);
    });
  }

  it('say nothing to the console of the browser', async () => {
    for (const who of [ann, root]) {
      const page = await signedIn(who, {});
      const complaints: string[] = [];
      page.on('console', (message) => void complaints.push(message.text()));
      page.on('pageerror', (error) => void complaints.push(error.message));
      for (const [, path] of pages.filter(([one]) => one === who)) {
        await page.goto(who.address + path, { waitUntil: 'load' });
        assert.deepEqual(complaints, [], path);
      }
      await page.context().close();
    }
  });

  it('change a role with the keyboard alone, and by a script that is off', async () => {
    const [, member = ''] = pages.find(([, path]) => path.includes('/members/')) ?? [];
    const page = await signedIn(ann, { javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
    await page.goto(ann.address + member);
    await page.focus('select[name=role]');
    await page.keyboard.press('v');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=is saved');
    assert.equal(await page.locator('select[name=role]').inputValue(), 'viewer');
    await page.context().close();
  });
});
