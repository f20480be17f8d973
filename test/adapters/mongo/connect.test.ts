import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { mongoCall } from '../../../adapters/mongo/connect.ts';

const failing = (error: Error) => mongoCall(() => Promise.reject(error));

it('a server that fails over while it writes is UNAVAILABLE, to be tried again', async () => {
  for (const code of [64, 91, 100, 189, 11_602]) {
    const error = new MongoServerError({ message: 'operation was interrupted', code });
    await assert.rejects(failing(error), { code: 'UNAVAILABLE', retryable: true }, `${code}`);
  }
  await assert.rejects(failing(new MongoNetworkError('connection closed')), { code: 'UNAVAILABLE' });
});

it('what the server refuses passes as it is', async () => {
  for (const code of [11_000, 13, 121]) {
    const error = new MongoServerError({ message: 'refused', code });
    await assert.rejects(failing(error), (thrown) => thrown === error, `${code}`);
  }
});
