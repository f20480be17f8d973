import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findMoved } from '../../../activities/git-hooks/find-moved.ts';
import { MOST_LOOKS } from '../../../activities/git-hooks/tell-moved.ts';
import { ruleRecord } from '../../ports/git-hooks/records.ts';
import { createGitHooksParts, MAIN } from '../../support/in-memory/git-hooks-parts.ts';

const never = new AbortController().signal;

describe('a look at all branches', () => {
  const parts = createGitHooksParts();
  const RULES = [ruleRecord({ pattern: '*' }), ruleRecord({ environment: 'uat' })];

  /** A repository with so many branches beside main, all pushed after the first look. */
  async function pushed(branches: number, rules = RULES) {
    const on = await parts.connected({ baselineAt: new Date() }, rules);
    const refs = new Map([[MAIN, 'a'.repeat(40)]]);
    for (let number = 0; number < branches; number += 1) refs.set(`refs/heads/b${number}`, 'b'.repeat(40));
    const deps = { ...parts, refs: { ...parts.refs, readRefs: async () => refs } };
    const { id: connectionId } = on.connection;
    let polls = 0;
    return {
      connectionId,
      serviceId: on.serviceId,
      delivered: (ref: string | null) => parts.delivered(connectionId, { ref }),
      async find(deliveries: readonly string[]) {
        polls += 1;
        const { looks = [] } = await findMoved(deps, { connectionId, deliveries, pollId: `gdl_poll_${polls}` }, never);
        return looks;
      },
      toldOf: async (id: string) =>
        (await parts.gitDeliveries.find(id))?.outcomes.map(({ reason, message }) => [reason, message]),
    };
  }

  it('takes so many of 100,000 at a time, those that rules name first, and says what is left', async () => {
    const on = await pushed(100_000);
    const asked = await on.delivered(null);
    const looks = await on.find([asked]);
    assert.equal(looks[0]?.ref, MAIN);
    // Of main for two environments.
    assert.equal(looks.length, MOST_LOOKS - 1);
    assert.deepEqual(new Set(looks.flatMap(({ deliveries }) => deliveries)), new Set([asked]));
    const [told] = (await on.toldOf(asked)) ?? [];
    assert.equal(told?.[0], 'too_many');
    assert.match(String(told?.[1]), /^99002 of 100001 that moved are left/);
    for (const { ref } of looks) {
      for (const environment of ['prod', 'uat'] as const) {
        await parts.gitHeads.set({ ...on, environment, ref }, { seen: ref === MAIN ? 'a'.repeat(40) : 'b'.repeat(40) });
      }
    }
    const next = await on.find([await on.delivered(null)]);
    assert.equal(next.length, MOST_LOOKS);
    const before = new Set(looks.map(({ ref }) => ref));
    assert.ok(
      next.every(({ ref }) => !before.has(ref)),
      'the next look begins with what was left',
    );
  });

  it('tells each delivery of a branch what became of that one', async () => {
    const on = await pushed(2_000);
    const [first, second, gone] = ['refs/heads/b1999', 'refs/heads/b1998', 'refs/heads/gone'];
    const ids = [await on.delivered(first), await on.delivered(second), await on.delivered(gone)];
    const looks = await on.find(ids);
    const toldWith = (ref: string) => looks.find((look) => look.ref === ref)?.deliveries[0];
    assert.deepEqual([toldWith(first), toldWith(second)], [ids[0], ids[1]], 'what deliveries name comes first');
    assert.deepEqual(await on.toldOf(ids[2] ?? ''), [['ref_deleted', null]]);
    const others = new Set(looks.flatMap(({ deliveries }) => deliveries.slice(-1)));
    assert.deepEqual(others, new Set(['gdl_poll_1']), 'the others are kept as what was found unasked');
  });

  it('says to each of more deliveries than are looked at that it is left', async () => {
    const on = await pushed(1_500);
    const ids: string[] = [];
    for (let number = 0; number < 1_500; number += 1) ids.push(await on.delivered(`refs/heads/b${number}`));
    const looks = await on.find(ids);
    const looked = new Set(looks.flatMap(({ deliveries }) => deliveries));
    const left = ids.filter((id) => !looked.has(id));
    assert.ok(left.length >= 500);
    for (const id of left) assert.equal((await on.toldOf(id))?.[0]?.[0], 'too_many');
  });

  it('has nothing to look at where nothing moved, and says so', async () => {
    const on = await pushed(0, [ruleRecord({ pattern: 'release/*' })]);
    const asked = await on.delivered(null);
    assert.deepEqual(await on.find([asked]), []);
    assert.deepEqual(await on.toldOf(asked), [['unchanged', null]]);
  });
});
