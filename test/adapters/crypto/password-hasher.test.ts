import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { argon2Sync } from 'node:crypto';
import { describe, it } from 'node:test';
import { createPasswordHasher } from '../../../adapters/crypto/password-hasher.ts';
import { formatPhc, parsePhc } from '../../../adapters/crypto/phc.ts';

/** Counts the Argon2 derivations that this process begins, and how many of them run at once at most. */
function countDerivations() {
  const running = new Set<number>();
  let begun = 0;
  let most = 0;
  const hook = createHook({
    init(id, type) {
      if (type !== 'ARGON2REQUEST') return;
      begun += 1;
      running.add(id);
      most = Math.max(most, running.size);
    },
    before: (id) => void running.delete(id),
  }).enable();
  return { begun: () => begun, most: () => most, [Symbol.dispose]: () => void hook.disable() };
}

describe('password hashes', () => {
  const hasher = createPasswordHasher();
  /** For hundreds of hashes, whose order matters and not their cost. */
  const quick = createPasswordHasher({ memory: 64, passes: 1, parallelism: 1 });

  it('are Argon2id with 19 MiB and two passes, in PHC string format, and salted', async () => {
    const [one, two] = await Promise.all([hasher.hash('correct horse'), hasher.hash('correct horse')]);
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.notEqual(one, two);
  });

  it('fit the password they were made of and no other', async () => {
    const hash = await hasher.hash('correct horse');
    assert.equal(await hasher.verify('correct horse', hash), true);
    for (const wrong of ['correct horse ', 'Correct horse', '']) assert.equal(await hasher.verify(wrong, hash), false);
  });

  it('are read as other programs write them', async () => {
    const parameters = { memory: 64, passes: 3, parallelism: 2, tagLength: 32 };
    const salt = Buffer.from('0123456789abcdef');
    const tag = argon2Sync('argon2id', { ...parameters, message: Buffer.from('secret'), nonce: salt });
    const hash = formatPhc({ ...parameters, salt, tag });
    assert.equal(await hasher.verify('secret', hash), true);
    assert.equal(hasher.isOutdated(hash), true);
    assert.equal(hasher.isOutdated(await hasher.hash('secret')), false);
  });

  it('of an account that does not exist, or of nonsense, take the usual work and never fit', async () => {
    for (const stored of [await hasher.hash('correct horse'), null, '$2b$10$nonsense']) {
      using derivations = countDerivations();
      assert.equal(await hasher.verify('wrong', stored), false);
      assert.equal(derivations.begun(), 1, String(stored));
    }
  });

  it('that ask for too much memory or time are refused unread', () => {
    const good = parsePhc('$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg');
    assert.equal(good?.memory, 19_456);
    const bad = [
      '$argon2id$v=19$m=4194304,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg',
      '$argon2id$v=19$m=19456,t=99,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg',
      '$argon2id$v=19$m=19456,t=0,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg',
      '$argon2id$v=19$m=4,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg',
      '$argon2i$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg',
      '$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$',
    ];
    for (const text of bad) assert.equal(parsePhc(text), null, text);
  });

  it('wait for their turn, so that many logins at once take bounded memory', async () => {
    const hash = await quick.hash('correct horse');
    using derivations = countDerivations();
    const results = await Promise.all(Array.from({ length: 60 }, () => quick.verify('correct horse', hash)));
    assert.ok(results.every(Boolean));
    assert.equal(derivations.begun(), 60);
    // Each takes 19 MiB at the usual cost.
    assert.equal(derivations.most(), 3);
  });

  it('beyond those that may wait are refused as a passing failure', async () => {
    const hash = await quick.hash('correct horse');
    const attempts = Array.from({ length: 230 }, () => quick.verify('wrong', hash));
    const results = await Promise.allSettled(attempts);
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, 230 - 203);
    for (const { reason } of refused) assert.deepEqual([reason.code, reason.retryable], ['UNAVAILABLE', true]);
  });
});
