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

it('an activity that notes how far it is tells the newest note with its next heartbeat', async () => {
  const environment = new MockActivityEnvironment({ isLocal: false });
  const told: unknown[] = [];
  const second = Promise.withResolvers<void>();
  environment.on('heartbeat', (details: unknown) => {
    told.push(details);
    if (told.length === 2) second.resolve();
  });
  const work = async (_: AbortSignal, note: (details: unknown) => void) => {
    note({ bytesDone: 1 });
    note({ bytesDone: 2 });
    await second.promise;
  };
  await environment.run(() => whileHeartbeating(work, { everyMs: 5 }));
  assert.deepEqual(told.slice(0, 2), [undefined, { bytesDone: 2 }]);
});
