import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';

const SHOP = 'https://git.example/acme/shop.git';

describe('the way to a first deploy in the console', () => {
  let on: ConsoleOnBuilder;
  let ann: Awaited<ReturnType<ConsoleOnBuilder['browseAs']>>;
  before(async () => {
    on = await startConsoleOnBuilder();
    await on.builder.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, { gitUrl: SHOP, branch: 'main' });
    ann = await on.browseAs({ sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['member'] });
  });
  after(() => on?.stop());

  const submitted = async (gitUrl: string, name = '') => {
    const sent = await ann.submit('/start', '/start', { gitUrl, name, branch: '', appPath: '' });
    assert.equal(sent.status, 303, sent.text);
    return sent.headers.get('location') ?? '';
  };
  const namesOf = async () =>
    (await on.builder.services.list({ org: 'acme' }, { cursor: null, limit: 100 })).items.map(({ name }) => name);
  const sourceOf = async (name: string) => (await on.builder.services.find(name))?.gitUrl;

  it('never moves a service that is here to another repository of the same name', async () => {
    const refused = await ann.get(await submitted('https://git.example/rival/shop.git'));
    assert.match(refused.text, /shop is here already, built from https:\/\/git\.example\/acme\/shop\.git/);
    assert.equal(await sourceOf('shop'), SHOP);
    const named = await submitted('https://git.example/rival/shop.git', 'rival-shop');
    assert.match(named, /^\/plan\?.*name=rival-shop/);
  });

  for (const typed of ['shop', SHOP, 'git.example/acme/shop', 'https://git.example/acme/shop/']) {
    it(`leads to the plan of the service that is built from ${typed}`, async () => {
      assert.equal(await submitted(typed), '/start/shop');
    });
  }

  it('shows the plan of a repository that nobody deployed, and keeps nothing of it', async () => {
    const services = await namesOf();
    const plan = await ann.get(await submitted('git.example/acme/cart'));
    assert.equal(plan.status, 200, plan.text);
    assert.match(plan.text, /Build image/);
    assert.match(plan.text, /action="\/plan"/);
    assert.deepEqual(await namesOf(), services, 'whoever leaves now leaves nothing behind');
    assert.equal(await on.builder.services.find('cart'), null);
  });

  it('shows another branch of a service that is here, and keeps it as it is', async () => {
    const sent = await ann.submit('/start', '/start', { gitUrl: SHOP, name: '', branch: 'next', appPath: '' });
    assert.equal(sent.headers.get('location'), '/start/shop?branch=next');
    assert.match((await ann.get('/start/shop?branch=next')).text, /name="branch" value="next"/);
    assert.equal((await on.builder.services.find('shop'))?.branch, 'main');
    const moved = await ann.submit('/start', '/start', { gitUrl: SHOP, name: '', branch: '', appPath: 'apps/api' });
    assert.match((await ann.get(moved.headers.get('location') ?? '')).text, /built from the top of the repository/);
  });

  for (const [what, gitUrl, told] of [
    ['a password', 'https://ann:hunter2@git.example/acme/cart.git', /Git URL carries credentials/],
    ['no encryption', 'http://git.example/acme/cart.git', /not encrypted/],
    ['a folder of the machine', '/srv/git/cart.git', /local path/],
  ] as const) {
    it(`tells at the form what is wrong with an address with ${what}, which stands in no other address`, async () => {
      const to = await submitted(gitUrl);
      assert.equal(to, '/start');
      assert.match((await ann.get(to)).text, told);
    });
  }

  it('makes the service when it is deployed, and is sent to the build', async () => {
    const asked = on.builder.commands.requests.length;
    const plan = await submitted('https://git.example/acme/fresh.git');
    const fields = { gitUrl: 'https://git.example/acme/fresh.git', name: 'fresh', environment: 'uat' };
    const sent = await ann.submit(plan, '/plan', fields);
    assert.match(sent.headers.get('location') ?? '', /^\/builds\/bld_/);
    assert.equal(await sourceOf('fresh'), 'https://git.example/acme/fresh.git');
    const [request] = on.builder.commands.requests.slice(asked);
    assert.deepEqual(
      [request?.service, request?.environment, request?.source],
      ['fresh', 'uat', { kind: 'git', url: 'https://git.example/acme/fresh.git', branch: null, commit: null }],
    );
  });

  it('makes it without a deploy for who sets its configuration first', async () => {
    const asked = on.builder.commands.requests.length;
    const plan = await submitted('https://git.example/acme/configured.git');
    const fields = { gitUrl: 'https://git.example/acme/configured.git', name: 'configured', environment: 'prod' };
    const sent = await ann.submit(plan, '/plan/configure', fields);
    assert.equal(sent.headers.get('location'), '/services/configured/config');
    assert.equal(await sourceOf('configured'), 'https://git.example/acme/configured.git');
    assert.equal(on.builder.commands.requests.length, asked);
  });

  it('tells at the form that another org has the name, and keeps what was typed', async () => {
    await on.builder.services.upsert({ id: 'svc_theirs', name: 'theirs', org: 'beta' }, { gitUrl: SHOP });
    const plan = await submitted('https://git.example/acme/theirs.git');
    const sent = await ann.submit(plan, '/plan', {
      ...{ gitUrl: 'https://git.example/acme/theirs.git', name: 'theirs', environment: 'prod' },
    });
    assert.equal(sent.headers.get('location'), '/start');
    const { text } = await ann.get('/start');
    assert.match(text, /belongs to another org/);
    assert.match(text, /value="https:\/\/git\.example\/acme\/theirs\.git"/);
    assert.equal((await on.builder.services.find('theirs'))?.org, 'beta');
  });
});
