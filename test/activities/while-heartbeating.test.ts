import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { whileHeartbeating } from '../../activities/while-heartbeating.ts';

async function heartbeatsOf(info: { readonly isLocal: boolean }): Promise<number> {
  const environment = new MockActivityEnvironment(info);
  let heartbeats = 0;
  environment.on('heartbeat', () => {
    heartbeats += 1;
  });
  assert.equal(await environment.run(() => whileHeartbeating(async () => 'done')), 'done');
  return heartbeats;
}

it('an activity tells that it is alive, and a local one, which the server does not know, tells nothing', async () => {
  assert.equal(await heartbeatsOf({ isLocal: false }), 1);
  assert.equal(await heartbeatsOf({ isLocal: true }), 0);
});
