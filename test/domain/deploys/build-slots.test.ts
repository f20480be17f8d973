import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { grantable, nextForSlot, roundOfRun } from '../../../domain/deploys/build-slots.ts';
import type { SlotRequested } from '../../../domain/deploys/messages.ts';
import type { Environment } from '../../../domain/environment.ts';

const ask = (buildId: string, environment: Environment, org?: string): SlotRequested => ({
  ...(org === undefined ? {} : { org }),
  buildId,
  workflowId: buildId,
  environment,
  limit: 3,
});

describe('nextForSlot', () => {
  it('prefers production to builds that wait longer', () => {
    assert.equal(nextForSlot([ask('1', 'uat'), ask('2', 'sandbox'), ask('3', 'prod')], [])?.buildId, '3');
  });

  it('serves equals in the order they asked', () => {
    assert.equal(nextForSlot([ask('1', 'uat'), ask('2', 'sandbox')], [])?.buildId, '1');
    assert.equal(nextForSlot([ask('1', 'prod'), ask('2', 'prod')], [])?.buildId, '1');
  });

  it('serves the org that holds the fewest slots, however many of another wait longer', () => {
    const crowd = ['1', '2', '3', '4'].map((id) => ask(id, 'sandbox', 'crowd'));
    const holders = [ask('a', 'sandbox', 'crowd'), ask('b', 'prod', 'crowd'), ask('c', 'sandbox', 'small')];
    assert.equal(nextForSlot([...crowd, ask('5', 'sandbox', 'small')], holders)?.buildId, '5');
    assert.equal(nextForSlot([...crowd, ask('5', 'sandbox', 'small')], holders.slice(1))?.buildId, '1', 'equals');
    assert.equal(
      nextForSlot([ask('5', 'sandbox', 'small'), ...crowd, ask('6', 'prod', 'crowd')], holders)?.buildId,
      '6',
    );
  });

  it('serves requests of an earlier version, which name no org, in their order', () => {
    assert.equal(nextForSlot([ask('1', 'prod'), ask('2', 'prod')], [ask('a', 'prod'), ask('b', 'prod')])?.buildId, '1');
  });

  it('returns null when no build waits', () => assert.equal(nextForSlot([], []), null));
});

describe('grantable', () => {
  const crowd = ['a', 'b', 'c'].map((id) => ask(id, 'prod', 'crowd'));

  it('keeps an org at the limit', () => {
    assert.equal(grantable([ask('1', 'prod', 'crowd')], crowd.slice(1), 3)?.buildId, '1');
    assert.equal(grantable([ask('1', 'prod', 'crowd')], crowd, 3), null);
  });

  it('lets an org without a build begin one although others hold all slots, and no second one', () => {
    const [first, second] = [ask('1', 'sandbox', 'small'), ask('2', 'prod', 'small')];
    assert.equal(grantable([ask('4', 'prod', 'crowd'), first], crowd, 3)?.buildId, '1');
    assert.equal(grantable([second], [...crowd, first], 3), null);
  });

  it('grants at most twice as many slots as there are, and nothing more to requests that name no org', () => {
    const many = ['u', 'v', 'w'].map((org) => ask(org, 'prod', org));
    assert.equal(grantable([ask('1', 'prod', 'small')], [...crowd, ...many], 3), null);
    assert.equal(grantable([ask('1', 'prod')], crowd, 3), null);
  });
});

describe('roundOfRun', () => {
  for (const [what, resumed, round] of [
    ['the first run', null, 0],
    ['after two waits, of steps that had one attempt each', { attempts: 1, waits: 2 }, 2],
    ['after a wait of a step that had many attempts', { attempts: 9, again: { dependencies: 9 }, waits: 1 }, 1],
    ['paused by an earlier version, at the first step', { attempts: 1 }, 1],
    ['paused by an earlier version, at a step after one that waited', { attempts: 1, again: { dependencies: 2 } }, 2],
  ] as const) {
    it(`${what}: ${round}`, () => assert.equal(roundOfRun(resumed), round));
  }
});
