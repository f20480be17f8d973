import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { AddDomain } from '../../../domain/custom-domains/messages.ts';
import { type CustomDomainsWorld, createCustomDomainsParts, INGRESS } from '../../support/custom-domains-parts.ts';
import { MANAGED, type NameActions, nameActions } from '../../support/name-actions.ts';

/** `acme` has the service shop, and is whom a domain belongs to; `globex` has blog, and comes between. */
describe('zones that are delegated here, in which their owner can publish no proof', () => {
  let world: CustomDomainsWorld;
  let actions: NameActions;
  beforeEach(async () => {
    world = await createCustomDomainsParts();
    actions = nameActions(world);
  });
  const ofAcme = (domain: string, fields: Partial<AddDomain> = {}) => world.request(domain, { ...MANAGED, ...fields });
  const ofGlobex = (domain: string, fields: Partial<AddDomain> = {}) =>
    world.request(domain, { ...world.ofBlog, ...fields });
  const third = async () => {
    return { serviceId: await world.newService('third', 'initech'), service: 'third', org: 'initech' };
  };

  describe('before the first look at the delegation', () => {
    for (const mode of ['direct', 'cloudflare'] as const) {
      it(`a squatter of another name keeps its owner from nothing, in ${mode} mode`, async () => {
        const { add, look, routes } = actions;
        await add(ofAcme('shop.own.com'), 0);
        assert.equal(await look('shop.own.com', 1), 'pending-delegation');
        world.provider.activate('own.com');
        await add(ofGlobex('zz.own.com', { mode }), 2);
        assert.equal(await look('zz.own.com', 3), 'pending-proof');
        assert.equal(await look('shop.own.com', 4), 'active');
        await add(ofAcme('api.own.com'), 5);
        assert.equal(await look('api.own.com', 6), 'active');
        assert.deepEqual(await routes(), ['api.own.com shop', 'shop.own.com shop']);
      });
    }

    it('who asks for the very name keeps its owner from nothing', async () => {
      const { add, look } = actions;
      await add(ofAcme('shop.own.com'), 0);
      world.provider.activate('own.com');
      await assert.rejects(add(ofGlobex('shop.own.com'), 1), { code: 'DOMAIN_TAKEN' });
      assert.equal(await look('shop.own.com', 2), 'active');
    });

    it('where two waited for names when it was delegated, a third one makes it neither\u2019s', async () => {
      const { add, look } = actions;
      await add(ofGlobex('zz.own.com', MANAGED), 0);
      await add(ofAcme('shop.own.com'), 1);
      world.provider.activate('own.com');
      await add(world.request('yy.own.com', await third()), 2);
      assert.deepEqual(
        [await look('zz.own.com', 3), await look('shop.own.com', 3)],
        ['pending-proof', 'pending-proof'],
      );
      assert.deepEqual(await actions.routes(), []);
    });

    it('a newcomer makes no zone anybody\u2019s whose domain was not seen elsewhere', async () => {
      const { zones } = world.deps;
      assert.ok(zones !== null);
      const createZone: typeof zones.createZone = async (apex) => ({
        ...(await zones.createZone(apex)),
        originalNameServers: [],
      });
      const findZone: typeof zones.findZone = async (apex) => {
        const found = await zones.findZone(apex);
        return found && { ...found, originalNameServers: [] };
      };
      actions = nameActions(world, { ...world.deps, zones: { ...zones, createZone, findZone } });
      const { add, look } = actions;
      await add(ofGlobex('www.dangling.com', MANAGED), 0);
      world.provider.activate('dangling.com');
      await add(ofAcme('shop.dangling.com'), 1);
      assert.equal(await look('www.dangling.com', 2), 'pending-proof');
    });
  });

  describe('that are not delegated here for a while', () => {
    /** The zone of `apex` leads elsewhere, until all its names are pending, and back. */
    async function stray(apex: string, names: readonly string[], from: number): Promise<void> {
      world.provider.moveAway(apex);
      for (const minute of [0, 15, 31]) for (const name of names) await actions.look(name, from + minute);
      for (const name of names) assert.equal(await actions.look(name, from + 32), 'pending-delegation', name);
      world.provider.activate(apex);
    }

    it('its names are whose they were, in a zone of the operator with names of several orgs', async () => {
      const { add, look, show, hide, routes } = actions;
      world.provider.add('corp.com', 'active');
      const toy = { serviceId: await world.newService('toy', 'platform'), service: 'toy', org: 'platform' };
      await add(ofAcme('toy.corp.com', { ...toy, byAdministrator: true }), 0);
      assert.equal(await look('toy.corp.com', 0), 'active');
      for (const [index, request] of [ofAcme('shop.corp.com'), ofGlobex('blog.corp.com', MANAGED)].entries()) {
        show(request);
        await add(request, index + 1);
        assert.equal(await look(request.domain, index + 2), 'active');
        hide(request);
      }
      const names = ['shop.corp.com', 'toy.corp.com', 'blog.corp.com'];
      for (const name of names) await look(name, 10);
      await stray('corp.com', names, 60);
      for (const name of names) assert.equal(await look(name, 100), 'active', name);
      assert.deepEqual(await routes(), ['blog.corp.com blog', 'shop.corp.com shop', 'toy.corp.com toy']);
    });

    for (const waits of [false, true]) {
      const [whose, maker] = waits
        ? ['nobody\u2019s', 'waits for a name still']
        : ['whose they were', 'waits for none'];
      it(`its names are ${whose} where another org\u2019s add had made the zone, which ${maker}`, async () => {
        const { add, look, remove, show, hide } = actions;
        await add(ofGlobex('zz.own.com', MANAGED), 0);
        const own = ofAcme('shop.own.com');
        show(own);
        await add(own, 1);
        world.provider.activate('own.com');
        hide(own);
        assert.equal(await look('shop.own.com', 2), 'active');
        if (!waits) await remove(ofGlobex('zz.own.com', MANAGED), 3);
        world.provider.moveAway('own.com');
        for (const minute of [60, 75, 91, 92]) await look('shop.own.com', minute);
        world.provider.activate('own.com');
        assert.equal(await look('shop.own.com', 100), waits ? 'pending-proof' : 'active');
      });
    }

    it('an org that shows meanwhile that the domain is its own has it, whatever was there before', async () => {
      const { add, look, show, hide, routes } = actions;
      world.provider.add('corp.com', 'active');
      const seller = ofGlobex('blog.corp.com', MANAGED);
      show(seller);
      await add(seller, 0);
      assert.equal(await look('blog.corp.com', 1), 'active');
      hide(seller);
      world.provider.moveAway('corp.com');
      const buyer = ofAcme('shop.corp.com');
      show(buyer);
      // Before any look has seen that it leads elsewhere.
      await add(buyer, 50);
      for (const minute of [60, 75, 91, 92]) await look('blog.corp.com', minute);
      world.provider.activate('corp.com');
      hide(buyer);
      assert.deepEqual(
        [await look('shop.corp.com', 100), await look('blog.corp.com', 100)],
        ['active', 'pending-proof'],
      );
      assert.deepEqual(await routes(), ['shop.corp.com shop']);
    });

    it('and that another one is made for in the meantime, they are not', async () => {
      const { add, look, show, hide } = actions;
      world.provider.add('corp.com', 'active');
      const own = ofAcme('shop.corp.com');
      show(own);
      await add(own, 0);
      assert.equal(await look('shop.corp.com', 1), 'active');
      hide(own);
      world.provider.removeZone('corp.com');
      for (const minute of [60, 75, 91, 92]) await look('shop.corp.com', minute);
      world.provider.add('corp.com', 'active');
      assert.equal(await look('shop.corp.com', 100), 'pending-proof');
    });
  });

  it('a name goes from one service of an org to another one of it without a proof', async () => {
    const { add, look, remove } = actions;
    await add(ofAcme('shop.own.com'), 0);
    world.provider.activate('own.com');
    assert.equal(await look('shop.own.com', 1), 'active');
    await remove(ofAcme('shop.own.com'), 2);
    const other = { serviceId: await world.newService('other', 'acme'), service: 'other' };
    await add(ofAcme('shop.own.com', other), 3);
    assert.equal(await look('shop.own.com', 4), 'active');
    assert.deepEqual(actions.records('shop.own.com'), [INGRESS]);
  });
});
