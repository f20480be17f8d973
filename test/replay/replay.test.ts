import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import * as workflows from '../../workflows/index.ts';
import { testWorkflowBundle } from '../support/workflow-bundle.ts';
import { readHistory } from './compact-history.ts';

const folder = join(import.meta.dirname, 'histories');
const read = (name: string): string => readFileSync(join(folder, `${name}.json`), 'utf8');

describe('recorded histories', { timeout: 60_000 }, () => {
  let workflowBundle: { readonly codePath: string };
  before(async () => {
    workflowBundle = await testWorkflowBundle();
  });

  const replay = (history: string) => Worker.runReplayHistory({ workflowBundle }, readHistory(history));

  for (const file of readdirSync(folder).sort()) {
    const name = file.replace(/\.json$/, '');
    it(`${name} replays on the workflows of today`, async () => {
      await replay(read(name));
    });
  }

  it('every type of workflow has a history, so that none can be changed unseen', () => {
    const recorded = readdirSync(folder).map((file) => typeOf(readHistory(readFileSync(join(folder, file), 'utf8'))));
    const missing = Object.keys(workflows).filter((type) => !recorded.includes(type));
    assert.deepEqual(missing, [], 'add a scenario and record it with test/replay/record.ts');
  });

  it('a step under another name is detected', async () => {
    const changed = read('deploy-build').replaceAll('"readCatalog"', '"parseCatalog"');
    assert.notEqual(changed, read('deploy-build'));
    await assert.rejects(replay(changed), DeterminismViolationError);
  });

  it('a history of another workflow is detected', async () => {
    const changed = read('clean-up').replaceAll('"cleanUpAfterBuild"', '"removeService"');
    assert.notEqual(changed, read('clean-up'));
    await assert.rejects(replay(changed), DeterminismViolationError);
  });
});

/** Type of the workflow that a history is of. */
function typeOf({ events }: ReturnType<typeof readHistory>): string | null | undefined {
  return events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;
}
