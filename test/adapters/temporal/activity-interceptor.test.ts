import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ApplicationFailure,
  CancelledFailure,
  DefaultFailureConverter,
  defaultPayloadConverter,
} from '@temporalio/common';
import { createActivityInterceptor } from '../../../adapters/temporal/activity-interceptor.ts';
import { PAYLOAD_LIMIT_BYTES } from '../../../adapters/temporal/payload-size.ts';
import { FairleadError } from '../../../domain/errors.ts';

const reported: unknown[] = [];
const interceptor = createActivityInterceptor((error) => {
  reported.push(error);
  return `err_${reported.length}`;
});

const execute = async (activity: () => unknown): Promise<unknown> =>
  interceptor.execute?.({ args: [], headers: {} }, async () => activity());

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

  it('retries when the system that failed says, where it says so', async () => {
    const details = { retryAfterSeconds: 90 };
    const limited = new FairleadError('RATE_LIMITED', 'no more calls', { retryable: true, details });
    assert.equal((await failureOf(throwing(limited))).nextRetryDelay, 90_000);
    const away = new FairleadError('UNAVAILABLE', 'away', { retryable: true, details: { hostname: 'x' } });
    assert.equal((await failureOf(throwing(away))).nextRetryDelay, undefined);
  });

  it('does not retry a mistake in the program', async () => {
    const failure = await failureOf(throwing(new TypeError('x is not a function')));
    assert.deepEqual([failure.type, failure.nonRetryable], ['INTERNAL', true]);
  });

  it('leaves other errors to the retry policy', async () => {
    const failure = await failureOf(throwing(new Error('socket hang up')));
    assert.deepEqual([failure.type, failure.nonRetryable], ['INTERNAL', false]);
  });

  it('puts neither message nor stack of an error that is no domain error into the failure, but its reference', async () => {
    const secret = 'pattern with hunter2-secret is too large';
    const unexpected = [new SyntaxError(secret), new Error(secret, { cause: new Error(secret) }), secret, { secret }];
    for (const error of unexpected) {
      const failure = await failureOf(() => {
        throw error;
      });
      assert.equal(reported.at(-1), error, 'the log has it whole');
      assert.equal(failure.message, `Unexpected error; the platform's log has it as err_${reported.length}`);
      const recorded = new DefaultFailureConverter().errorToFailure(failure, defaultPayloadConverter);
      assert.doesNotMatch(JSON.stringify(recorded), /hunter2/);
      assert.equal(recorded.stackTrace, '');
    }
  });

  it('keeps the cause of a domain error out of the failure, and in the log', async () => {
    const cause = new Error('connect ECONNREFUSED 10.0.0.7 with hunter2-secret');
    const failure = await failureOf(throwing(new FairleadError('UNAVAILABLE', 'no database', { cause })));
    assert.equal(reported.at(-1), cause);
    const recorded = new DefaultFailureConverter().errorToFailure(failure, defaultPayloadConverter);
    assert.doesNotMatch(JSON.stringify(recorded), /hunter2/);
  });

  it('lets a cancellation be a cancellation', async () => {
    const cancelled = new CancelledFailure('stop');
    assert.equal(await failureOf(throwing(cancelled)), cancelled);
    const aborted = new DOMException('stop', 'AbortError');
    assert.equal(await failureOf(throwing(aborted)), aborted);
  });

  it('refuses a result too large for workflow history', async () => {
    const failure = await failureOf(() => 'x'.repeat(PAYLOAD_LIMIT_BYTES));
    assert.deepEqual([failure.type, failure.nonRetryable], ['PAYLOAD_OVER_LIMIT', true]);
    assert.equal(await execute(() => 'small'), 'small');
  });
});
