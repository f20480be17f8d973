import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { type CustomDomain, changedHolder, released } from '../../../domain/custom-domains/custom-domain.ts';
import type { CustomDomainStore, DomainFilter } from '../../../domain/custom-domains/ports.ts';
import { AT, freeName, heldName, newApex, zoneMade } from './records.ts';

const LATER = new Date('2026-11-01T11:00:00Z');

/** What every {@link CustomDomainStore} guarantees. Names and services are new for each test, so one store serves them all. */
export function customDomainStoreSuite(store: () => CustomDomainStore): void {
  describe('CustomDomainStore', () => {
    const newService = (): string => `svc_${randomBytes(6).toString('hex')}`;

    it('gives back what was put in, whatever is set of it', async () => {
      const bare = freeName();
      const zone = { id: 'z1', name: 'a.com', status: 'pending', created: true } as const;
      const full = heldName(
        {
          ...{
            canonical: true,
            hsts: true,
            claimant: 'helpers',
            sharingRevision: 3,
            byAdministrator: true,
            reason: 'why',
            dnsVerified: true,
            proof: { name: '_fairlead.a.com', value: 'fairlead-verify=1' },
          },
          ...{ provenAt: AT, ownedSince: AT, verifiedAt: LATER, attachedAt: AT, observedAt: AT, removingSince: LATER },
          ...{ strayedAt: LATER, ledElsewhere: false, lostToldAt: AT, certificate: { notAfter: LATER, servedAt: AT } },
          untold: [{ event: 'lost', reason: 'why', at: AT }],
          zone: { ...zone, nameServers: ['ns1.a.net'], originalNameServers: ['ns.b.net'] },
          writtenRecord: { type: 'CNAME', content: 'in.a.net' },
          replacedRecord: { type: 'A', content: '192.0.2.1' },
          lost: { since: AT, looks: 2, seenAt: AT },
        },
        {
          former: { serviceId: 'svc_0', org: 'old', until: AT },
          ...{
            contenders: [{ org: 'globex', at: AT }],
            zoneMade: { org: 'acme', at: LATER, wasElsewhere: true, isGone: true, isRemoving: true },
            zonesMade: [{ org: 'acme', at: LATER }],
          },
        },
      );
      assert.deepEqual(await Promise.all([store().insert(bare), store().insert(full)]), [true, true]);
      assert.deepEqual(await store().find(bare.domain), bare);
      assert.deepEqual(await store().find(full.domain), full);
      assert.equal(await store().find(`no-${bare.domain}`), null);
    });

    it('of many who add one name at once, one does', async () => {
      const { domain, apex } = freeName();
      const all = Array.from({ length: 8 }, (_, index) => heldName({ id: `dom_${index}` }, { domain, apex }));
      const added = await Promise.all(all.map((one) => store().insert(one)));
      assert.equal(added.filter(Boolean).length, 1);
      assert.equal((await store().find(domain))?.holder?.id, `dom_${added.indexOf(true)}`);
    });

    it('of two who change one version, one does, and the other is told', async () => {
      const one = heldName();
      await store().insert(one);
      const changes = ['a', 'b'].map((reason) => store().replace(changedHolder(one, { reason })));
      const ended = await Promise.allSettled(changes);
      const refused = ended.filter((each) => each.status === 'rejected');
      assert.equal(refused.length, 1);
      const { code, retryable } = refused[0]?.reason ?? {};
      assert.deepEqual([code, retryable], ['CONFLICT', true]);
      await assert.rejects(store().replace({ ...freeName(), revision: 2 }), { code: 'CONFLICT' });
    });

    it('lists what somebody holds, by name, in pages that miss and repeat nothing', async () => {
      const [service, other] = [newService(), newService()];
      const apex = newApex();
      const add = (label: string, changes: Parameters<typeof heldName>[0]) =>
        store().insert(heldName(changes, { domain: `${label}.${apex}`, apex }));
      await add('c', { serviceId: service, environment: 'uat' });
      await add('a', { serviceId: service });
      await add('b', { serviceId: other });
      const gone = heldName({ serviceId: service }, { domain: `d.${apex}`, apex });
      await store().insert(gone);
      await store().replace(released(gone, LATER));
      const names = async (filter: DomainFilter): Promise<string> => {
        const found: string[] = [];
        let cursor: string | null = null;
        do {
          const page = await store().list(filter, { cursor, limit: 1 });
          found.push(...page.items.map(({ domain }) => domain.slice(0, 1)));
          cursor = page.nextCursor;
        } while (cursor !== null);
        return found.join('');
      };
      assert.equal(await names({ serviceIds: [service] }), 'ac');
      assert.equal(await names({ serviceIds: [service, other] }), 'abc');
      assert.equal(await names({ serviceIds: [service], environment: 'uat' }), 'c');
      assert.equal(await names({ serviceIds: [] }), '');
      assert.equal(await names({ apex }), 'abc');
      assert.equal(await names({ apex: newApex() }), '');
    });

    it('knows the orgs whose names of a registrable domain are proven, and no other', async () => {
      const apex = newApex();
      const add = (label: string, changes: Parameters<typeof heldName>[0]) =>
        store().insert(heldName(changes, { domain: `${label}.${apex}`, apex }));
      await add('a', { org: 'acme', ownedSince: AT });
      await add('b', { org: 'acme', ownedSince: AT });
      await add('c', { org: 'squatter' });
      await add('d', { org: 'acme', claimant: 'helpers' });
      await add('e', { org: 'expired', state: 'failed' });
      await store().insert(heldName({ org: 'elsewhere', ownedSince: AT }));
      const there = { id: 'z1', name: apex, created: true, nameServers: [], originalNameServers: [] };
      const managed = { ownedSince: AT, mode: 'cloudflare', zone: { ...there, status: 'active' } } as const;
      await add('f', { ...managed, org: 'keeper' });
      await add('g', { ...managed, org: 'prover', proof: { name: '_fairlead.g', value: 'v' } });
      await add('j', { ...managed, org: 'early', provenAt: AT });
      await add('k', { ...managed, org: 'away', strayedAt: LATER });
      await add('p', { ...managed, org: 'zoneless', zone: null });
      await add('q', { ...managed, org: 'waits', zone: { ...there, status: 'pending' } });
      await add('r', { ...managed, org: 'failed', state: 'failed' });
      const zone = { name: `_fairlead.${apex}`, value: 'v' };
      await add('l', { ...managed, org: 'zoned', proof: zone, provenAt: AT });
      await add('m', { ...managed, org: 'sold', proof: zone, provenAt: AT, strayedAt: LATER });
      await add('s', { org: 'lapsed', ownedSince: AT, proof: zone, provenAt: AT, state: 'failed' });
      await add('n', { org: 'asked', proof: zone, provenAt: AT });
      await add('o', { org: 'acme', claimant: 'guest', sharingRevision: 1, proof: zone, provenAt: AT, ownedSince: AT });
      const made = (label: string, org: string, at: Date) =>
        freeName({ domain: `${label}.${apex}`, apex, zoneMade: zoneMade({ org, at }) });
      await store().insert(made('h', 'newer', LATER));
      await store().insert(made('i', 'older', AT));
      const { owning, proven, delegated, holding, ...rest } = await store().orgsOfApex(apex, AT);
      const led = ['acme', 'away', 'early', 'guest', 'keeper', 'prover', 'sold', 'waits', 'zoned', 'zoneless'];
      assert.deepEqual([...owning].sort(), [...led, 'failed', 'lapsed'].sort());
      assert.deepEqual([delegated, proven], [['keeper'], ['zoned']]);
      assert.deepEqual([...holding].sort(), [...led, 'helpers', 'asked', 'squatter'].sort());
      await store().insert(heldName({ org: 'itself', ownedSince: AT, provenAt: AT }, { domain: apex, apex }));
      assert.deepEqual([...(await store().orgsOfApex(apex, AT)).proven].sort(), ['itself', 'zoned']);
      assert.deepEqual(rest, {
        left: [],
        leftEver: [],
        zoneMade: zoneMade({ org: 'newer', at: LATER }),
      });
      const nobody = { owning: [], left: [], leftEver: [], proven: [], delegated: [], holding: [], zoneMade: null };
      assert.deepEqual(await store().orgsOfApex(newApex(), AT), nobody);
    });

    it('knows the orgs that have shown since a time that names of a registrable domain are theirs', async () => {
      const apex = newApex();
      const add = (label: string, changes: Parameters<typeof heldName>[0]) =>
        store().insert(heldName(changes, { domain: `${label}.${apex}`, apex }));
      await add('a', { org: 'before', ownedSince: AT, provenAt: AT });
      await add('b', { org: 'led', ownedSince: LATER });
      await add('c', { org: 'proved', provenAt: LATER });
      await add('d', { org: 'away', ownedSince: LATER, strayedAt: LATER });
      await add('e', { org: 'going', ownedSince: LATER, removingSince: LATER });
      await add('f', { org: 'claims' });
      await add('g', { org: 'acme', claimant: 'guest', sharingRevision: 1, ownedSince: LATER, provenAt: LATER });
      assert.deepEqual([...(await store().orgsShownSince(apex, AT))].sort(), ['led', 'proved']);
      assert.deepEqual([...(await store().orgsShownSince(apex, new Date(0)))].sort(), ['before', 'led', 'proved']);
    });

    it('forgets a name, and no version of it that somebody changed meanwhile', async () => {
      const one = heldName();
      await store().insert(one);
      const changed = changedHolder(one, { reason: 'a' });
      await store().replace(changed);
      await assert.rejects(store().remove(one), { code: 'CONFLICT', retryable: true });
      await store().remove(changed);
      assert.equal(await store().find(one.domain), null);
      await assert.rejects(store().remove(changed), { code: 'CONFLICT', retryable: true });
      await assert.rejects(store().replace(changedHolder(changed, { reason: 'b' })), { code: 'CONFLICT' });
    });

    it('remembers the orgs that gave names of a registrable domain back that were theirs', async () => {
      const apex = newApex();
      const giveBack = async (label: string, changes: Parameters<typeof heldName>[0], at: Date) => {
        const record = heldName(changes, { domain: `${label}.${apex}`, apex });
        await store().insert(record);
        await store().replace(released(record, at));
      };
      await giveBack('a', { org: 'early', ownedSince: AT }, AT);
      await giveBack('b', { org: 'late', ownedSince: AT }, LATER);
      await giveBack('c', { org: 'late', ownedSince: AT }, LATER);
      await giveBack('d', { org: 'unproven' }, LATER);
      const { left, leftEver } = await store().orgsOfApex(apex, AT);
      assert.deepEqual([left, [...leftEver].sort()], [['late'], ['early', 'late']]);
    });

    it('counts what an org has under way: names that are not its own yet, and zones that it had made lately', async () => {
      const claimant = `org-${newService()}`;
      const made = (...times: readonly Date[]) => ({
        zoneMade: zoneMade({ org: claimant, at: times.at(-1) ?? AT }),
        zonesMade: times.map((at) => ({ org: claimant, at })),
      });
      await store().insert(heldName({ claimant }, made(AT, LATER, LATER)));
      await store().insert(heldName({ claimant, state: 'failed' }, made(AT)));
      await store().insert(heldName({ claimant, ownedSince: AT }));
      await store().insert(heldName({ org: claimant, claimant: 'acme' }));
      const gone = heldName({ claimant }, made(LATER));
      await store().insert(gone);
      await store().replace(released(gone, LATER));
      const isGone = zoneMade({ org: claimant, at: LATER, isGone: true });
      const before = (await store().usageOf('nobody', AT)).zonesMadeByAll;
      await store().insert(freeName({ zoneMade: isGone, zonesMade: [{ org: 'other', at: LATER }] }));
      assert.equal((await store().usageOf('nobody', AT)).zonesMadeByAll, before);
      const { zonesMadeByAll, ...own } = await store().usageOf(claimant, AT);
      assert.deepEqual(own, { held: 3, waiting: 2, zonesMade: 3 });
      assert.deepEqual(await store().usageOf('nobody', AT), { held: 0, waiting: 0, zonesMade: 0, zonesMadeByAll });
      assert.ok(zonesMadeByAll >= 2);
      assert.equal((await store().usageOf(claimant, LATER)).zonesMadeByAll, 0);
    });

    it('knows whether another name uses the zone of a registrable domain', async () => {
      const apex = newApex();
      const add = (label: string, changes: Parameters<typeof heldName>[0]) =>
        store().insert(heldName(changes, { domain: `${label}.${apex}`, apex }));
      await add('b', { mode: 'direct' });
      await add('c', { mode: 'cloudflare', state: 'failed' });
      assert.equal(await store().usesZone(apex), false);
      await add('a', { mode: 'cloudflare' });
      assert.equal(await store().usesZone(apex), true);
    });

    it('lists the names whose adds had zones made that may be there, held or not', async () => {
      const apex = newApex();
      const add = (label: string, fields: Partial<CustomDomain>) =>
        store().insert(freeName({ domain: `${label}.${apex}`, apex, ...fields }));
      await add('a', { zoneMade: zoneMade({}) });
      await add('b', { zoneMade: zoneMade({ isGone: true }) });
      await add('c', { zoneMade: zoneMade({ isGone: true, isRemoving: true }) });
      await add('d', {});
      await store().insert(heldName({}, { domain: `e.${apex}`, apex, zoneMade: zoneMade({}) }));
      await store().insert(freeName({ zoneMade: zoneMade({}) }));
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await store().listZonesMade({ cursor, limit: 2 }, apex);
        found.push(...page.items.map(({ domain }) => domain.slice(0, 1)));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(found, ['a', 'c', 'e']);
      const all = (await store().listZonesMade({ cursor: null, limit: 500 })).items;
      assert.ok(all.some((one) => one.apex !== apex));
    });

    it('refuses a cursor that it has not given', async () => {
      await assert.rejects(store().list({}, { cursor: 'x', limit: 1 }), { code: 'VALIDATION_FAILED' });
    });
  });
}
