import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import { createActivityInterceptor } from '../../../adapters/temporal/activity-interceptor.ts';
import { PAYLOAD_LIMIT_BYTES } from '../../../adapters/temporal/payload-size.ts';
import { FairleadError } from '../../../domain/errors.ts';

const execute = async (activity: () => unknown): Promise<unknown> =>
  createActivityInterceptor().execute?.({ args: [], headers: {} }, async () => activity());

const failureOf = (activity: () => unknown): Promise<ApplicationFailure> =>
  execute(activity).then(
    () => assert.fail('it should have failed'),
    (error) => error,
  );

const throwing = (error: Error) => () => {
  throw error;
};

describe('the activity interceptor', () => {
  it('makes a domain error a failure of its code that is not retried', async () => {
    const failure = await failureOf(throwing(new FairleadError('CATALOG_INVALID', 'line 3', { details: { line: 3 } })));
    assert.ok(failure instanceof ApplicationFailure);
    assert.deepEqual(
      [failure.type, failure.nonRetryable, failure.message, failure.details],
      ['CATALOG_INVALID', true, 'line 3', [{ line: 3 }]],
    );
  });

  it('lets a domain error that may pass be retried', async () => {
    const failure = await failureOf(throwing(new FairleadError('UNAVAILABLE', 'no database', { retryable: true })));
    assert.equal(failure.nonRetryable, false);
  });

  it('does not retry a mistake in the program', async () => {
    const failure = await failureOf(throwing(new TypeError('x is not a function')));
    assert.deepEqual([failure.type, failure.nonRetryable], ['INTERNAL', true]);
  });

  it('keeps the stack of a mistake out of the message, which people see, and in the cause', async () => {
    const mistake = new TypeError('x is not a function');
    const failure = await failureOf(throwing(mistake));
    assert.equal(failure.message, 'x is not a function');
    assert.equal(failure.cause, mistake);
  });

  it('leaves other errors to the retry policy', async () => {
    const error = new Error('socket hang up');
    assert.equal(await failureOf(throwing(error)), error);
  });

  it('refuses a result too large for workflow history', async () => {
    const failure = await failureOf(() => 'x'.repeat(PAYLOAD_LIMIT_BYTES));
    assert.deepEqual([failure.type, failure.nonRetryable], ['PAYLOAD_OVER_LIMIT', true]);
    assert.equal(await execute(() => 'small'), 'small');
  });
});
