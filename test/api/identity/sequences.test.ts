import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createIdentityModel, type Played } from '../../support/identity-model/identity-model.ts';
import { createRandom } from '../../support/interleaving/random.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';

/** `SEQUENCES=200000` plays more of them, which takes hours; `SEED=7` others. */
const SEQUENCES = Number(process.env.SEQUENCES ?? 40);
const SEED = Number(process.env.SEED ?? 1);
const STEPS = 13;

async function playSequences(count: number, spoil: (idp: TestIdp) => void = () => undefined): Promise<Played> {
  const idp = await startIdp();
  try {
    const model = await createIdentityModel(idp, createRandom(SEED));
    spoil(idp);
    for (let sequence = 0; sequence < count && model.played().violations.length === 0; sequence += 1) {
      await model.play();
      if (sequence % 10_000 === 9_999) console.log(`${sequence + 1} sequences agree`);
    }
    return model.played();
  } finally {
    await idp.stop();
  }
}

describe('sign-ins, refreshes, exchanges, resets, revocations, suspensions and changes of roles in random sequences', () => {
  it('no token lives that a small model has as dead, and none is dead that it has as alive', async () => {
    const { steps, violations } = await playSequences(SEQUENCES);
    assert.deepEqual(violations, []);
    assert.equal(Object.keys(steps).length, STEPS, JSON.stringify(steps));
  });

  it('finds a provider that forgets its revocations', async () => {
    const { violations } = await playSequences(SEQUENCES, ({ deps }) => {
      Object.assign(deps, { revocations: { ...deps.revocations, add: async () => undefined } });
    });
    assert.match(violations.join(), /is alive, though/);
  });
});
