import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { loadStepWork } from '../../../activities/deploys/step-work.ts';
import { ACTING_STEPS } from '../../../domain/deploys/steps.ts';

test('each step that acts has its function in a file of its name, and no file there belongs to none', async () => {
  const loaded = await Promise.all(ACTING_STEPS.map(loadStepWork));
  assert.deepEqual(
    loaded.map(({ name, length }) => [name, length <= 2]),
    ACTING_STEPS.map(({ run }) => [run.activity, true]),
  );
  const files = readdirSync(new URL('../../../activities/deploys/steps/', import.meta.url));
  assert.equal(files.length, ACTING_STEPS.length);
});

test('a step without a file, or whose file lacks the function, stops the worker at its start and says what to write', async () => {
  await assert.rejects(loadStepWork({ run: { activity: 'feedTheCat' } }), {
    code: 'INTERNAL',
    message: 'The step feedTheCat cannot be loaded from activities/deploys/steps/feed-the-cat.ts',
  });
  await assert.rejects(loadStepWork({ run: { activity: 'readcatalog' } }), { code: 'INTERNAL' });
  await assert.rejects(loadStepWork({ run: { activity: 'ReadCatalog' } }), {
    code: 'INTERNAL',
    message: 'activities/deploys/steps/read-catalog.ts must export the function ReadCatalog',
  });
});
