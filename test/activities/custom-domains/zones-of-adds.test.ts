import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { claimDomain } from '../../../activities/custom-domains/claim-domain.ts';
import type { CustomDomainsDeps } from '../../../activities/custom-domains/deps.ts';
import { prepareDomain } from '../../../activities/custom-domains/prepare-domain.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type CustomDomainsWorld, createCustomDomainsParts } from '../../support/custom-domains-parts.ts';
import { at, DAY, MANAGED, type NameActions, nameActions } from '../../support/name-actions.ts';

/** `acme` has the service shop, and `globex` blog. */
describe('zones that adds made', () => {
  let world: CustomDomainsWorld;
  let actions: NameActions;
  beforeEach(async () => {
    world = await createCustomDomainsParts();
    actions = nameActions(world);
  });
  const managed = (domain: string) => world.request(domain, MANAGED);
  const ofGlobex = (domain: string) => world.request(domain, { ...MANAGED, ...world.ofBlog });
  const withZones = (zones: Partial<NonNullable<CustomDomainsDeps['zones']>>): CustomDomainsDeps => {
    assert.ok(world.deps.zones !== null);
    return { ...world.deps, zones: { ...world.deps.zones, ...zones } };
  };
  /** As often as a zone was made. */
  function countMade(): () => number {
    let made = 0;
    const { zones } = world.deps;
    assert.ok(zones !== null);
    const createZone: typeof zones.createZone = async (apex) => {
      made += 1;
      return await zones.createZone(apex);
    };
    actions = nameActions(world, withZones({ createZone }));
    return () => made;
  }

  describe('and no name uses', () => {
    it('go the day after, with the last name, removed or failed, and are nobody\u2019s afterwards', async () => {
      const { add, look, remove, reconcile } = actions;
      await add(managed('www.made.com'), 0);
      await add(managed('shop.made.com'), 1);
      await remove(managed('www.made.com'), 2);
      await reconcile(2 * DAY);
      assert.equal(world.provider.hasZone('made.com'), true, 'one name uses it');
      await look('shop.made.com', 3);
      assert.equal(await look('shop.made.com', 31 * DAY), 'failed');
      await reconcile(31 * DAY + 1);
      assert.equal(world.provider.hasZone('made.com'), false);
      // The operator makes it by hand later on.
      world.provider.add('made.com', 'active');
      await add(managed('mail.made.com'), 32 * DAY);
      assert.equal(await look('mail.made.com', 32 * DAY + 1), 'pending-proof');
    });

    it('are made again where a name that failed is asked for anew', async () => {
      const { add, look, reconcile } = actions;
      await add(managed('www.late.com'), 0);
      assert.equal(await look('www.late.com', 31 * DAY), 'failed');
      await reconcile(31 * DAY);
      assert.equal(world.provider.hasZone('late.com'), false);
      assert.equal(await look('www.late.com', 31 * DAY + 1, true), 'pending-delegation');
      assert.equal(world.provider.hasZone('late.com'), true);
      world.provider.activate('late.com');
      assert.equal(await look('www.late.com', 31 * DAY + 2), 'active');
    });

    it('stay where people wrote records into them, the operator made them, or their domains are delegated here', async () => {
      const { add, look, remove, reconcile } = actions;
      await add(managed('www.kept.com'), 0);
      world.provider.put('kept.com', 'mail.kept.com', [{ type: 'A', content: '198.51.100.1' }]);
      await remove(managed('www.kept.com'), 1);
      world.provider.add('operator.com', 'pending');
      await add(managed('www.operator.com'), 2);
      await remove(managed('www.operator.com'), 3);
      await add(managed('www.live.com'), 4);
      world.provider.activate('live.com');
      await remove(managed('www.live.com'), 5);
      for (const day of [2, 3]) await reconcile(day * DAY);
      for (const apex of ['kept.com', 'operator.com', 'live.com']) assert.ok(world.provider.hasZone(apex), apex);
      // Its maker\u2019s zone is what it was.
      world.provider.activate('kept.com');
      await add(managed('www.kept.com'), 4 * DAY);
      assert.equal(await look('www.kept.com', 4 * DAY + 1), 'active');
    });

    it('go later where nobody said at the removal to whom their domain is delegated, or the provider was away', async () => {
      const { add, remove, reconcile } = actions;
      for (const apex of ['silent.com', 'away.com']) {
        await add(managed(`www.${apex}`), 0);
        if (apex === 'silent.com') world.provider.silence(apex);
        await remove(managed(`www.${apex}`), 1);
      }
      const away = withZones({
        removeZone: () => Promise.reject(new FairleadError('UNAVAILABLE', 'away', { retryable: true })),
      });
      await nameActions(world, away).reconcile(2 * DAY);
      assert.deepEqual(['silent.com', 'away.com'].map(world.provider.hasZone), [true, true]);
      world.provider.moveAway('silent.com');
      await reconcile(3 * DAY);
      assert.deepEqual(['silent.com', 'away.com'].map(world.provider.hasZone), [false, false]);
    });

    it('go with the next round where the worker died before or after they were removed', async () => {
      const { add, remove, reconcile } = actions;
      for (const isRemoved of [false, true]) {
        const apex = isRemoved ? 'after.com' : 'before.com';
        await add(managed(`www.${apex}`), 0);
        await remove(managed(`www.${apex}`), 1);
        const { zones } = world.deps;
        const removeZone: NonNullable<typeof zones>['removeZone'] = async (zone) => {
          if (isRemoved) await zones?.removeZone(zone);
          throw new FairleadError('UNAVAILABLE', 'killed', { retryable: true });
        };
        await nameActions(world, withZones({ removeZone })).reconcile(2 * DAY);
        assert.equal((await world.deps.domains.find(`www.${apex}`))?.zoneMade?.isRemoving, true);
        await reconcile(2 * DAY + 1);
        assert.equal(world.provider.hasZone(apex), false);
        const { zoneMade } = (await world.deps.domains.find(`www.${apex}`)) ?? assert.fail();
        assert.deepEqual([zoneMade?.isGone, zoneMade?.isRemoving], [true, false]);
      }
    });

    it('stay for a name that is asked for anew while the removal is begun: it owes no proof by that', async () => {
      const { add, look } = actions;
      await add(managed('shop.late.com'), 0);
      await world.provider.removeZone('late.com');
      await add(managed('www.late.com'), 0);
      for (const name of ['www.late.com', 'shop.late.com']) assert.equal(await look(name, 31 * DAY), 'failed');
      const { domains } = world.deps;
      let comes = true;
      const racing: CustomDomainsDeps['domains'] = {
        ...domains,
        async replace(record) {
          if (comes && record.zoneMade?.isRemoving) {
            comes = false;
            await look('www.late.com', 31 * DAY + 1, true);
          }
          await domains.replace(record);
        },
      };
      await nameActions(world, { ...world.deps, domains: racing }).reconcile(31 * DAY + 1);
      assert.equal(comes, false);
      for (const name of ['www.late.com', 'shop.late.com']) {
        const { zoneMade } = (await domains.find(name)) ?? assert.fail();
        assert.deepEqual([zoneMade?.isGone, zoneMade?.isRemoving], [false, false], name);
      }
      world.provider.activate('late.com');
      assert.equal(await look('www.late.com', 32 * DAY + 1), 'active');
    });

    it('stay for a name that came since a removal broke off', async () => {
      const { add, look, remove, reconcile } = actions;
      await add(managed('www.made.com'), 0);
      await remove(managed('www.made.com'), 1);
      const killed = new FairleadError('UNAVAILABLE', 'killed', { retryable: true });
      await nameActions(world, withZones({ removeZone: () => Promise.reject(killed) })).reconcile(2 * DAY);
      await add(managed('shop.made.com'), 2 * DAY + 1);
      await reconcile(3 * DAY);
      const { zoneMade } = (await world.deps.domains.find('www.made.com')) ?? assert.fail();
      assert.deepEqual([zoneMade?.isGone, zoneMade?.isRemoving], [false, false]);
      assert.equal(
        await look('shop.made.com', 3 * DAY),
        'pending-proof',
        'it was added while the zone counted as gone',
      );
    });

    it('stay for a name that comes while they are being removed', async () => {
      const { add, look, remove, reconcile } = actions;
      await add(managed('www.made.com'), 0);
      await remove(managed('www.made.com'), 1);
      const { domains } = world.deps;
      let comes = true;
      const racing: CustomDomainsDeps['domains'] = {
        ...domains,
        async usesZone(apex) {
          const uses = await domains.usesZone(apex);
          if (comes) await add(managed('shop.made.com'), 2 * DAY);
          comes = false;
          return uses;
        },
      };
      await nameActions(world, { ...world.deps, domains: racing }).reconcile(2 * DAY);
      assert.equal(world.provider.hasZone('made.com'), true);
      await reconcile(3 * DAY);
      world.provider.activate('made.com');
      assert.equal(await look('shop.made.com', 3 * DAY), 'active');
    });
  });

  describe('are so many within some days', () => {
    it('for an org, whatever becomes of the names', async () => {
      const { add, remove } = actions;
      for (let made = 0; made < 20; made += 1) {
        const request = ofGlobex(`www.zone${made}.com`);
        await add(request, made);
        await remove(request, made);
      }
      const refused = ofGlobex('www.zone20.com');
      await assert.rejects(add(refused, 20), { code: 'RATE_LIMITED', message: /20 were made for globex/ });
      assert.equal(world.provider.hasZone('zone20.com'), false);
      assert.equal(await world.deps.domains.find(refused.domain), null);
      await add(managed('www.zone20.com'), 21);
      await add(ofGlobex('www.zone21.com'), 31 * DAY);
    });

    it('for an org that adds and removes one name again and again: it has the same zone for a day', async () => {
      const made = countMade();
      const { add, remove, reconcile } = actions;
      for (let again = 0; again < 60; again += 1) {
        const request = ofGlobex(`${again % 2 === 0 ? 'www' : 'shop'}.again.com`);
        await add(request, again);
        await remove(request, again);
        await reconcile(again);
      }
      assert.equal(made(), 1);
    });

    it('for an org, also where another one has its zones made for the same names in turn', async () => {
      const made = countMade();
      const { add, remove, reconcile } = actions;
      for (let day = 0; day < 30; day += 1) {
        for (const request of [ofGlobex, managed].map((of) => of(`www.turn.com`))) {
          const minute = (2 * day + (request.org === 'acme' ? 1 : 0)) * 300;
          await add(request, minute).then(
            () => remove(request, minute),
            () => undefined,
          );
        }
        await reconcile(day * DAY);
      }
      const { zonesMade } = (await world.deps.domains.find('www.turn.com')) ?? assert.fail();
      assert.equal(zonesMade.length, made());
      const usage = await Promise.all(['acme', 'globex'].map((org) => world.deps.domains.usageOf(org, at(0))));
      assert.equal(
        usage.reduce((sum, one) => sum + one.zonesMade, 0) + 1,
        made(),
        'the first one is not after the time',
      );
    });

    it('for an org, also where many are added at once', async () => {
      const made = countMade();
      const { add } = actions;
      const adds = Array.from({ length: 60 }, (_, index) => add(ofGlobex(`www.once${index}.com`), 0));
      const ended = await Promise.allSettled(adds);
      assert.ok(made() <= 20, `${made()} zones`);
      assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, made());
      for (const { reason } of ended.filter((one) => one.status === 'rejected')) {
        assert.ok(['RATE_LIMITED', 'CONFLICT'].includes(reason.code), reason);
      }
    });

    it('for all orgs; an administrator goes on', async () => {
      const { add } = actions;
      for (let org = 0; org < 15; org += 1) {
        const name = `s${org}`;
        const service = { serviceId: await world.newService(name, `org${org}`), service: name, org: `org${org}` };
        for (let made = 0; made < 20; made += 1) {
          await add(world.request(`www.z${org}x${made}.com`, { ...MANAGED, ...service }), 0);
        }
      }
      await assert.rejects(add(managed('www.more.com'), 1), {
        code: 'RATE_LIMITED',
        message: /300 were made for all orgs/,
      });
      assert.equal(world.provider.hasZone('more.com'), false);
      await add(world.request('www.admin.com', { ...MANAGED, byAdministrator: true }), 2);
      assert.equal(world.provider.hasZone('admin.com'), true);
    });

    it('and a name that is asked for anew says that there is no room for its zone', async () => {
      const { add, look, reconcile, held } = actions;
      await add(ofGlobex('www.old.com'), 0);
      assert.equal(await look('www.old.com', 31 * DAY), 'failed');
      await reconcile(31 * DAY);
      for (let made = 0; made < 20; made += 1) await add(ofGlobex(`www.zone${made}.com`), 31 * DAY);
      assert.equal(await look('www.old.com', 31 * DAY + 1, true), 'pending-delegation');
      assert.match((await held('www.old.com'))?.reason ?? '', /20 were made for globex/);
      assert.equal(world.provider.hasZone('old.com'), false);
    });

    it('and an attempt that died with its note is looked at again', async () => {
      const { add } = actions;
      for (let made = 0; made < 20; made += 1) await add(ofGlobex(`www.zone${made}.com`), made);
      const request = ofGlobex('www.died.com');
      const of = { domain: request.domain, holderId: (await claimDomain(world.deps, request, at(20))).holderId };
      const { domains } = world.deps;
      const dying = { ...domains, usageOf: () => Promise.reject(new Error('killed')) };
      const wish = { overwrite: false, at: at(20) };
      await assert.rejects(prepareDomain({ ...world.deps, domains: dying }, of, wish), /killed/);
      await assert.rejects(prepareDomain(world.deps, of, wish), { code: 'RATE_LIMITED' });
      assert.deepEqual((await domains.find(request.domain))?.zonesMade, []);
    });
  });
});
