import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  ACTIVE_MS,
  type KeyRotationPlan,
  MAX_RETIRING,
  PUBLISHED_BEFORE_FORCED_USE_MS,
  PUBLISHED_BEFORE_USE_MS,
  planKeyRotation,
  RETIRING_MS,
} from '../../../domain/identity/plan-key-rotation.ts';
import type { SigningKey } from '../../../domain/identity/signing-key.ts';

const START = Date.UTC(2026, 0, 1);

/** Carries plans out, as the keyring does, with keys that are named by numbers. */
function createKeys() {
  let keys: readonly SigningKey[] = [];
  let made = 0;
  return {
    get keys() {
      return keys;
    },
    at(ms: number, force = false): KeyRotationPlan {
      const now = new Date(START + ms);
      const plan = planKeyRotation({ version: 1, keys, withdrawn: [] }, now, force);
      if (plan.notBefore !== null) return plan;
      const created = plan.create.map((state): SigningKey => {
        made += 1;
        return {
          id: `key_${made}`,
          state,
          publicJwk: { kty: 'RSA', n: '', e: '' },
          privateKey: { keyId: '', sealed: '' },
          createdAt: now,
          activatedAt: state === 'active' ? now : null,
          retiredAt: null,
        };
      });
      keys = [...plan.keys, ...created];
      return plan;
    },
  };
}

describe('the plan of a key rotation', () => {
  it('begins with a key that signs and one that will', () => {
    const own = createKeys();
    assert.deepEqual(own.at(0).create, ['active', 'next']);
    assert.equal(own.at(0).unchanged, true);
  });

  it('changes keys after thirty days, and not a moment before', () => {
    const own = createKeys();
    own.at(0);
    assert.equal(own.at(ACTIVE_MS - 1).unchanged, true);
    const plan = own.at(ACTIVE_MS);
    assert.deepEqual([plan.activated, plan.retired, plan.create], ['key_2', 'key_1', ['next']]);
    assert.equal(own.at(ACTIVE_MS).unchanged, true, 'asking again changes nothing');
  });

  it('forgets a retired key when its last token has expired, and not a moment before', () => {
    const own = createKeys();
    own.at(0);
    own.at(ACTIVE_MS);
    assert.equal(own.at(ACTIVE_MS + RETIRING_MS - 1).unchanged, true);
    assert.deepEqual(own.at(ACTIVE_MS + RETIRING_MS).removed, ['key_1']);
  });

  it('by hand changes at once, but for a next key that verifiers may not know', () => {
    const own = createKeys();
    own.at(0);
    const early = own.at(PUBLISHED_BEFORE_FORCED_USE_MS - 1, true);
    assert.deepEqual(early.notBefore, new Date(START + PUBLISHED_BEFORE_FORCED_USE_MS));
    assert.equal(early.activated, null);
    assert.equal(own.at(PUBLISHED_BEFORE_FORCED_USE_MS, true).activated, 'key_2');
  });

  it('repeated by hand keeps the key set small, and says when the next one is possible', () => {
    const own = createKeys();
    own.at(0);
    let ms = 0;
    let plan = own.at(ms);
    while (plan.notBefore === null) {
      ms += PUBLISHED_BEFORE_FORCED_USE_MS;
      plan = own.at(ms, true);
    }
    assert.equal(own.keys.filter(({ state }) => state === 'retiring').length, MAX_RETIRING);
    const later = plan.notBefore.getTime() - START;
    assert.equal(own.at(later, true).notBefore, null);
  });

  it('a key set without an active key is repaired with the next one', () => {
    const own = createKeys();
    own.at(0);
    const next = own.keys.filter(({ state }) => state === 'next');
    const plan = planKeyRotation({ version: 1, keys: next, withdrawn: [] }, new Date(START), false);
    assert.equal(plan.activated, 'key_2');
  });

  it('whatever happens when: one key signs, it was published before, and no token outlives the key it needs', () => {
    const step = fc.record({ afterMs: fc.integer({ min: 0, max: ACTIVE_MS * 1.2 }), force: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const own = createKeys();
        own.at(0);
        const retiredAt = new Map<string, number>();
        let ms = 0;
        for (const { afterMs, force } of steps) {
          // Cubed, most steps are hours and some are weeks.
          ms += Math.floor(afterMs * (afterMs / (ACTIVE_MS * 1.2)) ** 3);
          const before = own.keys;
          const plan = own.at(ms, force);
          checkStates(own.keys);
          if (plan.activated !== null) checkPublished(before, plan.activated, ms, force);
          if (plan.retired !== null) retiredAt.set(plan.retired, ms);
          for (const id of plan.removed) assert.ok(ms - (retiredAt.get(id) ?? ms) >= RETIRING_MS);
        }
      }),
    );
  });
});

function checkStates(keys: readonly SigningKey[]): void {
  const count = (wanted: string): number => keys.filter(({ state }) => state === wanted).length;
  assert.deepEqual([count('active'), count('next')], [1, 1]);
  assert.ok(count('retiring') <= MAX_RETIRING + 1);
}

function checkPublished(before: readonly SigningKey[], activated: string, ms: number, force: boolean): void {
  const createdAt = before.find(({ id }) => id === activated)?.createdAt.getTime() ?? Number.NaN;
  const least = force ? PUBLISHED_BEFORE_FORCED_USE_MS : PUBLISHED_BEFORE_USE_MS;
  assert.ok(START + ms - createdAt >= least);
}
