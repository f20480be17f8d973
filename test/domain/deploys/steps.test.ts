import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StepDefinition } from '../../../domain/deploys/step-definition.ts';
import { ACTING_STEPS, STEPS } from '../../../domain/deploys/steps.ts';

const ROWS: readonly StepDefinition[] = STEPS;
const place = (key: string): number => ROWS.findIndex((row) => row.key === key);
const acting = ROWS.flatMap(({ key, run }) => (run === null ? [] : [{ key, run }]));

describe('the table of steps', () => {
  it('names each step and each activity once', () => {
    assert.ok(ACTING_STEPS.length > 0);
    for (const names of [ROWS.map(({ key }) => key), acting.map(({ run }) => run.activity)]) {
      assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted());
    }
  });

  it('gives each fact before the step that needs it', () => {
    const given = new Set<string>();
    const early = ROWS.flatMap(({ key, needs, gives }) => {
      const missing = needs.filter((name) => !given.has(name)).map((name) => `${key} needs ${name}`);
      for (const name of Object.keys(gives)) given.add(name);
      return missing;
    });
    assert.deepEqual(early, []);
    assert.ok(given.has('imageDigest'));
  });

  it('lets every attempt end before the deadline of all attempts', () => {
    const wrong = acting.filter(({ run }) => run.attemptSeconds > run.deadlineSeconds || run.attemptSeconds <= 0);
    assert.deepEqual(wrong, []);
  });

  it('makes effects permanent, and results worth keeping, at a later step', () => {
    const laterSteps = ROWS.flatMap(({ key, run, remadeUntil }) =>
      [run?.undo?.until, remadeUntil].flatMap((until) => (until == null ? [] : [{ key, until }])),
    );
    assert.ok(laterSteps.length > 0);
    for (const { key, until } of laterSteps) assert.ok(place(until) > place(key), `${key} until ${until}`);
  });

  it('runs only short steps inside the workflow’s own task', () => {
    const local = acting.filter(({ run }) => run.local);
    assert.ok(local.length > 0);
    assert.deepEqual(
      local.filter(({ run }) => run.attemptSeconds > 30),
      [],
    );
  });
});
