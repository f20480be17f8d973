import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildRecord, catalogRecord, releaseRecord } from '../../ports/records.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';

const MEMBER = { sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['member'] };
const PATH = '/services/shop/config';
const CANARY = 'canary-Pq31-never-shown';

describe('variables and secrets in the console', () => {
  let on: ConsoleOnBuilder;
  before(async () => {
    on = await startConsoleOnBuilder();
    await on.builder.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    const entry = { secret: true, required: true, default: null };
    const catalog = catalogRecord({
      config: [
        { ...entry, key: 'STRIPE_KEY' },
        { ...entry, key: 'COLOUR', secret: false, required: false, default: 'blue' },
      ],
    });
    await on.builder.builds.create(
      buildRecord({ id: 'bld_1', serviceId: 'svc_shop', service: 'shop', facts: { catalog } }),
    );
    await on.builder.services.setLastBuild('svc_shop', 'bld_1');
    await on.builder.releases.put(
      releaseRecord({ id: 'rel_1', serviceId: 'svc_shop', service: 'shop', config: { OLD: '1' }, secrets: {} }),
    );
    await on.builder.releases.activate('rel_1', { at: new Date(), epoch: 1, buildId: 'bld_1' });
  });
  after(() => on.stop());

  const textOf = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  const set = (fields: Record<string, string>) => ({ environment: 'all', kind: 'secret', value: 'x', ...fields });

  it('names what is required and missing, until it is set', async () => {
    const browser = await on.browseAs(MEMBER);
    assert.match(
      textOf((await browser.get(PATH)).text),
      /A required variable has no value: STRIPE_KEY . The next deploy fails without/,
    );
    await browser.submit(PATH, `${PATH}/set`, set({ name: 'STRIPE_KEY' }));
    const after = textOf((await browser.get(PATH)).text);
    assert.doesNotMatch(after, /A required variable has no value/);
    assert.match(after, /COLOUR optional, plain Default of the catalog/);
  });

  it('stores a secret that no page and no log shows again, and says when it takes effect', async () => {
    const browser = await on.browseAs(MEMBER);
    const sent = await browser.submit(PATH, `${PATH}/set`, set({ name: 'API_TOKEN', value: CANARY }));
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, PATH]);
    const { text } = await browser.get(PATH);
    assert.match(textOf(text), /API_TOKEN is stored. What runs keeps its values until the next deploy/);
    assert.match(textOf(text), /At the next deploy to prod: new API_TOKEN , .*removed OLD/);
    assert.match(textOf(text), /API_TOKEN secret At the next deploy all .* by you Change Remove/);
    const service = await on.builder.services.find('svc_shop');
    assert.ok(service !== null && 'API_TOKEN' in service.secrets && !('API_TOKEN' in service.config));
    const pages = [text, (await browser.get(`${PATH}?set=API_TOKEN`)).text, sent.text];
    for (const page of [...pages, ...on.builder.logged, ...on.console.logged]) assert.ok(!page.includes(CANARY));
  });

  it('does not show a value again in a form that failed, and nothing is stored', async () => {
    const browser = await on.browseAs(MEMBER);
    for (const name of ['NOT-A-NAME', 'MONGODB_URI']) {
      const sent = await browser.submit(PATH, `${PATH}/set`, set({ name, value: CANARY }));
      assert.equal(sent.status, 303);
      const { text } = await browser.get(PATH);
      assert.ok(!text.includes(CANARY));
      assert.match(text, new RegExp(`value="${name}"`));
      assert.match(text, /role="alert"/);
      assert.equal((await on.builder.services.find('svc_shop'))?.secrets[name], undefined);
    }
  });

  it('sets plain values for one environment, with its lines as they were typed, and removes them', async () => {
    const browser = await on.browseAs(MEMBER);
    const value = 'first\r\nsecond <b>';
    await browser.submit(PATH, `${PATH}/set`, { name: 'BANNER', value, environment: 'uat', kind: 'plain' });
    const { text } = await browser.get(PATH);
    assert.match(text, /<code>first\nsecond &lt;b&gt;<\/code>/);
    const variables = (await on.builder.call('GET', PATH)).body.data.variables;
    const banner = variables.find(({ name }: { name: string }) => name === 'BANNER');
    assert.deepEqual([banner.value, banner.environment, banner.changedBy], ['first\nsecond <b>', 'uat', 'usr_ann']);
    await browser.submit(PATH, `${PATH}/unset`, { name: 'BANNER', environment: 'uat' });
    const after = textOf((await browser.get(PATH)).text);
    assert.match(after, /BANNER is removed/);
    assert.match(after, /you uat removed BANNER/);
  });

  it('shows viewers what is set, and no form', async () => {
    const viewer = await on.browseAs({ ...MEMBER, orgRoles: ['viewer'] });
    const { status, text } = await viewer.get(PATH);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /config\/set|config\/unset/);
    assert.equal((await viewer.submit('/', `${PATH}/set`, set({ name: 'A' }))).status, 403);
  });
});
