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
  const sourceOf = async (name: string) => (await on.builder.services.find(name))?.gitUrl;

  it('never moves a service that is here to another repository of the same name', async () => {
    const refused = await ann.get(await submitted('https://git.example/rival/shop.git'));
    assert.match(refused.text, /shop is here already, built from https:\/\/git\.example\/acme\/shop\.git/);
    assert.equal(await sourceOf('shop'), SHOP);
    assert.equal(await submitted('https://git.example/rival/shop.git', 'rival-shop'), '/start/rival-shop');
    assert.equal(await sourceOf('rival-shop'), 'https://git.example/rival/shop.git');
  });

  for (const typed of ['shop', SHOP, 'git.example/acme/shop', 'https://git.example/acme/shop/']) {
    it(`leads to the plan of the service that is built from ${typed}`, async () => {
      assert.equal(await submitted(typed), '/start/shop');
    });
  }
});
