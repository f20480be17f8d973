import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createInternalKeyAuth } from '../../api/http/caller.ts';
import { createTokenAuth } from '../../api/http/token-auth.ts';
import type { Environment } from '../../domain/environment.ts';
import { newMembership } from '../../domain/orgs/new-org.ts';
import type { TokenVerifier } from '../../sdk/index.ts';
import { runCli } from '../cli/run-cli.ts';
import { buildRecord, grantRecord, releaseRecord, stepOf } from '../ports/records.ts';
import {
  type ConsolePeople,
  createConsolePeople,
  type PersonBrowser,
  verifierOf,
  wordsOf,
} from '../support/console-people.ts';
import { startApi, type TestApi } from '../support/start-api.ts';
import { KEY, startIdp, type TestIdp } from '../support/start-idp.ts';
import { startLedger, type TestLedger } from '../support/start-ledger.ts';
import { readPage } from './read-page.ts';

const guide = await readFile(join(import.meta.dirname, '../../docs/console.md'), 'utf8');
/** What the guide names in bold: the buttons, links and choices of pages, but for a column. */
const NAMED = new Set(
  [...guide.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = '']) => name).filter((name) => name !== 'Last used'),
);

const SHOP = { serviceId: 'svc_shop', service: 'shop', org: 'acme' } as const;
const SOURCE = { kind: 'git', url: 'https://git.example/acme/shop.git', branch: 'main', commit: null } as const;

describe('docs/console.md', () => {
  let idp: TestIdp;
  let api: TestApi;
  let ledger: TestLedger;
  let people: ConsolePeople;
  let browser: PersonBrowser;
  const verifiers: TokenVerifier[] = [];
  before(async () => {
    idp = await startIdp();
    const [ofBuilder, ofLedger] = [verifierOf(idp, 'builder'), verifierOf(idp, 'audit-ledger')];
    verifiers.push(ofBuilder, ofLedger);
    api = await startApi({ verifier: ofBuilder, issuer: idp.issuer });
    const internalKey = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret: (a, b) => a === b });
    const authenticate = createTokenAuth({ internalKey, verifier: ofLedger, platformOrg: 'platform' });
    const noLogin = () => Promise.reject(new Error('nobody signs in at the ledger here'));
    ledger = await startLedger({ signIn: () => ({ authenticate, login: { begin: noLogin, finish: noLogin } }) });
    people = createConsolePeople(idp, { builder: api.address, 'audit-ledger': ledger.address });
    for (const org of ['acme', 'beta']) await idp.seedOrg(org);
    const ann = await idp.seedUser('ann@acme.example', { org: 'acme', orgRoles: ['admin'] });
    const beta = await idp.deps.orgs.find('beta');
    assert.ok(beta);
    const rights = { roles: ['member'] as const, modules: [] };
    await idp.deps.memberships.put(newMembership(ann.id, beta, rights, idp.deps.now()));
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, { gitUrl: SOURCE.url, branch: 'main' });
    await api.services.upsert({ id: 'svc_theirs', name: 'theirs', org: 'beta' }, {});
    browser = await people.browserOf(ann);
  });
  after(async () => {
    await people?.stop();
    for (const verifier of verifiers) verifier.close();
    await Promise.all([ledger?.stop(), api?.stop()]);
    await idp?.stop();
  });

  /** The form of a page with a button of that name, as it is filled in there. */
  function formOf(page: string, button: string) {
    for (const [, action = '', inner = ''] of page.matchAll(
      /<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g,
    )) {
      const isNamed = [...inner.matchAll(/<button[^>]*>([\s\S]*?)<\/button>/g)].some(([, text = '']) =>
        wordsOf(text).trim().startsWith(button),
      );
      if (!isNamed) continue;
      const inputs = [...inner.matchAll(/<input\b[^>]*>/g)].filter(([tag]) => !/type="checkbox"/.test(tag));
      const selects = [...inner.matchAll(/<select[^>]* name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g)];
      const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
      const chosen = (options: string) => /value="([^"]*)" selected/.exec(options)?.[1] ?? attribute(options, 'value');
      return {
        action,
        fields: Object.fromEntries([
          ...inputs.map(([tag]) => [attribute(tag, 'name'), attribute(tag, 'value')]),
          ...selects.map(([, name = '', options = '']) => [name, chosen(options)]),
        ]) as Record<string, string>,
      };
    }
    throw new Error(`no form of the page has the button ${button}: ${wordsOf(page)}`);
  }

  /** Fills in the form that has a button, and sends it. @returns where it leads, and what is said there */
  async function press(page: string, button: string, typed: Record<string, string> = {}) {
    const { text } = await browser.get(page);
    const { action, fields } = formOf(text, button);
    const { csrf: _own, ...shown } = fields;
    const sent = await browser.submit(page, action, { ...shown, ...typed });
    if (sent.status === 200) return { to: action, words: wordsOf(sent.text) };
    assert.equal(sent.status, 303, wordsOf(sent.text));
    const to = sent.headers.get('location') ?? '';
    return { to, words: wordsOf((await browser.get(to)).text) };
  }

  const asked = () => api.commands.requests.at(-1);
  async function failedBuild(id: string): Promise<string> {
    await api.builds.create(buildRecord({ ...SHOP, id, source: SOURCE }));
    await api.builds.markStep(id, stepOf('source'), { state: 'completed' });
    await api.builds.finish(id, {
      ...{ status: 'failed', reason: 'step_failed', supersededBy: null, finishedAt: new Date() },
      failure: { code: 'CATALOG_INVALID', message: 'no catalog', step: 'catalog' },
    });
    return `/builds/${id}`;
  }
  async function release(id: string, at: number): Promise<void> {
    await api.releases.put(releaseRecord({ ...SHOP, id, buildId: `bld_of_${id}` }));
    await api.releases.activate(id, { at: new Date(at), epoch: at, buildId: `bld_of_${id}` });
  }
  async function pendingGrant(id: string, environment: Environment): Promise<void> {
    const target = { serviceId: 'svc_shop', name: 'shop', org: 'acme' };
    const holder = { serviceId: 'svc_theirs', name: 'theirs', org: 'beta' };
    await api.grants.insert(grantRecord({ id, holder, target, environment, scopes: [`shop:${id}`] }));
  }

  /** One test for each name, in the order of the guide. */
  const FORMS: Readonly<Record<string, () => Promise<void>>> = {
    Deploy: async () => {
      assert.match((await browser.get('/')).text, /<a class="button primary" href="\/start">[\s\S]*?Deploy<\/a>/);
    },
    'Show the plan': async () => {
      const { to, words } = await press('/start', 'Show the plan', { gitUrl: 'https://git.example/acme/cart' });
      assert.match(to, /^\/plan\?/);
      assert.match(words, /Build image/);
      assert.equal(await api.services.find('cart'), null);
    },
    'Deploy now': async () => {
      const { to } = await press('/start', 'Show the plan', { gitUrl: 'https://git.example/acme/cart' });
      assert.match((await press(to, 'Deploy now')).to, /^\/builds\/bld_/);
      assert.deepEqual([asked()?.service, (await api.services.find('cart'))?.org], ['cart', 'acme']);
    },
    'Make it, and open its configuration': async () => {
      const { to } = await press('/start', 'Show the plan', { gitUrl: 'https://git.example/acme/vault' });
      assert.equal((await press(to, 'Make it, and open its configuration')).to, '/services/vault/config');
      assert.equal((await api.services.find('vault'))?.lastBuildId ?? null, null);
    },
    'Cancel the build': async () => {
      const { to } = await press('/start/shop', 'Deploy now');
      await api.builds.create(buildRecord({ ...SHOP, id: asked()?.buildId ?? '', source: SOURCE }));
      assert.match((await press(to, 'Cancel the build')).words, /cancelled/);
    },
    Retry: async () => {
      const page = await failedBuild('bld_failed');
      assert.match((await press(page, 'Retry')).to, /^\/builds\/bld_/);
      assert.deepEqual([asked()?.kind, asked()?.resume?.buildId], ['retry', 'bld_failed']);
    },
    'Deploy again': async () => {
      const page = await failedBuild('bld_failed_too');
      assert.match((await press(page, 'Deploy again')).to, /^\/builds\/bld_/);
      assert.deepEqual([asked()?.kind, asked()?.service], ['deploy', 'shop']);
    },
    'Roll back': async () => {
      await release('rel_1', 1_000);
      await release('rel_2', 2_000);
      await press('/services/shop/releases', 'Roll back');
      assert.deepEqual([asked()?.kind, asked()?.releaseId], ['rollback', 'rel_1']);
    },
    Store: async () => {
      const typed = { name: 'GREETING', value: 'hello', kind: 'plain' };
      assert.match((await press('/services/shop/config', 'Store', typed)).words, /GREETING is stored/);
      assert.notEqual((await api.services.find('shop'))?.config.GREETING, undefined);
    },
    Approve: async () => {
      await pendingGrant('sgr_1', 'prod');
      await press('/grants', 'Approve');
      assert.equal((await api.grants.find('sgr_1'))?.status, 'approved');
    },
    'Deny the grant': async () => {
      await pendingGrant('sgr_2', 'uat');
      await press('/grants', 'Deny the grant');
      assert.equal((await api.grants.find('sgr_2'))?.status, 'denied');
    },
    'Revoke the grant': async () => {
      await press('/grants', 'Revoke the grant');
      assert.equal((await api.grants.find('sgr_1'))?.status, 'revoked');
    },
    'Connect it': async () => {
      const { words } = await press('/git', 'Connect it', { service: 'shop', provider: 'gitea' });
      assert.match(words, /shop is connected Copy the secret now|Copy the secret now/);
      const { items } = await api.gitConnections.list({ org: 'acme' }, { cursor: null, limit: 5 });
      assert.equal(items[0]?.repository, SOURCE.url);
    },
    Invite: async () => {
      const mails = idp.mailbox.length;
      await press('/orgs/acme', 'Invite', { email: 'ben@acme.example' });
      assert.ok(idp.mailbox.length > mails, 'the mail is on its way');
    },
    'Send no mail': async () => {
      const { text } = await browser.get('/orgs/acme');
      const [, name = ''] =
        /<input type="checkbox"[^>]* name="([^"]+)"[^>]*>\s*<label[^>]*>Send no mail/.exec(text) ?? [];
      const mails = idp.mailbox.length;
      const { words } = await press('/orgs/acme', 'Invite', { email: 'cleo@acme.example', [name]: 'on' });
      assert.match(words, /http:\/\/\S+/, 'the link is shown');
      assert.equal(idp.mailbox.length, mails);
    },
    'Verify the chain': async () => {
      const event = await ledger.writer.emit({
        ...{
          namespace: 'shop',
          orgSlug: 'acme',
          emitter: 'shop-prod',
          eventType: 'payment.created',
          entityId: 'order/1',
        },
        ...{ payload: '{"data":{},"metadata":{"actor":"usr_1"}}', idempotency: null },
      });
      assert.match((await press(`/ledger/events/${event.id}`, 'Verify the chain')).words, /Valid: 1 event/);
    },
    // Last: what is looked at afterwards is of another org.
    'Act here': async () => {
      await press('/orgs', 'Act here');
      assert.match(wordsOf((await browser.get('/orgs')).text), /You act here/);
      assert.equal((await browser.get('/services/shop')).status, 404);
    },
  };

  it('names no form that is not sent here, and the other way round', () => {
    assert.deepEqual([...NAMED].toSorted(), Object.keys(FORMS).toSorted());
  });

  for (const [name, run] of Object.entries(FORMS)) it(`${name} does what it says`, run);

  it('has commands that run', async () => {
    const lines = readPage(guide).flatMap(({ shell }) => shell.trim().split('\n'));
    assert.deepEqual(lines, ['npx fairlead console']);
    const env = { FAIRLEAD_KEY: KEY, FAIRLEAD_CONSOLE_URL: browser.address };
    const { code, stdout, stderr } = await runCli({ url: api.address }, ['console'], { env });
    assert.deepEqual([code, stdout.trim()], [0, browser.address], stderr);
  });
});
