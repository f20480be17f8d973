import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planKeyWithdrawal, WITHDRAWN_KEPT_MS } from '../../../domain/identity/plan-key-withdrawal.ts';
import type { KeyState, SigningKey } from '../../../domain/identity/signing-key.ts';
import { at, signingKey } from '../../ports/identity/records.ts';

const NOW = at(100);

const set = (states: Readonly<Record<string, KeyState>>, withdrawn: { id: string; withdrawnAt: Date }[] = []) => ({
  version: 1,
  keys: Object.entries(states).map(([id, state]) => signingKey(id, { state })),
  withdrawn,
});

const statesOf = (keys: readonly SigningKey[] | undefined) =>
  Object.fromEntries((keys ?? []).map(({ id, state }) => [id, state]));

describe('withdrawing a signing key', () => {
  it('puts the next key in the place of the active one, and asks for another next one', () => {
    const plan = planKeyWithdrawal(set({ a: 'active', b: 'next', c: 'retiring' }), 'a', NOW);
    assert.deepEqual(statesOf(plan?.keys), { b: 'active', c: 'retiring' });
    assert.deepEqual([plan?.activated, plan?.create], ['b', ['next']]);
    assert.deepEqual(plan?.withdrawn, [{ id: 'a', withdrawnAt: NOW }]);
    assert.deepEqual(plan?.keys.find(({ id }) => id === 'b')?.activatedAt, NOW);
  });

  it('of another key leaves the active one', () => {
    const states = { a: 'active', b: 'next', c: 'retiring' } as const;
    const ofNext = planKeyWithdrawal(set(states), 'b', NOW);
    assert.deepEqual(
      [statesOf(ofNext?.keys), ofNext?.activated, ofNext?.create],
      [{ a: 'active', c: 'retiring' }, null, ['next']],
    );
    const ofRetiring = planKeyWithdrawal(set(states), 'c', NOW);
    assert.deepEqual(
      [statesOf(ofRetiring?.keys), ofRetiring?.activated, ofRetiring?.create],
      [{ a: 'active', b: 'next' }, null, []],
    );
  });

  it('of the only key asks for two new ones', () => {
    const plan = planKeyWithdrawal(set({ a: 'active' }), 'a', NOW);
    assert.deepEqual([plan?.keys, plan?.activated, plan?.create], [[], null, ['active', 'next']]);
  });

  it('changes nothing the second time, and for a key there is not', () => {
    const before = set({ b: 'active' }, [{ id: 'a', withdrawnAt: at(1) }]);
    const again = planKeyWithdrawal(before, 'a', NOW);
    assert.deepEqual([again?.unchanged, again?.keys, again?.withdrawn], [true, before.keys, before.withdrawn]);
    assert.equal(planKeyWithdrawal(before, 'c', NOW), null);
  });

  it('of a second key at the same moment tells of both', () => {
    const first = planKeyWithdrawal(set({ a: 'active', b: 'next', c: 'retiring' }), 'a', NOW);
    const second = planKeyWithdrawal(
      { version: 2, keys: first?.keys ?? [], withdrawn: first?.withdrawn ?? [] },
      'b',
      NOW,
    );
    assert.deepEqual(second?.withdrawn, [
      { id: 'a', withdrawnAt: NOW },
      { id: 'b', withdrawnAt: NOW },
    ]);
    assert.deepEqual([statesOf(second?.keys), second?.create], [{ c: 'retiring' }, ['active', 'next']]);
  });

  it('is told of for thirty days at least', () => {
    const [old, young] = [WITHDRAWN_KEPT_MS, WITHDRAWN_KEPT_MS - 1].map((ms) => new Date(NOW.getTime() - ms));
    assert.ok(old && young);
    const before = set({ a: 'active', b: 'next' }, [
      { id: 'old', withdrawnAt: old },
      { id: 'young', withdrawnAt: young },
    ]);
    const ids = planKeyWithdrawal(before, 'b', NOW)?.withdrawn.map(({ id }) => id);
    assert.deepEqual(ids, ['young', 'b']);
  });
});
