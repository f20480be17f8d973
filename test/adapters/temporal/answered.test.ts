import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, ServiceError } from '@temporalio/client';
import { answered } from '../../../adapters/temporal/answered.ts';

const client = { withDeadline: (_: number, call: () => unknown) => call() } as unknown as Client;
const ofConnection = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: 'no connection', metadata: {} });

test('a connection that fails is UNAVAILABLE, also where the client wraps its error', async () => {
  for (const error of [ofConnection, new ServiceError('Unexpected error', { cause: ofConnection })]) {
    await assert.rejects(
      answered(client, () => Promise.reject(error)),
      { code: 'UNAVAILABLE', retryable: true },
    );
  }
});

test('another error stays what it is', async () => {
  const error = new TypeError('not a connection');
  await assert.rejects(
    answered(client, () => Promise.reject(error)),
    (thrown) => thrown === error,
  );
});

test('where nobody answers, what a worker needs for it is told', async () => {
  const ask = (needed?: string) => answered(client, () => Promise.reject(ofConnection), needed);
  await assert.rejects(ask('DOMAIN_MAP'), { message: /try again in a moment\. A worker needs DOMAIN_MAP for it\.$/ });
  await assert.rejects(ask(), { message: /try again in a moment\.$/ });
});
