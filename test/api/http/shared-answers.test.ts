import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSharedAnswers } from '../../../api/http/shared-answers.ts';
import { FairleadError } from '../../../domain/errors.ts';

const refusal = new FairleadError('NOT_FOUND', 'none');

function world(options: { mostBytes?: number } = {}) {
  const clock = { at: 0 };
  const made: string[] = [];
  const answers = createSharedAnswers<string>({
    ...{ maxAgeMs: 100, mostBytes: 1_000_000, bytesOf: (answer) => answer.length, ...options },
    errorMaxAgeMs: (error) => (error === refusal ? 50 : 0),
    monotonicMs: () => clock.at,
  });
  const ask = (key: string, answer: string | Error = key, until?: Promise<void>) =>
    answers(key, async () => {
      made.push(key);
      await until;
      if (typeof answer !== 'string') throw answer;
      return answer;
    });
  return { clock, made, ask, answers };
}

describe('shared answers', () => {
  it('are made once for all who ask at once, however long that takes, and kept for a while from when their making began', async () => {
    const { clock, made, ask } = world();
    const { promise, resolve } = Promise.withResolvers<void>();
    const both = [ask('a', 'first', promise)];
    clock.at = 500;
    both.push(ask('a', 'second', promise));
    resolve();
    assert.deepEqual(await Promise.all(both), ['first', 'first']);
    assert.equal(await ask('a', 'third'), 'third', 'it was too old when it came');
    clock.at = 599;
    assert.equal(await ask('a', 'fourth'), 'third');
    clock.at = 600;
    assert.equal(await ask('a', 'fifth'), 'fifth');
    assert.equal(made.length, 3);
  });

  it('are bounded by their bytes: the one that was asked for the longest ago goes, and one that is too large is kept alone', async () => {
    const { made, ask } = world({ mostBytes: 10_000 });
    for (const key of ['a', 'b', 'c']) await ask(key, 'x'.repeat(3_000));
    await ask('a');
    await ask('d', 'x'.repeat(3_000));
    made.length = 0;
    for (const key of ['a', 'c', 'd']) await ask(key);
    assert.deepEqual(made, []);
    await ask('b');
    assert.deepEqual(made, ['b']);
    await ask('large', 'x'.repeat(50_000));
    await ask('large');
    assert.deepEqual(made, ['b', 'large']);
  });

  it('are displaced by no refusals, which are kept apart for a while; other failures are for those alone who wait for them', async () => {
    const { clock, made, ask } = world({ mostBytes: 1_000 });
    await ask('a');
    await Promise.allSettled(Array.from({ length: 2_000 }, (_, index) => ask(`none-${index}`, refusal)));
    made.length = 0;
    await ask('a');
    await assert.rejects(ask('none-1999', refusal), refusal);
    assert.deepEqual(made, []);
    clock.at = 50;
    await assert.rejects(ask('none-1999', refusal), refusal);
    const away = new FairleadError('UNAVAILABLE', 'away');
    await assert.rejects(ask('b', away), away);
    assert.equal(await ask('b'), 'b');
    assert.deepEqual(made, ['none-1999', 'b', 'b']);
  });

  it('are asked for again where their making throws at once', async () => {
    const { answers } = world();
    const thrown = new Error('at once');
    await assert.rejects(
      answers('a', () => {
        throw thrown;
      }),
      thrown,
    );
    assert.equal(await answers('a', async () => 'a'), 'a');
  });
});
