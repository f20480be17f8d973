import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import type { PlannedStep } from '../../../domain/deploys/build.ts';
import { STEPS, type StepKey } from '../../../domain/deploys/steps.ts';
import { describeFailure, failsOpen } from '../../../workflows/deploys/failure.ts';

const activityFailure = (cause: Error) =>
  new ActivityFailure('Activity task failed', 'preflightConfig', '1', 'TIMEOUT', 'worker', cause);

const row = (key: StepKey): PlannedStep => {
  const definition = STEPS.find((step) => step.key === key);
  assert.ok(definition);
  const { title, stage, run } = definition;
  return { key, title, stage, onFailure: 'fail', state: 'pending', reason: null, run };
};

describe('describeFailure', () => {
  it('says that a step ran into its deadline, and how long that is', () => {
    const failure = describeFailure(
      activityFailure(new TimeoutFailure('timeout', undefined, 'SCHEDULE_TO_CLOSE')),
      row('config-preflight'),
    );
    assert.equal(failure.code, 'STEP_DEADLINE_EXCEEDED');
    assert.match(failure.message, /Config preflight did not finish within its deadline of 60 seconds/);
  });

  it('prefers the reason of the last attempt over the deadline that ended the attempts', () => {
    const reason = ApplicationFailure.create({ message: 'the registry is down', type: 'IMAGE_PUSH_FAILED' });
    const timeout = Object.assign(new TimeoutFailure('timeout', undefined, 'SCHEDULE_TO_CLOSE'), { cause: reason });
    const failure = describeFailure(activityFailure(timeout), row('image-push'));
    assert.deepEqual(failure, { code: 'IMAGE_PUSH_FAILED', message: 'the registry is down', step: 'image-push' });
  });

  it('calls a failure of unknown type internal', () => {
    const unknown = ApplicationFailure.create({ message: 'boom', type: 'Error' });
    assert.equal(describeFailure(activityFailure(unknown), row('source')).code, 'INTERNAL');
  });
});

describe('failsOpen', () => {
  const WALLET_AWAY = [{ system: 'wallet', codes: ['UNAVAILABLE', 'STEP_DEADLINE_EXCEEDED'] }] as const;
  const ANY_OF_DNS = [{ system: 'dns', codes: 'any' }] as const;
  const failure = (code: string, system?: string) => {
    return { code, message: 'no', step: 'deploy-gate', ...(system === undefined ? {} : { system }) };
  };

  it('passes a named code of the named system, and a deadline, which names none', () => {
    assert.equal(failsOpen(failure('UNAVAILABLE', 'wallet'), WALLET_AWAY), true);
    assert.equal(failsOpen(failure('STEP_DEADLINE_EXCEEDED'), WALLET_AWAY), true);
  });

  it('fails the step when another system is away, or when the failure names no system', () => {
    assert.equal(failsOpen(failure('UNAVAILABLE', 'registry'), WALLET_AWAY), false);
    assert.equal(failsOpen(failure('UNAVAILABLE'), WALLET_AWAY), false);
  });

  it('passes every code in a step that names any code, except a failure of another system', () => {
    assert.equal(failsOpen(failure('INTERNAL'), ANY_OF_DNS), true);
    assert.equal(failsOpen(failure('INTERNAL', 'wallet'), ANY_OF_DNS), false);
  });
});
