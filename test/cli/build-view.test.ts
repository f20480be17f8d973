import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countedLine, createStepLedger } from '../../cli/build-view.ts';
import type { BuildReply, StepReply } from '../../cli/replies.ts';
import { createPaint } from '../../cli/terminal/style.ts';
import { AT } from './test-replies.ts';

const STEPS: StepReply[] = [
  { key: 'source', title: 'Fetch source', stage: 'build', state: 'reused' },
  { key: 'catalog', title: 'Parse catalog', stage: 'build', state: 'reused' },
  { key: 'dns', title: 'Configure DNS', stage: 'build', state: 'skipped' },
  { key: 'workload', title: 'Install workload', stage: 'build', state: 'completed' },
];

describe('the steps of a rollback or a retry', () => {
  it('that did not run are counted in one line', () => {
    const line = countedLine(STEPS, createPaint(false));
    assert.equal(line, '↺ 2 steps done before, – 1 step not needed (--verbose lists them)');
    assert.equal(countedLine(STEPS.slice(3), createPaint(false)), null);
  });

  it('are listed with --verbose, and those that ran always', () => {
    const identity = { id: 'bld_1', service: 'hello', environment: 'prod' };
    const build: BuildReply = { ...identity, status: 'completed', createdAt: AT, steps: STEPS };
    const titles = (verbose: boolean) => createStepLedger(verbose)(build).map(({ title }) => title);
    assert.deepEqual(titles(false), ['Install workload']);
    assert.deepEqual(titles(true), ['Fetch source', 'Parse catalog', 'Configure DNS', 'Install workload']);
  });
});
