import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { request } from 'undici';
import { createIdentityModel, type Played } from '../../support/identity-model/identity-model.ts';
import { createRandom } from '../../support/interleaving/random.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';

/**
 * `SEQUENCES=200000` plays more of them, each about 20 ms of a core; `SEED=7` begins with others. They are played by a
 * provider for each 500, with seeds one after the other, four at once: some requests wait for the next second.
 */
const SEQUENCES = Number(process.env.SEQUENCES ?? 100);
const SEED = Number(process.env.SEED ?? 1);
const OF_ONE_PROVIDER = 500;
const PROVIDERS_AT_ONCE = 4;
/** On the real database. */
const FEW = 40;
const STEPS = 15;

interface Play {
  readonly count: number;
  readonly seed: number;
  readonly inMemory?: boolean;
  readonly spoil?: (idp: TestIdp) => void;
}

async function playSequences({ count, seed, inMemory = false, spoil = () => undefined }: Play): Promise<Played> {
  const idp = await startIdp(inMemory ? {} : { database: 'server' });
  try {
    const model = await createIdentityModel({ ...idp, call: quickCall(idp) }, createRandom(seed));
    spoil(idp);
    for (let sequence = 0; sequence < count && model.played().violations.length === 0; sequence += 1)
      await model.play();
    return model.played();
  } finally {
    await idp.stop();
  }
}

/** As the provider's own, by a client that costs less than `fetch` does. */
function quickCall({ address }: TestIdp): TestIdp['call'] {
  return async (method, path, { json, form, headers } = {}) => {
    const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json);
    const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
    const answer = await request(address + path, {
      method: method as 'GET',
      headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type']).includes('json');
    return { status: answer.statusCode, headers: new Headers(), text, body: isJson ? JSON.parse(text) : null };
  };
}

describe('sign-ins, devices, refreshes, exchanges, resets, revocations, suspensions and changes of roles in random sequences', () => {
  it('no token lives that a small model has as dead, and none is dead that it has as alive', async () => {
    const { steps, violations } = await playSequences({ count: FEW, seed: SEED });
    assert.deepEqual(violations, []);
    assert.equal(Object.keys(steps).length, STEPS, JSON.stringify(steps));
  });

  it('nor in many more of them, on a database of this process', async () => {
    const plays = Array.from({ length: Math.ceil(SEQUENCES / OF_ONE_PROVIDER) }, (_, index) => ({
      count: Math.min(OF_ONE_PROVIDER, SEQUENCES - index * OF_ONE_PROVIDER),
      seed: SEED + index,
      inMemory: true,
    }));
    let played = 0;
    async function player(): Promise<void> {
      for (let play = plays.shift(); play !== undefined; play = plays.shift()) {
        const { violations } = await playSequences(play);
        assert.deepEqual(violations, [], `seed ${play.seed}`);
        played += play.count;
        if (SEQUENCES > OF_ONE_PROVIDER) console.log(`${played} sequences agree; the last with seed ${play.seed}`);
      }
    }
    await Promise.all(Array.from({ length: PROVIDERS_AT_ONCE }, player));
    assert.equal(played, SEQUENCES);
  });

  it('finds a provider that forgets its revocations', async () => {
    const spoil = ({ deps }: TestIdp) => {
      Object.assign(deps, { revocations: { ...deps.revocations, add: async () => undefined } });
    };
    const { violations } = await playSequences({ count: FEW, seed: SEED, inMemory: true, spoil });
    assert.match(violations.join(), /is alive, though/);
  });

  it('finds a provider that voids tokens of a person for whom one login ended', async () => {
    const spoil = ({ deps }: TestIdp) => {
      const { revoke } = deps.grants;
      Object.assign(deps, {
        grants: {
          ...deps.grants,
          async revoke(id: string, at: Date) {
            const userId = (await deps.grants.find(id))?.userId ?? '';
            const expiresAt = new Date(at.getTime() + 3_600_000);
            await deps.revocations.add({ kind: 'user', value: userId, issuedUntil: at, revokedAt: at, expiresAt });
            return revoke(id, at);
          },
        },
      });
    };
    const { violations } = await playSequences({ count: 10 * FEW, seed: SEED, inMemory: true, spoil });
    assert.notDeepEqual(violations, []);
  });
});
