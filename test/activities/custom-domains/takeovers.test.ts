import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { claimDomain } from '../../../activities/custom-domains/claim-domain.ts';
import { observeDomain } from '../../../activities/custom-domains/observe-domain.ts';
import { prepareDomain } from '../../../activities/custom-domains/prepare-domain.ts';
import { beginRemoval, removeDomain } from '../../../activities/custom-domains/remove-domain.ts';
import type { AddDomain } from '../../../domain/custom-domains/messages.ts';
import { ownershipProof } from '../../../domain/custom-domains/ownership-proof.ts';
import { type CustomDomainsWorld, createCustomDomainsParts, INGRESS } from '../../support/custom-domains-parts.ts';

const HERE = { type: 'A', content: INGRESS } as const;
const ELSEWHERE = { type: 'A', content: '198.51.100.1' } as const;
const MANAGED = { mode: 'cloudflare' } as const;
const DAY = 24 * 60;
const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 10, minute));

/** `acme` has the service shop, and is whom a domain belongs to; `globex` has blog, and squats, or owned it before. */
describe('names that others had or wait for', () => {
  let world: CustomDomainsWorld;
  beforeEach(async () => {
    world = await createCustomDomainsParts();
  });

  async function add(request: AddDomain, minute: number): Promise<void> {
    const { holderId } = await claimDomain(world.deps, request, at(minute));
    const of = { domain: request.domain, holderId };
    await prepareDomain(world.deps, of, { overwrite: request.overwrite, at: at(minute) });
  }
  async function look(domain: string, minute: number, isAsked = false): Promise<string> {
    const holderId = (await world.deps.domains.find(domain))?.holder?.id ?? '';
    const seen = await observeDomain(world.deps, { domain, holderId, isAsked }, at(minute));
    return seen.kind === 'seen' ? seen.state : seen.kind;
  }
  async function remove({ domain, serviceId }: AddDomain, minute: number): Promise<void> {
    const of = await beginRemoval(world.deps, { domain, serviceId, by: 'usr_ada', requestId: 'req_1' }, at(minute));
    await removeDomain(world.deps, of, at(minute));
  }
  const routes = async () => (await world.deps.hosts.list()).map(({ host, service }) => `${host} ${service}`).sort();
  const show = (request: AddDomain) => world.dns.setText(ownershipProof(request).name, ownershipProof(request).value);
  const hide = (request: AddDomain) => world.dns.setText(ownershipProof(request).name);
  const records = (domain: string) => world.provider.recordsOf(domain).map(({ content }) => content);
  const ofGlobex = (domain: string, fields: Partial<AddDomain> = {}) =>
    world.request(domain, { ...world.ofBlog, ...fields });

  describe('in a zone that is delegated here, where its owner publishes nothing', () => {
    /** Delegated to acme, by its first name. */
    async function delegate(): Promise<void> {
      await add(world.request('shop.own.com', MANAGED), 0);
      world.provider.activate('own.com');
      assert.equal(await look('shop.own.com', 1), 'active');
    }

    for (const isRevived of [false, true]) {
      it(`a squatter in direct mode gives way to the owner of the zone${isRevived ? ', also once it failed and was revived' : ''}`, async () => {
        await delegate();
        await add(ofGlobex('www.own.com'), 2);
        await look('www.own.com', 3);
        if (isRevived) {
          assert.equal(await look('www.own.com', 31 * DAY), 'failed');
          await look('www.own.com', 31 * DAY + 1, true);
        }
        await add(world.request('www.own.com', MANAGED), 31 * DAY + 2);
        assert.equal(await look('www.own.com', 31 * DAY + 3), 'active');
        assert.deepEqual(records('www.own.com'), [INGRESS]);
      });
    }

    it('a squatter that was there before the owner gives way as well', async () => {
      await add(ofGlobex('www.own.com'), 0);
      const first = world.request('shop.own.com', MANAGED);
      show(first);
      await add(first, 1);
      world.provider.activate('own.com');
      hide(first);
      assert.equal(await look('shop.own.com', 2), 'active');
      await add(world.request('www.own.com', MANAGED), 3);
      assert.equal(await look('www.own.com', 4), 'active');
    });

    it('a name is its owner\u2019s again once the zone is back, though others wait for names; others of the domain are not', async () => {
      await delegate();
      await add(ofGlobex('zz.own.com'), 2);
      world.provider.moveAway('own.com');
      for (const minute of [60, 76, 95, 96]) await look('shop.own.com', minute);
      assert.equal(await look('shop.own.com', 97), 'pending-delegation');
      await add(world.request('new.own.com', MANAGED), 98);
      assert.equal(await look('new.own.com', 99), 'pending-proof');
      world.provider.activate('own.com');
      assert.equal(await look('shop.own.com', 100), 'active');
      assert.deepEqual(await routes(), ['shop.own.com shop']);
    });

    it('who published the proof before the delegation has the name, whoever comes before the first look', async () => {
      const own = world.request('shop.own.com', MANAGED);
      await add(own, 0);
      assert.equal(await look('shop.own.com', 1), 'pending-delegation');
      show(own);
      assert.equal(await look('shop.own.com', 2), 'pending-delegation');
      world.provider.activate('own.com');
      hide(own);
      await add(ofGlobex('zz.own.com'), 3);
      assert.equal(await look('shop.own.com', 4), 'active');
      assert.deepEqual(await routes(), ['shop.own.com shop']);
    });

    for (const isRemoved of [false, true]) {
      it(`a claim that was proven, and ${isRemoved ? 'removed' : 'failed'} before the delegation, leaves the domain to nobody else`, async () => {
        await add(ofGlobex('zz.own.com', MANAGED), 0);
        const own = world.request('shop.own.com', MANAGED);
        show(own);
        await add(own, 1);
        assert.equal(await look('shop.own.com', 2), 'pending-delegation');
        if (isRemoved) await remove(own, 31 * DAY);
        else assert.equal(await look('shop.own.com', 31 * DAY), 'failed');
        await look('zz.own.com', 31 * DAY);
        world.provider.activate('own.com');
        hide(own);
        for (const name of ['login.own.com', 'shop.own.com']) {
          await add(ofGlobex(name, MANAGED), 31 * DAY + 1).catch(() => undefined);
          await look(name, 31 * DAY + 2);
        }
        assert.equal(await look('zz.own.com', 31 * DAY + 3, true), 'pending-proof');
        assert.deepEqual(await routes(), []);
      });
    }

    it('that others asked for a name asks its owner for no proof', async () => {
      await delegate();
      const third = { serviceId: await world.newService('third', 'initech'), service: 'third', org: 'initech' };
      const squat = ofGlobex('www.own.com');
      await add(squat, 2);
      await assert.rejects(add(world.request('www.own.com', third), 3), { code: 'DOMAIN_TAKEN' });
      await remove(squat, 4);
      await add(world.request('www.own.com', MANAGED), 5);
      assert.equal(await look('www.own.com', 6), 'active');
    });

    for (const isBefore of [true, false]) {
      it(`who has proven the domain ${isBefore ? 'before' : 'after'} the add of the first name has the others without`, async () => {
        await add(ofGlobex('zz.own.com'), 0);
        const first = world.request('shop.own.com', MANAGED);
        if (isBefore) show(first);
        await add(first, 1);
        show(first);
        await look('shop.own.com', 2);
        world.provider.activate('own.com');
        hide(first);
        assert.equal(await look('shop.own.com', 3), 'active');
        await add(world.request('api.own.com', MANAGED), 4);
        assert.deepEqual([await look('api.own.com', 5), records('api.own.com')], ['active', [INGRESS]]);
        assert.equal(await look('zz.own.com', 6), 'pending-proof');
      });
    }

    it('who squats in direct mode takes no name from the owner of the zone', async () => {
      await delegate();
      await add(world.request('www.own.com', MANAGED), 2);
      await assert.rejects(add(ofGlobex('www.own.com'), 3), { code: 'DOMAIN_TAKEN' });
      await assert.rejects(add(ofGlobex('www.own.com', MANAGED), 4), { code: 'DOMAIN_TAKEN' });
    });
  });

  describe('where the platform has no zones, so that customers set the records', () => {
    it('who has one name in cloudflare mode has no other one of the domain by that', async () => {
      world = await createCustomDomainsParts({ zones: null });
      await add(ofGlobex('a.corp.com', MANAGED), 0);
      world.dns.lead('a.corp.com', HERE);
      assert.equal(await look('a.corp.com', 1), 'active');
      await add(world.request('b.corp.com'), 2);
      await assert.rejects(add(ofGlobex('b.corp.com', MANAGED), 3), { code: 'DOMAIN_TAKEN' });
      world.dns.lead('c.corp.com', HERE);
      await add(ofGlobex('c.corp.com', MANAGED), 4);
      assert.equal(await look('c.corp.com', 5), 'pending-proof');
      assert.deepEqual(await routes(), ['a.corp.com blog']);
    });
  });

  it('while nobody says to whom a zone is delegated, its names are whose they were, and it stays', async () => {
    const [first, second] = [world.request('shop.own.com', MANAGED), world.request('new.made.com', MANAGED)];
    await add(first, 0);
    world.provider.activate('own.com');
    assert.equal(await look('shop.own.com', 1), 'active');
    await add(second, 2);
    for (const apex of ['own.com', 'made.com']) world.provider.silence(apex);
    for (const minute of [60, 75, 95, 120]) assert.equal(await look('shop.own.com', minute), 'active');
    assert.deepEqual([await routes(), world.alarms], [['shop.own.com shop'], []]);
    assert.equal(await look('new.made.com', 121), 'pending-delegation');
    const { holder } = (await world.deps.domains.find('new.made.com')) ?? assert.fail();
    assert.match(holder?.reason ?? '', /nobody said .* set them to ada\.ns-provider\.com/);
    await remove(second, 122);
    assert.equal(world.provider.hasZone('made.com'), true);
    // It counts as delegated to acme all the while.
    await add(ofGlobex('zz.own.com'), 123);
    world.provider.activate('own.com');
    await add(world.request('www.own.com', MANAGED), 124);
    assert.equal(await look('www.own.com', 125), 'active');
  });

  describe('of a domain that was sold', () => {
    const buyer = () => world.request('sold.com', MANAGED);

    /** The names of globex in its zone lead elsewhere by now. */
    async function sell(): Promise<void> {
      for (const name of ['www.sold.com', 'login.sold.com']) await add(ofGlobex(name, MANAGED), 0);
      world.provider.activate('sold.com');
      for (const name of ['www.sold.com', 'login.sold.com']) assert.equal(await look(name, 1), 'active');
      world.provider.moveAway('sold.com');
      for (const name of ['www.sold.com', 'login.sold.com']) {
        for (const minute of [100, 130, 170]) await look(name, minute);
      }
      assert.equal(await look('login.sold.com', 171), 'pending-delegation');
    }

    it('the seller has nothing once the buyer has proven it, and it is active nowhere once that delegates it here', async () => {
      await sell();
      assert.equal((await routes()).length, 2, 'the routes stay while nobody else has shown anything');
      show(buyer());
      await add(buyer(), 300);
      assert.equal(await look('login.sold.com', 301), 'pending-proof');
      world.provider.activate('sold.com');
      hide(buyer());
      assert.equal(await look('sold.com', 400), 'active');
      assert.deepEqual(
        [await look('login.sold.com', 401), await look('www.sold.com', 401)],
        ['pending-proof', 'pending-proof'],
      );
      assert.deepEqual(await routes(), ['sold.com shop']);
      assert.deepEqual(records('login.sold.com'), []);
      await add(world.request('www.sold.com', MANAGED), 500);
      assert.equal(await look('www.sold.com', 501), 'active');
    });

    it('a seller who comes back to it before anybody else shows something has it again', async () => {
      await sell();
      world.provider.activate('sold.com');
      assert.equal(await look('login.sold.com', 200), 'active');
      await add(ofGlobex('new.sold.com', MANAGED), 201);
      assert.equal(await look('new.sold.com', 202), 'active');
    });

    it('a proof from before the sale gives the seller no name that leads here for the buyer', async () => {
      await add(world.request('zz.sold.com', { org: 'acme' }), 0);
      const apex = ofGlobex('sold.com');
      show(apex);
      await add(apex, 1);
      world.dns.lead('sold.com', HERE);
      await look('sold.com', 2);
      assert.equal(await look('sold.com', 3), 'active');
      hide(apex);
      world.dns.lead('sold.com', ELSEWHERE);
      const own = world.request('shop.sold.com');
      show(own);
      await add(own, 10);
      world.dns.lead('shop.sold.com', HERE);
      await look('shop.sold.com', 11);
      for (const minute of [100, 130, 170, 171]) await look('sold.com', minute);
      assert.deepEqual(await routes(), ['shop.sold.com shop']);
      await add(ofGlobex('login.sold.com'), 20 * DAY);
      world.dns.lead('login.sold.com', HERE);
      assert.equal(await look('login.sold.com', 20 * DAY + 1), 'pending-proof');
      assert.deepEqual(await routes(), ['shop.sold.com shop']);
    });

    for (const isShown of [true, false]) {
      it(`what failed for its certificate alone gives the seller nothing after the sale${isShown ? ', though proven' : ''}`, async () => {
        world = await createCustomDomainsParts({ certificates: { set: async () => undefined, read: async () => [] } });
        const apex = ofGlobex('sold.com');
        if (isShown) show(apex);
        await add(apex, 0);
        world.dns.lead('sold.com', HERE);
        assert.equal(await look('sold.com', 1), 'pending-certificate');
        assert.equal(await look('sold.com', 31 * DAY), 'failed');
        hide(apex);
        world.dns.lead('sold.com', ELSEWHERE);
        world.dns.lead('shop.sold.com', HERE);
        await add(ofGlobex('shop.sold.com'), 40 * DAY);
        assert.equal(await look('shop.sold.com', 40 * DAY + 1), 'pending-proof');
        // Nor does a look at it that the seller asks for.
        assert.equal(await look('sold.com', 41 * DAY, true), 'pending-dns');
        world.dns.lead('login.sold.com', HERE);
        await add(ofGlobex('login.sold.com'), 41 * DAY);
        assert.equal(await look('login.sold.com', 41 * DAY + 1), 'pending-proof');
        assert.deepEqual(await routes(), ['sold.com blog']);
      });
    }

    it('a name that failed for its certificate alone, and leads here still, is its owner\u2019s as before once they ask', async () => {
      world = await createCustomDomainsParts({ certificates: { set: async () => undefined, read: async () => [] } });
      const apex = world.request('own.com');
      show(apex);
      await add(apex, 0);
      world.dns.lead('own.com', HERE);
      await look('own.com', 1);
      await look('own.com', 31 * DAY);
      hide(apex);
      assert.equal(await look('own.com', 32 * DAY, true), 'pending-certificate');
      world.dns.lead('shop.own.com', HERE);
      await add(world.request('shop.own.com'), 32 * DAY + 1);
      assert.equal(await look('shop.own.com', 32 * DAY + 2), 'pending-certificate');
      assert.deepEqual(await routes(), ['own.com shop', 'shop.own.com shop']);
    });

    it('a name that waits for its certificate when it is sold gives the seller nothing afterwards', async () => {
      const apex = ofGlobex('sold.com');
      show(apex);
      await add(apex, 0);
      world.dns.lead('sold.com', HERE);
      assert.equal(await look('sold.com', 1), 'pending-certificate');
      hide(apex);
      world.dns.lead('sold.com', ELSEWHERE);
      for (const minute of [60, 120, 180]) await look('sold.com', minute);
      world.dns.lead('shop.sold.com', HERE);
      await add(ofGlobex('shop.sold.com'), 3 * DAY);
      assert.equal(await look('shop.sold.com', 3 * DAY + 1), 'pending-proof');
      assert.deepEqual(await routes(), ['sold.com blog']);
    });

    it('a proof that was shown before the sale, of a name that was never served, counts no more than the buyer\u2019s', async () => {
      await add(world.request('zz.sold.com'), 0);
      const seller = ofGlobex('www.sold.com', MANAGED);
      show(seller);
      await add(seller, 1);
      assert.equal(await look('www.sold.com', 2), 'pending-delegation');
      assert.deepEqual(records('www.sold.com'), [INGRESS]);
      world.dns.setText(ownershipProof(buyer()).name, ownershipProof(buyer()).value);
      await add(buyer(), 10);
      assert.equal(await look('www.sold.com', 11), 'pending-proof');
      assert.deepEqual(records('www.sold.com'), []);
      world.provider.activate('sold.com');
      hide(buyer());
      assert.deepEqual([await look('sold.com', 12), await look('www.sold.com', 12)], ['active', 'pending-proof']);
    });

    it('what led to the seller is undone also where the worker dies before it is', async () => {
      await sell();
      show(buyer());
      await add(buyer(), 300);
      const { hosts } = world.deps;
      const dying = { ...hosts, remove: () => Promise.reject(new Error('killed')) };
      const holderId = (await world.deps.domains.find('login.sold.com'))?.holder?.id ?? '';
      const observation = { domain: 'login.sold.com', holderId, isAsked: false };
      await assert.rejects(observeDomain({ ...world.deps, hosts: dying }, observation, at(301)), /killed/);
      assert.equal(await look('login.sold.com', 302), 'pending-proof');
      assert.deepEqual([await routes(), records('login.sold.com')], [['www.sold.com blog'], []]);
    });
  });

  describe('that lead here already', () => {
    it('whoever adds one first is asked for a proof; an administrator, and who had it lately, are not', async () => {
      world.dns.lead('git.corp.com', HERE);
      await add(ofGlobex('git.corp.com'), 0);
      assert.equal(await look('git.corp.com', 1), 'pending-proof');
      assert.deepEqual(await routes(), []);
      world.dns.lead('www.corp.net', HERE);
      await add(world.request('www.corp.net', { byAdministrator: true }), 2);
      assert.equal(await look('www.corp.net', 3), 'pending-certificate');
      await remove(world.request('www.corp.net'), 4);
      await add(world.request('www.corp.net'), 5);
      assert.equal(await look('www.corp.net', 6), 'pending-certificate');
      await remove(world.request('www.corp.net'), 7);
      await add(world.request('www.corp.net'), 100 * DAY);
      assert.equal(await look('www.corp.net', 100 * DAY + 1), 'pending-proof');
    });

    it('a name whose servers did not answer at the add is judged by the first answer', async () => {
      for (const domain of ['here.corp.com', 'later.corp.org']) {
        world.dns.fail(domain, 'ETIMEOUT');
        await add(ofGlobex(domain), 0);
        assert.equal(await look(domain, 1), 'pending-dns');
        world.dns.heal(domain);
      }
      world.dns.lead('here.corp.com', HERE);
      assert.equal(await look('here.corp.com', 2), 'pending-proof');
      assert.equal(await look('later.corp.org', 2), 'pending-dns');
      world.dns.lead('later.corp.org', HERE);
      assert.equal(await look('later.corp.org', 3), 'pending-certificate');
      assert.deepEqual(await routes(), ['later.corp.org blog']);
    });

    it('one server that knows nothing of a name, or has an old zone, is not enough to say that it led elsewhere', async () => {
      for (const [domain, minute] of [
        ['git.corp.com', 0],
        ['wiki.corp.org', 10],
      ] as const) {
        const isSilent = domain === 'wiki.corp.org';
        world.dns.fail(domain, 'ETIMEOUT', { but: isSilent ? 0 : 1 });
        await add(ofGlobex(domain), minute);
        world.dns.fail(domain, 'ETIMEOUT', { but: 1 });
        assert.equal(await look(domain, minute + 1), 'pending-dns');
        world.dns.heal(domain);
        world.dns.lead(domain, HERE);
        assert.equal(await look(domain, minute + 2), 'pending-proof', domain);
      }
      assert.deepEqual(await routes(), []);
    });

    it('one that leads here among others led here before', async () => {
      world.dns.lead('git.corp.com', HERE, { type: 'AAAA', content: '2001:db8::9' });
      await add(ofGlobex('git.corp.com'), 0);
      assert.equal(await look('git.corp.com', 1), 'pending-proof');
    });

    it('who has the domain itself by its DNS adds www beside it, which leads here by now', async () => {
      await add(world.request('own.com'), 0);
      world.dns.lead('own.com', HERE);
      world.dns.lead('www.own.com', HERE);
      await look('own.com', 1);
      await add(world.request('www.own.com'), 2);
      assert.equal(await look('www.own.com', 3), 'pending-certificate');
    });
  });
});
