import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { NO_PROGRESS } from '../../../domain/config/messages.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

let api: TestApi;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

it('starts the re-encryption of secrets, and tells what it did', async () => {
  const none = await api.call('GET', '/config/reencryption');
  assert.deepEqual(none.body.data, {
    ...{ status: 'none', checked: 0, resealed: 0, unreadable: 0, unreadableSecrets: [] },
    ...{ earlierKeyInUse: false, problem: null },
  });
  const started = await api.call('POST', '/config/reencryption');
  assert.equal(started.status, 202);
  assert.equal(started.body.data.status, 'running');
  const lost = { service: 'shop', environment: null, name: 'LOST' };
  const progress = { ...NO_PROGRESS, checked: 7, resealed: 5, unreadable: { count: 1, first: [lost] } };
  api.reencryption.set({ status: 'completed', progress, problem: null });
  assert.deepEqual((await api.call('GET', '/config/reencryption')).body.data, {
    ...{ status: 'completed', checked: 7, resealed: 5, unreadable: 1 },
    unreadableSecrets: [lost],
    ...{ earlierKeyInUse: false, problem: null },
  });
});
