import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { OrgChanges, OrgStore } from '../../../domain/orgs/ports.ts';
import { allPages } from './all-pages.ts';
import { CALLERS, HOSTILE, refusals } from './at-once.ts';
import { at, orgRecord } from './records.ts';

/** What every {@link OrgStore} guarantees; begins with an empty one. */
export function orgStoreSuite(create: (now: Clock) => OrgStore): void {
  const store = create(() => at(10));

  describe('OrgStore', () => {
    it('there is one platform org, also when 50 are made at once', async () => {
      assert.equal(await store.findPlatformOrg(), null);
      const insert = (caller: number) =>
        store.insert(orgRecord({ id: `ORG-PLATFORM${caller}`, slug: `platform-${caller}`, platform: true }));
      assert.equal(await refusals('ORG_EXISTS', insert), CALLERS - 1);
      assert.match((await store.findPlatformOrg())?.slug ?? '', /^platform-/);
    });

    it('there is one org of a slug, also when 50 are made at once, and as many others as one likes', async () => {
      const insert = (caller: number) => store.insert(orgRecord({ id: `ORG-RACE${caller}`, slug: 'race' }));
      assert.equal(await refusals('ORG_EXISTS', insert), CALLERS - 1);
      for (const slug of ['one', 'two']) await store.insert(orgRecord({ id: `ORG-${slug}`, slug }));
    });

    it('gives back what was put in, by id and by slug, and null for what it does not know', async () => {
      const whiteLabel = { emailFromName: 'Acme', logoUrl: null, primaryColor: '#000000' };
      const org = orgRecord({ id: 'ORG-WHOLE', slug: 'whole', whiteLabel, suspendedAt: at(1) });
      await store.insert(org);
      assert.deepEqual(await store.find('ORG-WHOLE'), org);
      assert.deepEqual(await store.find('whole'), org);
      for (const text of ['none', 'ORG-', 'ORG-NONE', ...HOSTILE]) assert.equal(await store.find(text), null, text);
      assert.equal(await store.update('ORG-NONE', { name: 'x' }), null);
      assert.deepEqual(await store.findMany(['ORG-WHOLE', 'ORG-NONE', ...HOSTILE]), [org]);
      assert.deepEqual(await store.findMany([]), []);
    });

    it('sets what is given, keeps the rest, and writes no field that is not one to change', async () => {
      const org = orgRecord({ id: 'ORG-CHANGE', slug: 'change' });
      await store.insert(org);
      const changed = await store.update('ORG-CHANGE', { name: 'Renamed', suspendedAt: at(3) });
      assert.deepEqual(changed, { ...org, name: 'Renamed', suspendedAt: at(3), updatedAt: at(10) });
      const smuggled = { slug: 'thief', platform: true, onlyOne: 'platform', _id: 'ORG-X', 'whiteLabel.logoUrl': 1 };
      await store.update('ORG-CHANGE', smuggled as unknown as OrgChanges);
      assert.deepEqual(await store.find('ORG-CHANGE'), changed);
    });

    it('loses no part of policy and appearance that two change at once', async () => {
      await store.insert(orgRecord({ id: 'ORG-PARTS', slug: 'parts' }));
      await Promise.all([
        store.update('ORG-PARTS', { policy: { secondFactorRequired: true }, whiteLabel: { emailFromName: 'Acme' } }),
        store.update('ORG-PARTS', { policy: { sessionHours: 8 }, whiteLabel: { primaryColor: '#000000' } }),
      ]);
      const { policy, whiteLabel } = (await store.find('parts')) ?? {};
      assert.deepEqual(policy, { secondFactorRequired: true, sessionHours: 8 });
      assert.deepEqual(whiteLabel, { emailFromName: 'Acme', logoUrl: null, primaryColor: '#000000' });
    });

    it('keeps kinds of mail whatever they are called', async () => {
      const mailTemplates = Object.fromEntries(HOSTILE.map((kind) => [kind, { subject: kind, text: 'x' }]));
      await store.insert(orgRecord({ id: 'ORG-MAIL', slug: 'mail' }));
      assert.deepEqual((await store.update('ORG-MAIL', { mailTemplates }))?.mailTemplates, mailTemplates);
      assert.deepEqual((await store.find('mail'))?.mailTemplates, mailTemplates);
    });

    it('lists by slug, in pages that miss and repeat nothing', async () => {
      const slugs = (await allPages((page) => store.list(page), 2)).map((org) => org.slug);
      assert.deepEqual(slugs, [...slugs].sort());
      assert.equal(new Set(slugs).size, slugs.length);
      assert.ok(['one', 'two', 'whole', 'mail'].every((slug) => slugs.includes(slug)));
    });
  });
}
