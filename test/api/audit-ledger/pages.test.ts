import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { createCodeLogin } from '../../../adapters/idp/code-login.ts';
import { buildTree } from '../../../adapters/merkle/build-tree.ts';
import { createInternalKeyAuth } from '../../../api/http/caller.ts';
import { createTokenAuth } from '../../../api/http/token-auth.ts';
import { platformClients } from '../../../api/identity/platform-clients.ts';
import { signAnchor, signBatch } from '../../../domain/audit-ledger/batch-signature.ts';
import { addDays, dayOf, endOfDay, startOfDay } from '../../../domain/audit-ledger/days.ts';
import type { EventDraft, LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { sha256 } from '../../../domain/audit-ledger/hash.ts';
import { fromHash, toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import { serviceRow } from '../../../domain/services.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { CHROMIUM_FLAGS, chromium } from '../../../infra/dev/tools/chromium.ts';
import { resolveTool } from '../../../infra/dev/tools/resolve-tool.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../sdk/index.ts';
import { KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { LEDGER, startLedger, type TestLedger } from '../../support/start-ledger.ts';

const PASSWORD = 'correct horse battery';
/** Noon of a day: nothing of that day is batched yet, and all nights before are over. */
const NOW = new Date(`${dayOf(new Date())}T12:00:00.000Z`);
const TODAY = dayOf(NOW);

/** In a real browser without JavaScript, signed in at the real identity provider. */
describe('the pages for auditors', () => {
  let idp: TestIdp;
  let ledger: TestLedger;
  let verifier: TokenVerifier;
  let browser: Browser;
  let clock = NOW;
  const complaints: string[] = [];

  before(async () => {
    const { path } = await resolveTool(chromium, { env: process.env, report: silentReporter });
    idp = await startIdp();
    verifier = createTokenVerifier({
      idpUrl: idp.issuer,
      audience: serviceRow('audit-ledger').platformClient,
      revocations: { internalKey: KEY },
    });
    const tokens = createTokenAuth({
      internalKey: createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret: (a, b) => a === b }),
      verifier,
      platformOrg: 'platform',
    });
    ledger = await startLedger({
      now: () => clock,
      signIn: (address) => ({
        authenticate: tokens,
        login: createCodeLogin({
          issuer: idp.issuer,
          clientId: serviceRow('audit-ledger').pagesClient,
          redirectUri: `${address}/api/auth/callback`,
        }),
      }),
    });
    const clients = platformClients(
      { ...idp.deps.settings, serviceUrls: { 'audit-ledger': ledger.address }, secrets: {} },
      new Date(),
    );
    const client = clients.find(({ clientId }) => clientId === serviceRow('audit-ledger').pagesClient);
    assert.ok(client);
    await idp.deps.clients.insert(client);
    for (const org of ['acme', 'other']) await idp.seedOrg(org);
    await idp.seedUser('ann@acme.example', { password: PASSWORD, org: 'acme', orgRoles: ['viewer'] });
    await writeHistory();
    browser = await playwright.launch({ executablePath: path, args: CHROMIUM_FLAGS });
  });
  after(async () => {
    await browser?.close();
    verifier?.close();
    await ledger?.stop();
    await idp?.stop();
  });

  const draft = (orgSlug: string, number: number): EventDraft => ({
    namespace: 'shop',
    orgSlug,
    emitter: 'shop-prod',
    eventType: 'payment.created',
    entityId: `order-${number}`,
    payload: `{"data":{"note":"<script>alert(${number})</script>"},"metadata":{"actor":"usr_1"}}`,
    idempotency: null,
  });
  const events: LedgerEvent[] = [];

  /** A batched day three days ago, anchored on one of two chains; no batch two days ago; today's event without one. */
  async function writeHistory(): Promise<void> {
    const day = addDays(TODAY, -3);
    clock = new Date(startOfDay(day).getTime() + 3_600_000);
    for (let number = 0; number < 5; number += 1) {
      events.push(await ledger.writer.emit(draft(number === 4 ? 'other' : 'acme', number)));
    }
    const hashes = Buffer.concat(events.map(({ eventHash }) => fromHash(eventHash)));
    const tree = buildTree(hashes);
    const root = toHash(tree.nodes.subarray(0, 32));
    const closedAt = endOfDay(day);
    const batch = { id: day, root, leafCount: events.length, chainIds: [31_337, 31_338], closedAt };
    await ledger.batches.insert(await signBatch(batch, LEDGER, ledger.signer), {
      segments: [{ namespace: 'shop', firstChainIndex: 0, firstLeafIndex: 0, count: events.length }],
      eventHashes: hashes,
      eventIds: events.map(({ id }) => id),
      orgSlugs: events.map(({ orgSlug }) => orgSlug),
      tree,
    });
    const anchor = {
      chainId: 31_337,
      contract: `0x${'ab'.repeat(20)}`,
      txHash: sha256('transaction'),
      blockNumber: 7,
      blockHash: sha256('block'),
      confirmedAt: closedAt,
      explorerUrl: 'https://explorer.example/tx/1',
    };
    await ledger.batches.putAnchor(day, await signAnchor(anchor, batch, LEDGER, ledger.signer));
    clock = NOW;
    events.push(await ledger.writer.emit(draft('acme', 5)));
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await page.fill('input[name=email]', email);
    if (!(await page.locator('input[name=password]').isVisible())) await page.click('main button');
    await page.fill('input[name=password]', PASSWORD);
    await page.click('main form:has(input[name=password]) button');
  }
  async function openPage(): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled: false });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    page.on('console', (message) => void complaints.push(message.text()));
    return page;
  }

  it('sends whoever is not signed in to the identity provider, and back to the page that was asked for', async () => {
    const page = await openPage();
    await page.goto(`${ledger.address}/audit?entityId=order-1`);
    assert.ok(page.url().startsWith(idp.issuer), page.url());
    await signIn(page, 'ann@acme.example');
    await page.waitForURL(`${ledger.address}/audit?entityId=order-1`);
    assert.equal(await page.locator('tbody tr').count(), 1);
    const cookies = await page.context().cookies(ledger.address);
    const session = cookies.find(({ name }) => name === 'fl-audit-session');
    assert.ok(session?.httpOnly && session.sameSite === 'Lax');

    await page.goto(`${ledger.address}/audit`);
    await screenshot(page, 'events');
    const text = (await page.locator('main').textContent()) ?? '';
    assert.match(text, /Events of acme/);
    assert.ok(text.includes('order-5') && !text.includes('order-4'), 'only events of the own org');
    const other = events[4];
    const refused = await page.goto(`${ledger.address}/audit/events/${other?.id}`);
    assert.equal(refused?.status(), 404);

    await page.goto(`${ledger.address}/audit/events/${events[0]?.id}`);
    await screenshot(page, 'event');
    const shown = (await page.locator('main').textContent()) ?? '';
    assert.ok(shown.includes('<script>alert(0)</script>'), 'what was written is shown as it is');
    assert.equal(await page.locator('svg .sibling rect').count(), await page.locator('svg line.own').count());
    const titles = await page.locator('svg g.end > title').allTextContents();
    const proof = await ledger.call('platform', 'GET', `/v1/proofs/${events[0]?.id}`);
    assert.deepEqual(titles.sort(), [proof.body.data.leaf, proof.body.data.root].sort());
    assert.equal(await page.locator('a[href="https://explorer.example/tx/1"]').count(), 1);

    await page.goto(`${ledger.address}/audit/events/${events[5]?.id}`);
    assert.match((await page.locator('main').textContent()) ?? '', /There is none yet/);

    await page.goto(`${ledger.address}/audit/anchors`);
    await screenshot(page, 'anchors');
    const rows = await page.locator('tbody tr').allTextContents();
    assert.equal(rows.length, 3);
    assert.match(rows[0] ?? '', /no batch\s*no anchor\s*no anchor/);
    assert.match(rows[2] ?? '', /0x\S+\s*0x\S+\s*missed/);
    assert.equal(await page.locator('td.missed').count(), 7);

    await page.click('text=Sign out');
    await page.waitForURL(`${ledger.address}/audit/signed-out`);
    // The page of another org's event is answered with 404, which the browser remarks on.
    assert.deepEqual(
      complaints.filter((text) => !text.includes('404')),
      [],
    );
  });

  it('is for people with a role in their org, and says so to others', async () => {
    await idp.seedUser('bob@nowhere.example', { password: PASSWORD });
    const page = await openPage();
    await page.goto(`${ledger.address}/audit`);
    await signIn(page, 'bob@nowhere.example');
    await page.waitForURL(`${ledger.address}/audit`);
    assert.match((await page.locator('main').textContent()) ?? '', /for people with a role in an org/);
    assert.equal(await page.locator('tbody').count(), 0);
  });

  it('takes a cookie on its pages alone: the API looks at headers', async () => {
    const cookie = 'fl-audit-session=anything';
    assert.equal((await ledger.call(null, 'GET', '/v1/events', undefined, { cookie })).status, 401);
    assert.equal((await ledger.call(null, 'GET', '/v1/events')).status, 401);
  });

  it('leads nowhere else after a login, and takes no callback that it did not begin', async () => {
    for (const to of ['https://evil.example', '//evil.example', '/audit\\..\\evil', '/auditor']) {
      const url = `${ledger.address}/audit/login?to=${encodeURIComponent(to)}`;
      const reply = await fetch(url, { redirect: 'manual' });
      assert.equal(reply.status, 303);
      const kept = /fl-audit-attempt=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '')?.[1] ?? '';
      assert.equal(JSON.parse(Buffer.from(kept, 'base64url').toString()).to, '/audit');
    }
    const callback = `${ledger.address}/api/auth/callback?code=x&state=y`;
    assert.equal((await fetch(callback, { redirect: 'manual' })).status, 401);
    const { attempt } = { attempt: Buffer.from('{"to":"//evil"}').toString('base64url') };
    const forged = await fetch(callback, { headers: { cookie: `fl-audit-attempt=${attempt}` }, redirect: 'manual' });
    assert.equal(forged.status, 401);
  });
});

/** For looking at while the pages are worked on. */
async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.PAGES_SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/audit-${name}.png`, fullPage: true });
}
