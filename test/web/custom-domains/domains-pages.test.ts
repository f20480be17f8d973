import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { heldName } from '../../ports/custom-domains/records.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';
import { INGRESS } from '../../support/custom-domains-parts.ts';
import { followPage } from '../../support/follow-page.ts';

const PATH = '/services/shop/domains';
const HERE = { type: 'A', content: INGRESS } as const;
const person = (role: string, orgSlug = 'acme') => ({ sub: `usr_${role}`, orgSlug, orgRoles: [role] });
const ROOT = { sub: 'usr_root', orgSlug: 'platform', orgRoles: ['admin'], roles: ['super_admin'] };
const wordsOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
const DIRECT = { environment: 'prod', mode: 'direct' };

describe('custom domains in the console', () => {
  let on: ConsoleOnBuilder;
  before(async () => {
    on = await startConsoleOnBuilder();
    for (const [name, org] of [
      ['shop', 'acme'],
      ['bare', 'acme'],
      ['blog', 'globex'],
      ['ours', 'platform'],
    ] as const) {
      await on.builder.services.upsert({ id: `svc_${name}`, name, org }, {});
    }
  });
  after(() => on.stop());

  type Browser = Awaited<ReturnType<ConsoleOnBuilder['browseAs']>>;
  const addBy = (browser: Browser, domain: string, fields: Record<string, string> = {}, service = 'shop') =>
    browser.submit(`/services/${service}/domains`, `/services/${service}/domains/add`, {
      domain,
      ...DIRECT,
      ...fields,
    });
  const held = async (domain: string) => (await on.builder.domains.find(domain))?.holder ?? null;
  const wordsAt = async (browser: Browser, path: string) => wordsOf((await browser.get(path)).text);
  /** Where a form led, as it reads there. */
  const told = async (browser: Browser, sent: { readonly headers: Headers }) =>
    wordsAt(browser, sent.headers.get('location') ?? '');

  it('a service without any says how one is added, and its navigation has them', async () => {
    const { status, text } = await (await on.browseAs(person('viewer'))).get('/services/bare/domains');
    assert.equal(status, 200);
    assert.match(wordsOf(text), /No domains yet Add a name first, and then set its record in the DNS/);
    assert.match(text, /<a href="\/services\/bare\/domains" aria-current="page">Domains<\/a>/);
    assert.match((await (await on.browseAs(person('viewer'))).get('/services/bare')).text, /services\/bare\/domains/);
  });

  it('a member adds one, sees the record to set, what each server says, and then that it is served', async () => {
    const browser = await on.browseAs(person('member'));
    const sent = await addBy(browser, ' Shop.Pages.com ');
    assert.deepEqual([sent.status, sent.headers.get('location')?.split('?')[0]], [303, `${PATH}/shop.pages.com`]);
    const page = await browser.get(`${PATH}/shop.pages.com`);
    const words = wordsOf(page.text);
    assert.match(words, /Waits for DNS .*Ownership.*DNS record.*Certificate.*Served/);
    assert.match(page.text, /<code class="value">shop\.pages\.com<\/code>/);
    assert.match(page.text, new RegExp(`<code class="value">${INGRESS}</code>.*data-copy="${INGRESS}"`));
    assert.match(words, new RegExp(`shop\\.pages\\.com\\. A ${INGRESS}`), 'as a line of a zone file');
    assert.match(
      words,
      new RegExp(
        `Set A shop\\.pages\\.com to ${INGRESS} and have no other address record\\. ns1\\.registrar\\.net has no address record ns2\\.registrar\\.net has`,
      ),
    );
    on.builder.names.dns.lead('shop.pages.com', HERE);
    const [notAfter, servedAt] = ['2027-02-03T04:05:06.000Z', new Date().toISOString()];
    on.builder.names.certificates.states.set('shop.pages.com', { state: 'served', reason: null, notAfter, servedAt });
    const verify = () => browser.submit(`${PATH}/shop.pages.com`, `${PATH}/shop.pages.com/verify`);
    assert.match(await told(browser, await verify()), /was looked at\. its certificate was not asked for yet/i);
    const served = await told(browser, await verify());
    assert.match(served, /shop\.pages\.com was looked at: it is served\./);
    assert.match(served, /Certificate until 2027-02-03 04:05:06 UTC Seen served just now/);
    assert.doesNotMatch(served, /Records to set|What is missing/);
    assert.match(await wordsAt(browser, PATH), /shop\.pages\.com Direct · prod Served 2027-02-03 seen served just now/);
  });

  it('an open page shows what becomes of a name, and asks no DNS server for it', async () => {
    const browser = await on.browseAs(person('member'));
    await addBy(browser, 'live.pages.com');
    const page = `${PATH}/live.pages.com`;
    const followed = followPage(on.console.address, browser, page);
    await followed.until('state', 1);
    const looks = on.builder.names.dns.looks();
    const record = await on.builder.domains.find('live.pages.com');
    assert.ok(record?.holder);
    const holder = { ...record.holder, state: 'pending-certificate', reason: 'its certificate is waiting' } as const;
    await on.builder.domains.replace({ ...record, holder, revision: record.revision + 1 });
    await followed.until('state', 2);
    assert.match(followed.of('state').at(-1)?.html ?? '', /Waits for its certificate/);
    assert.equal(on.builder.names.dns.looks(), looks);
    await followed.stop();
  });

  it('a bad name is told at its field, with what was typed', async () => {
    const browser = await on.browseAs(person('member'));
    const sent = await addBy(browser, 'https://x.pages.com', { environment: 'uat' });
    assert.equal(sent.headers.get('location')?.split('#')[0], PATH);
    const { text } = await browser.get(PATH);
    assert.match(text, /id="domain-error">.*leave out what stands before the name/);
    assert.match(text, /value="https:\/\/x\.pages\.com"/);
    assert.match(text, /<option value="uat" selected>/);
  });

  it('modes are chosen among where there are several, and what is not offered says what the operator sets', async () => {
    const browser = await on.browseAs(person('member'));
    const several = (await browser.get(PATH)).text;
    assert.match(several, /<select id="field-mode" name="mode"/);
    assert.match(several, /<option value="direct" selected>Direct: you set an address record/);
    const { domainModes } = on.builder;
    const all = { ...domainModes };
    Object.assign(domainModes, { customersTarget: null, ingressTarget: null });
    const none = (await browser.get(PATH)).text;
    assert.doesNotMatch(none, /name="mode"|domains\/add"/);
    assert.match(wordsOf(none), /No domain can be added here yet.*INGRESS_TARGET.*SAAS_CNAME_TARGET/);
    Object.assign(domainModes, { ...all, customersTarget: null, ingressTarget: 'in.fairlead.dev' });
    const one = (await browser.get(PATH)).text;
    assert.match(one, /<input type="hidden" name="mode" value="cloudflare">/);
    assert.doesNotMatch(one, /<select id="field-mode"|name="hsts"/);
    assert.match(wordsOf(one), /What is not offered here.*The direct mode needs an address/);
    Object.assign(domainModes, all);
  });

  it('a record in the way is shown before it is replaced, and no other than the one that was shown', async () => {
    const domain = 'shop.zoned-pages.com';
    const { provider } = on.builder.names;
    const stands = (content: string) => provider.put('zoned-pages.com', domain, [{ type: 'CNAME', content }]);
    const records = () => provider.recordsOf(domain).map(({ type, content }) => `${type} ${content}`);
    provider.add('zoned-pages.com', 'active');
    stands('elsewhere.net');
    const root = await on.browseAs(ROOT);
    const hiddenOf = (text: string) =>
      Object.fromEntries(
        [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
          .filter(([, name]) => name !== 'csrf')
          .map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"')]),
      );
    const first = await addBy(root, domain, { mode: 'cloudflare' }, 'ours');
    assert.equal(first.status, 200);
    assert.match(wordsOf(first.text), /leads elsewhere already\. Nothing was changed\..*CNAME elsewhere\.net/);
    assert.deepEqual([records(), await held(domain)], [['CNAME elsewhere.net'], null]);
    // Somebody writes another one while the person reads.
    stands('moved.net');
    const second = await addBy(root, domain, hiddenOf(first.text), 'ours');
    assert.match(wordsOf(second.text), /CNAME moved\.net/);
    assert.deepEqual([records(), await held(domain)], [['CNAME moved.net'], null]);
    const third = await addBy(root, domain, hiddenOf(second.text), 'ours');
    assert.equal(third.status, 303);
    assert.match(await told(root, third), /is added\. It took the place of CNAME moved\.net\. .*Served/);
    assert.deepEqual(records(), [`A ${INGRESS}`]);
  });

  it('a name that another has shows the proof to set, and says nothing of who it is', async () => {
    await addBy(await on.browseAs(person('member', 'globex')), 'taken.pages.com', {}, 'blog');
    const browser = await on.browseAs(person('member'));
    const { status, text } = await addBy(browser, 'taken.pages.com');
    assert.equal(status, 200);
    assert.match(
      wordsOf(text),
      /taken\.pages\.com is in use.*TXT Name _fairlead\.taken\.pages\.com.* Value fairlead-verify=/,
    );
    assert.doesNotMatch(text, /globex|blog/);
    const [, value = ''] = /data-copy="(fairlead-verify=\w+)"/.exec(text) ?? [];
    on.builder.names.dns.setText('_fairlead.taken.pages.com', value);
    assert.equal((await addBy(browser, 'taken.pages.com')).status, 303);
    assert.equal((await held('taken.pages.com'))?.service, 'shop');
  });

  it('a name that waits for its registrar has the name servers to copy, and those that it has', async () => {
    const browser = await on.browseAs(person('member'));
    await addBy(browser, 'shop.new-pages.com', { mode: 'cloudflare' });
    const { text } = await browser.get(`${PATH}/shop.new-pages.com`);
    assert.match(wordsOf(text), /Waits for the registrar.*Name servers to set.*ns1\.registrar\.net/);
    assert.match(text, /<code class="value">ada\.ns-provider\.com<\/code>/);
    assert.match(text, /<code class="value">_fairlead\.new-pages\.com<\/code>/, 'the early proof');
  });

  it('one that failed, one whose record is lost and one that is being removed say so', async () => {
    const name = (domain: string) => ({ domain, apex: 'told-pages.com' });
    const shop = { serviceId: 'svc_shop', service: 'shop', org: 'acme' };
    const said = 'set A x to y: ns1 has A 192.0.2.9; ns2 did not answer (SERVFAIL)';
    const failed = { state: 'failed', reason: `30 days have passed: ${said}` } as const;
    await on.builder.domains.insert(heldName({ ...shop, ...failed }, name('failed.told-pages.com')));
    await on.builder.domains.insert(
      heldName({ ...shop, state: 'active', reason: said, verifiedAt: new Date() }, name('lost.told-pages.com')),
    );
    await on.builder.domains.insert(heldName({ ...shop, removingSince: new Date() }, name('going.told-pages.com')));
    const browser = await on.browseAs(person('member'));
    assert.match(
      await wordsAt(browser, `${PATH}/failed.told-pages.com`),
      /Failed.*Nobody looks at it any more.*30 days have passed: set A x to y\. ns1 has A 192\.0\.2\.9 ns2 did not answer \(SERVFAIL\)/,
    );
    assert.match(
      await wordsAt(browser, `${PATH}/lost.told-pages.com`),
      /record lost.*served still.*Records to set.*What was seen Set A/,
    );
    const { text } = await browser.get(`${PATH}/going.told-pages.com`);
    assert.match(wordsOf(text), /Being removed/);
    assert.doesNotMatch(text, /\/(verify|remove)"/);
  });

  it('is removed after a question that names what goes with it, the callback, and the command', async () => {
    const browser = await on.browseAs(person('member'));
    await addBy(browser, 'gone.pages.com');
    const page = `${PATH}/gone.pages.com`;
    assert.match(
      await wordsAt(browser, page),
      /will lead to shop \(prod\) no more\. .*https:\/\/gone\.pages\.com\/api\/auth\/callback.*fairlead domain remove gone\.pages\.com/,
    );
    const sent = await browser.submit(page, `${page}/remove`);
    assert.equal(sent.headers.get('location')?.split('?')[0], PATH);
    assert.match(await told(browser, sent), /gone\.pages\.com is removed\./);
    assert.equal(await held('gone.pages.com'), null);
    assert.equal((await browser.get(page)).status, 404);
  });

  it('viewers see names and records, and no form; they are told who has one', async () => {
    await addBy(await on.browseAs(person('member')), 'seen.pages.com');
    const viewer = await on.browseAs(person('viewer'));
    const list = (await viewer.get(PATH)).text;
    assert.match(wordsOf(list), /Your role in acme is viewer: you see domains\. Members and admins/);
    const one = (await viewer.get(`${PATH}/seen.pages.com`)).text;
    assert.match(one, /<code class="value">seen\.pages\.com<\/code>/);
    for (const text of [list, one]) assert.doesNotMatch(text, /action="[^"]*domains/);
  });

  const FORMS = [
    ['add', `${PATH}/add`, { domain: 'forged.pages.com', ...DIRECT }],
    ['verify', `${PATH}/kept.pages.com/verify`, {}],
    ['removal', `${PATH}/kept.pages.com/remove`, {}],
  ] as const;
  for (const [what, action, fields] of FORMS) {
    it(`a viewer who sends the form of a ${what} all the same is refused, and so is one without its token`, async () => {
      const member = await on.browseAs(person('member'));
      await addBy(member, 'kept.pages.com');
      const looks = on.builder.names.dns.looks();
      assert.equal((await (await on.browseAs(person('viewer'))).submit('/', action, fields)).status, 403);
      const body = new URLSearchParams(fields);
      const forged = await member.request(action, { method: 'POST', headers: { origin: on.console.address }, body });
      assert.equal(forged.status, 403);
      assert.equal(on.builder.names.dns.looks(), looks);
      assert.ok(await held('kept.pages.com'));
      assert.equal(await held('forged.pages.com'), null);
    });
  }

  it('of another org, or of another service, are not there, on no page and by no form', async () => {
    await addBy(await on.browseAs(person('member')), 'mine.pages.com');
    const other = await on.browseAs(person('admin', 'globex'));
    const bare = '/services/bare/domains/mine.pages.com';
    for (const page of [PATH, `${PATH}/mine.pages.com`, '/services/blog/domains/mine.pages.com']) {
      assert.equal((await other.get(page)).status, 404, page);
    }
    const own = await on.browseAs(person('admin'));
    assert.equal((await own.get(bare)).status, 404);
    for (const [browser, path] of [
      [other, '/services/blog/domains/mine.pages.com'],
      [other, `${PATH}/mine.pages.com`],
      [own, bare],
    ] as const) {
      const sent = await browser.submit('/', `${path}/remove`);
      assert.equal(sent.status, 303);
      assert.ok(await held('mine.pages.com'), path);
    }
  });

  it('what DNS servers say is text on each page', async () => {
    const browser = await on.browseAs(person('member'));
    on.builder.names.dns.lead('text.pages.com', { type: 'CNAME', content: '<img src=x onerror=alert(1)>\u202e' });
    await addBy(browser, 'text.pages.com');
    for (const page of [PATH, `${PATH}/text.pages.com`]) {
      const { text } = await browser.get(page);
      assert.doesNotMatch(text, /<img src=x|\u202e/);
    }
    assert.match((await browser.get(`${PATH}/text.pages.com`)).text, /&lt;img src=x onerror=alert\(1\)&gt;⟦U\+202E⟧/);
  });
});
