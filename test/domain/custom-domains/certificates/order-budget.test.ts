import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  heldBack,
  type PlacedOrder,
  type WishedName,
} from '../../../../domain/custom-domains/certificates/order-budget.ts';

const HOUR_MS = 3_600_000;
const now = new Date('2026-06-15T12:00:00Z');
const ago = (hours: number): Date => new Date(now.getTime() - hours * HOUR_MS);
const domainOf = (name: string): string => name.split('.').slice(-2).join('.');
const wish = (names: readonly string[], isReplaced: boolean, claimant = 'acme'): readonly WishedName[] =>
  names.map((host) => ({ host, claimant, isReplaced }));
/** Of an order, or of its first name that is held back. */
const wait = (names: readonly string[], placed: readonly PlacedOrder[], isReplacement = false) => {
  const held = heldBack({ names: wish(names, isReplacement), isReplacement }, placed, { now, domainOf });
  const waits = [...held.names, held.order].filter((one) => one !== null);
  return waits.sort((one, other) => other.until.getTime() - one.until.getTime())[0] ?? null;
};
const orders = (
  count: number,
  order: (index: number) => Partial<PlacedOrder> & { readonly org?: string },
): readonly PlacedOrder[] =>
  Array.from({ length: count }, (_, index) => {
    const { org = 'globex', names = ['a.example.com'], ...more } = order(index);
    return { names, claimants: names.map(() => org), orgs: [org], at: ago(1), failed: [], ...more };
  });

describe('the budget of orders', () => {
  it('lets the first order pass', () => {
    assert.equal(wait(['a.example.com'], []), null);
  });

  it('holds the sixth certificate of exactly the same names until the first is a week old', () => {
    const placed = orders(5, (index) => ({ names: ['b.example.com', 'a.example.com'], at: ago(10 + index) }));
    assert.deepEqual(
      wait(['a.example.com', 'b.example.com'], placed)?.until,
      new Date(ago(14).getTime() + 7 * 24 * HOUR_MS),
    );
    assert.equal(wait(['a.example.com', 'b.example.com'], placed.slice(1)), null);
    assert.equal(wait(['a.example.com'], placed), null, 'other names are another certificate');
    assert.equal(wait(['a.example.com', 'b.example.com'], placed, true), null, 'a replacement counts for none');
  });

  it('holds names of one domain, and none of another', () => {
    const placed = orders(45, (index) => ({ names: [`n${index}.example.com`] }));
    assert.match(wait(['new.example.com'], placed)?.reason ?? '', /45 certificates for names of this domain/);
    assert.equal(wait(['new.example.org'], placed), null);
    assert.equal(wait(['new.example.com'], placed.slice(1)), null);
  });

  it('holds a name that failed four times in an hour, also where it replaces a certificate', () => {
    const placed = orders(4, (index) => ({ failed: ['a.example.com'], at: ago(0.1 * (index + 1)) }));
    assert.deepEqual(wait(['a.example.com'], placed)?.until, new Date(ago(0.4).getTime() + HOUR_MS));
    assert.ok(wait(['a.example.com'], placed, true));
    assert.equal(wait(['b.example.com'], placed), null);
    assert.equal(
      wait(
        ['a.example.com'],
        orders(4, () => ({ failed: ['a.example.com'], at: ago(1.5) })),
      ),
      null,
    );
  });

  const failing = (org: string) =>
    orders(20, (index) => ({ org, names: [`n${index}.net`], failed: [`n${index}.net`], at: ago(0.1 * (index + 1)) }));

  it('holds an org whose orders fail, whatever their names; and no other org', () => {
    const held = wait(['a.example.com'], failing('acme'));
    assert.match(held?.reason ?? '', /20 failed orders of this org/);
    assert.deepEqual(held?.until, new Date(ago(2).getTime() + 3 * HOUR_MS));
    assert.equal(wait(['a.example.com'], failing('globex')), null);
    assert.equal(wait(['a.example.com'], failing('acme').slice(1)), null);
  });

  it('holds no renewal back for failures of other names, but new names of whose orders fail', () => {
    assert.equal(wait(['a.example.com'], failing('acme'), true), null);
    const names = [...wish(['a.example.com'], true), ...wish(['new.example.com'], false)];
    const held = heldBack({ names, isReplacement: true }, failing('acme'), { now, domainOf });
    assert.deepEqual([held.order, held.names.map(({ host }) => host)], [null, ['new.example.com']]);
  });

  it('counts for the org that a name was added for: one that shares a service uses up nothing of its owner', () => {
    const both = { names: ['shop.acme.com', 'shop.globex.com'], claimants: ['acme', 'globex'] };
    const failed = orders(20, () => ({ ...both, orgs: ['globex'], failed: ['shop.globex.com'], at: ago(1.5) }));
    const placed = orders(60, () => ({ ...both, orgs: ['globex'] }));
    const names = [...wish(['other.acme.com'], false), ...wish(['other.globex.com'], false, 'globex')];
    for (const all of [failed, placed]) {
      const held = heldBack({ names, isReplacement: false }, all, { now, domainOf: (name) => name });
      assert.deepEqual(
        held.names.map(({ host }) => host),
        ['other.globex.com'],
      );
    }
  });

  it('holds an org that orders ever more, but for renewals', () => {
    const placed = orders(60, (index) => ({ org: 'acme', names: [`a.n${index}.net`] }));
    assert.match(wait(['a.example.com'], placed)?.reason ?? '', /60 orders of this org/);
    assert.equal(wait(['a.example.com'], placed, true), null);
    assert.equal(wait(['a.example.com'], placed.slice(1)), null);
  });

  it('waits for the last of several limits', () => {
    const placed = [
      ...orders(5, () => ({ at: ago(24) })),
      ...orders(4, () => ({ failed: ['a.example.com'], at: ago(0.5) })),
    ];
    assert.match(wait(['a.example.com'], placed)?.reason ?? '', /exactly these names/);
  });
});
