import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createTokens } from '../../../adapters/crypto/tokens.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);

describe('random tokens', () => {
  const tokens = createTokens([OLD]);

  it('have 256 random bits behind their prefix', () => {
    const made = new Set(Array.from({ length: 1_000 }, () => tokens.create('flcs_')));
    assert.equal(made.size, 1_000);
    for (const token of made) assert.match(token, /^flcs_[A-Za-z0-9_-]{43}$/);
  });

  it('are kept as SHA-256 in hex', () => {
    assert.equal(tokens.hash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('a MAC is good for its text and purpose alone', () => {
    const mac = tokens.mac('refresh', 'grt_1.0');
    assert.equal(tokens.checkMac('refresh', 'grt_1.0', mac), true);
    assert.equal(tokens.checkMac('refresh', 'grt_1.1', mac), false);
    assert.equal(tokens.checkMac('other', 'grt_1.0', mac), false);
    assert.notEqual(tokens.mac('a', 'bc'), tokens.mac('ab', 'c'));
    for (const forged of ['', 'x', `${mac}A`, `${mac}=`, mac.slice(1), `${mac} `]) {
      assert.equal(tokens.checkMac('refresh', 'grt_1.0', forged), false, forged);
    }
  });

  it('a MAC made with a key that was rotated out of the first place is still good; one of another key is not', () => {
    const mac = tokens.mac('refresh', 'grt_1.0');
    const rotated = createTokens([NEW, OLD]);
    assert.equal(rotated.checkMac('refresh', 'grt_1.0', mac), true);
    assert.notEqual(rotated.mac('refresh', 'grt_1.0'), mac);
    assert.equal(createTokens([NEW]).checkMac('refresh', 'grt_1.0', mac), false);
  });

  it('a digest equals itself alone, whatever is presented for it', () => {
    const digest = tokens.hash('secret');
    assert.equal(tokens.equals(digest, digest), true);
    const others = ['', 'x', digest.slice(1), `${digest}0`, digest.toUpperCase(), tokens.hash('other'), 'é'.repeat(64)];
    for (const other of others) assert.equal(tokens.equals(other, digest), false, other);
  });

  it('letters are drawn evenly', () => {
    const counts = new Map<string, number>();
    const drawn = tokens.letters('BCDFGHJKLM', 20_000);
    for (const letter of drawn) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    assert.equal(counts.size, 10);
    // 2,000 each with a deviation of 42: nine of them is beyond chance.
    for (const [letter, count] of counts) assert.ok(Math.abs(count - 2_000) < 400, `${letter}: ${count}`);
  });
});

describe('new ids', () => {
  it('never repeat, however many are made in a row', () => {
    const ids = Array.from({ length: 5_000 }, () => newId('token'));
    assert.equal(new Set(ids).size, 5_000);
    for (const id of ids) assert.match(id, /^tok_[0-9a-z]{20}$/);
  });
});
