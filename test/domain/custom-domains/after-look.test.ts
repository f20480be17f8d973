import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { afterLook } from '../../../domain/custom-domains/after-look.ts';
import { waitAfterLook } from '../../../domain/custom-domains/back-off.ts';
import { type DomainHolder, isSettled } from '../../../domain/custom-domains/custom-domain.ts';
import type { DomainFacts } from '../../../domain/custom-domains/state-table.ts';
import { AT, holder } from '../../ports/custom-domains/records.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (ms: number): Date => new Date(AT.getTime() + ms);
const ALL: DomainFacts = { proof: 'holds', zone: 'holds', dns: 'holds', hostname: 'holds', certificate: 'holds' };
const GONE = { ...ALL, dns: 'missing' } as const;
const look = (one: DomainHolder, facts: DomainFacts, ms: number) => {
  const after = afterLook(one, { facts, reason: 'ns1 has nothing' }, at(ms));
  return { ...after, holder: { ...one, ...after.changes } };
};
const ACTIVE = holder({
  state: 'active',
  ownedSince: AT,
  verifiedAt: AT,
  pendingSince: null,
  dnsVerified: true,
  observedAt: AT,
});

describe('afterLook', () => {
  it('looks at a pending name after 5 s, 10 s, … 5 min in the first hour, hourly to 30 days, and then no more', () => {
    let one = holder();
    const waits: number[] = [];
    let ms = 0;
    for (let wait: number | null = 0; wait !== null; ms += wait ?? 0) {
      const after = look(one, GONE, ms);
      one = after.holder;
      wait = after.waitMs;
      if (wait !== null) waits.push(wait / 1000);
    }
    assert.deepEqual(waits.slice(0, 8), [5, 10, 20, 40, 80, 160, 300, 300]);
    assert.ok(waits.slice(6).every((seconds) => seconds === 300 || seconds === 3600 || seconds < 3600));
    assert.equal(waits.filter((seconds) => seconds === 3600).length, 718);
    assert.equal(ms, 30 * 24 * HOUR);
    assert.deepEqual([one.state, one.reason], ['failed', '30 days have passed: ns1 has nothing']);
  });

  it('the wait never goes beyond the 30 days', () => assert.equal(waitAfterLook(9, 30 * 24 * HOUR - 1), 1));

  it('a name that has all is active, and says so once', () => {
    const first = look(holder(), ALL, 1);
    assert.deepEqual([first.event, first.holder.state, first.holder.reason], ['verified', 'active', null]);
    assert.deepEqual([first.holder.verifiedAt, first.holder.ownedSince], [at(1), at(1)]);
    const second = look(first.holder, ALL, 2);
    assert.deepEqual([second.event, second.holder.verifiedAt, second.waitMs], [null, at(1), HOUR]);
  });

  it('in direct mode the DNS is verified before the certificate is served', () => {
    const { holder: one, event } = look(holder(), { ...ALL, certificate: 'missing' }, 1);
    assert.deepEqual(
      [one.state, one.dnsVerified, one.ownedSince, one.verifiedAt],
      ['pending-certificate', true, at(1), null],
    );
    assert.equal(event, null);
  });

  it('in external mode dnsVerified becomes true with active', () => {
    const external = holder({ mode: 'external', state: 'pending-cname' });
    const { holder: one } = look(external, { ...ALL, hostname: 'missing' }, 1);
    assert.deepEqual([one.state, one.dnsVerified], ['pending-validation', false]);
    assert.equal(look(one, ALL, 2).holder.dnsVerified, true);
  });

  it('a zone that the add made keeps dnsVerified while it waits for its delegation', () => {
    const zone = {
      id: 'z',
      name: 'a.com',
      status: 'pending',
      created: true,
      nameServers: [],
      originalNameServers: [],
    } as const;
    const { holder: one } = look(holder({ mode: 'cloudflare', zone }), { ...ALL, zone: 'missing' }, 1);
    assert.deepEqual([one.state, one.dnsVerified, one.verifiedAt], ['pending-delegation', true, null]);
  });

  it('a record that is gone is pending again after three looks over half an hour, and still owned', () => {
    const first = look(ACTIVE, GONE, 0);
    assert.deepEqual([first.event, first.holder.state, first.waitMs], ['lost', 'active', 15 * MINUTE]);
    const second = look(first.holder, GONE, 15 * MINUTE);
    assert.deepEqual([second.event, second.holder.state], [null, 'active']);
    const third = look(second.holder, GONE, 30 * MINUTE);
    assert.deepEqual([third.event, third.holder.state, third.holder.dnsVerified], ['repended', 'pending-dns', false]);
    assert.deepEqual([third.holder.ownedSince, third.holder.pendingSince], [AT, at(30 * MINUTE)]);
  });

  const ZONE = {
    id: 'z',
    name: 'a.com',
    status: 'active',
    created: true,
    nameServers: [],
    originalNameServers: [],
  } as const;
  const PROOF = { name: '_fairlead.a.com', value: 'v' };
  /** Three looks over half an hour. */
  const lose = (one: DomainHolder, facts: DomainFacts): DomainHolder => {
    let holder = one;
    for (const minute of [0, 15, 30]) holder = look(holder, facts, minute * MINUTE).holder;
    return holder;
  };
  const PROVEN = { ...ACTIVE, proof: PROOF, provenAt: AT };

  it('a lost name strays: what was shown counts no more, until it is known to be theirs again', () => {
    const strayed = lose(PROVEN, GONE);
    assert.deepEqual([strayed.strayedAt, strayed.provenAt, strayed.proof], [AT, null, null]);
    assert.equal(isSettled(strayed), false);
    const back = look(strayed, { ...ALL, certificate: 'missing' }, HOUR).holder;
    assert.deepEqual([back.state, back.strayedAt, isSettled(back)], ['pending-certificate', null, true]);
    assert.deepEqual(lose({ ...PROVEN, observedAt: null }, GONE).strayedAt, new Date(0), 'nobody knows since when');
    const unproven = look(strayed, { ...ALL, proof: 'missing' }, HOUR).holder;
    assert.deepEqual([unproven.state, unproven.strayedAt], ['pending-proof', AT]);
  });

  it('a zone that is delegated elsewhere strays; one whose record or certificate alone is gone does not', () => {
    const managed = { ...PROVEN, mode: 'cloudflare', zone: ZONE } as const;
    assert.notEqual(lose(managed, { ...ALL, zone: 'missing', dns: 'missing' }).strayedAt, null);
    assert.deepEqual([lose(managed, GONE).strayedAt, lose(managed, GONE).provenAt], [null, AT]);
    assert.deepEqual(lose(PROVEN, { ...ALL, certificate: 'missing' }).strayedAt, null);
    // Without a zone of the platform's, the record is the customer's.
    assert.notEqual(lose({ ...managed, zone: null }, GONE).strayedAt, null);
  });

  it('an owned name that waits for its certificate strays as well, by three looks over half an hour that somebody answered', () => {
    const waiting = { ...PROVEN, state: 'pending-certificate', verifiedAt: null, pendingSince: AT } as const;
    const twice = [0, 15].reduce((one: DomainHolder, minute) => look(one, GONE, minute * MINUTE).holder, waiting);
    assert.deepEqual([twice.lost, twice.strayedAt, twice.provenAt], [{ since: AT, looks: 2, seenAt: AT }, null, AT]);
    const silent = look(twice, { ...ALL, dns: 'unknown' }, 30 * MINUTE).holder;
    assert.deepEqual([silent.lost, silent.strayedAt], [twice.lost, null]);
    const strayed = look(silent, GONE, 45 * MINUTE).holder;
    assert.deepEqual([strayed.strayedAt, strayed.provenAt, strayed.lost], [AT, null, null]);
    const back = look(twice, { ...ALL, certificate: 'missing' }, 30 * MINUTE).holder;
    assert.deepEqual([back.lost, back.strayedAt, back.provenAt], [null, null, AT]);
    // Who has shown it since keeps that, however long the record takes.
    const shown = { ...strayed, proof: PROOF, provenAt: at(50 * MINUTE) };
    const later = [60, 75, 120].reduce((one: DomainHolder, minute) => look(one, GONE, minute * MINUTE).holder, shown);
    assert.deepEqual(later.provenAt, at(50 * MINUTE));
  });

  it('three looks in a row are not enough when less than half an hour passed', () => {
    let one = ACTIVE;
    for (const ms of [0, 1_000, 2_000, 3_000]) one = look(one, GONE, ms).holder;
    assert.equal(one.state, 'active');
  });

  it('a record that is back is forgotten as lost', () => {
    const lost = look(ACTIVE, GONE, 0).holder;
    const back = look(lost, ALL, 15 * MINUTE);
    assert.deepEqual([back.holder.lost, back.holder.reason, back.event], [null, null, null]);
  });

  it('a look that nobody answers neither counts as one nor ends the loss', () => {
    const lost = look(ACTIVE, GONE, 0).holder;
    const silent = look(lost, { ...ALL, dns: 'unknown' }, 15 * MINUTE);
    assert.deepEqual([silent.holder.lost, silent.waitMs], [{ since: AT, looks: 1, seenAt: AT }, 15 * MINUTE]);
  });

  it('while nobody answers, an active name stays as it is, and the last observation too', () => {
    const observed = { ...ACTIVE, observedAt: AT };
    const { holder: one, event } = look(observed, { ...ALL, dns: 'unknown' }, HOUR);
    assert.deepEqual([one.state, one.observedAt, one.lost, event], ['active', AT, null, null]);
  });
});
