import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextForSlot } from '../../../domain/deploys/build-slots.ts';
import type { SlotRequested } from '../../../domain/deploys/messages.ts';
import type { Environment } from '../../../domain/environment.ts';

const ask = (buildId: string, environment: Environment): SlotRequested => ({
  buildId,
  workflowId: buildId,
  environment,
  limit: 3,
});

describe('nextForSlot', () => {
  it('prefers production to builds that wait longer', () => {
    assert.equal(nextForSlot([ask('1', 'uat'), ask('2', 'sandbox'), ask('3', 'prod')])?.buildId, '3');
  });

  it('serves equals in the order they asked', () => {
    assert.equal(nextForSlot([ask('1', 'uat'), ask('2', 'sandbox')])?.buildId, '1');
    assert.equal(nextForSlot([ask('1', 'prod'), ask('2', 'prod')])?.buildId, '1');
  });

  it('has nobody to serve when nobody waits', () => assert.equal(nextForSlot([]), null));
});
