import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { secondOverFirst, shareLive } from './report.ts';
import type { CorpusRow, Need } from './repositories.ts';

const row = (needs?: Need): CorpusRow => ({
  ...{ repository: 'them/app', commit: 'c'.repeat(40), framework: 'express' },
  ...(needs === undefined ? { expected: 'live' } : { expected: /x/, needs }),
});
const live = { got: 'live' };
const not = { got: 'nothing listens' };

describe('the share of a corpus that is live', () => {
  it('leaves out what needs something from outside, whatever came of it', () => {
    const results = [
      [row(), live],
      [row(), not],
      [row('a database'), not],
      [row('the internet'), live],
    ] as const;
    assert.equal(shareLive(results), '1 of the 2 that need nothing from outside are live (50 %)');
  });

  it('counts a fault of a repository against it, and names it', () => {
    const results = [
      [row(), live],
      [row('another folder to write to'), not],
    ] as const;
    assert.match(shareLive(results), /^1 of the 2 .* \(50 %\); 1 need another folder to write to$/);
  });

  it('is no number of no repository', () => {
    assert.equal(shareLive([]), '0 of the 0 that need nothing from outside are live');
  });
});

describe('the second build over the first', () => {
  it('is the median of those that were built twice', () => {
    const built = (firstSeconds: number | null, secondSeconds: number | null) => ({ firstSeconds, secondSeconds });
    const outcomes = [built(100, 20), built(100, 90), built(100, 30), built(50, null), built(null, null)];
    assert.equal(secondOverFirst(outcomes), 'the second build over the first, median of 3: 0.30');
    assert.equal(secondOverFirst([built(50, null)]), 'none was built twice');
  });
});
