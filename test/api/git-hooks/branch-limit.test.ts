import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BRANCHES_PER_MINUTE, createBranchLimit } from '../../../api/git-hooks/branch-limit.ts';

it('the first branches of a connection in a minute are looked at each by itself, and again', () => {
  let ms = 0;
  const isFewEnough = createBranchLimit(BRANCHES_PER_MINUTE, () => new Date(ms));
  const push = (number: number, connectionId = 'gcn_1') => isFewEnough({ connectionId, ref: `refs/heads/${number}` });
  const all = Array.from({ length: BRANCHES_PER_MINUTE + 100 }, (_, number) => push(number));
  assert.deepEqual([all.indexOf(false), all.filter(Boolean).length], [BRANCHES_PER_MINUTE, BRANCHES_PER_MINUTE]);
  for (let time = 0; time < 1_000; time += 1)
    assert.equal(push(0), true, 'one branch is pushed to as often as one likes');
  assert.equal(push(0, 'gcn_2'), true, 'other connections notice nothing');
  ms += 60_000;
  assert.equal(push(BRANCHES_PER_MINUTE + 1), true);
});
