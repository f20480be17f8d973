import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { createTokens } from '../../../../adapters/crypto/tokens.ts';
import { readState, signState } from '../../../../api/identity/login/signed-state.ts';

const schema = z.object({ userId: z.string() });

describe('state that a browser carries', () => {
  const key = randomBytes(32);
  let time = Date.parse('2026-01-01T00:00:00Z');
  const deps = { tokens: createTokens([key]), now: () => new Date(time) };
  const signed = signState(deps, 'login', { userId: 'usr_1' }, 60);

  it('is read as it was signed', () => {
    assert.deepEqual(readState(deps, 'login', schema, signed), { userId: 'usr_1' });
  });

  it('is nothing for another purpose, or with another key', () => {
    assert.equal(readState(deps, 'passkey', schema, signed), null);
    const other = { ...deps, tokens: createTokens([randomBytes(32)]) };
    assert.equal(readState(other, 'login', schema, signed), null);
  });

  it('is read after the key was rotated', () => {
    const rotated = { ...deps, tokens: createTokens([randomBytes(32), key]) };
    assert.deepEqual(readState(rotated, 'login', schema, signed), { userId: 'usr_1' });
  });

  it('is nothing when any character of it was changed, or any is missing', () => {
    for (let at = 0; at < signed.length; at += 1) {
      const swapped = signed[at] === 'A' ? 'B' : 'A';
      assert.equal(readState(deps, 'login', schema, signed.slice(0, at) + swapped + signed.slice(at + 1)), null);
      assert.equal(readState(deps, 'login', schema, signed.slice(0, at)), null);
    }
    for (const text of [null, '', '.', `${signed}.`, `${signed}.x`]) {
      assert.equal(readState(deps, 'login', schema, text), null);
    }
  });

  it('is nothing once it has expired', () => {
    time += 60_000;
    assert.equal(readState(deps, 'login', schema, signed), null);
  });
});
