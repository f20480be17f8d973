import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { createMailQueue } from '../../../../api/identity/mail/mail-queue.ts';
import { FairleadError } from '../../../../domain/errors.ts';

const log = pino({ level: 'silent' });
const away = () => new FairleadError('UNAVAILABLE', 'away', { retryable: true });

test('nothing of a job happens before whoever added it has gone on', async () => {
  const queue = createMailQueue({ log });
  const seen: string[] = [];
  queue.add('job', async () => void seen.push('job'));
  seen.push('answered');
  await Promise.resolve();
  assert.deepEqual(seen, ['answered']);
  await queue.idle();
  assert.deepEqual(seen, ['answered', 'job']);
});

test('a failure that may pass is tried again, another is given up and reported once', async () => {
  const queue = createMailQueue({ log, retryDelaysMs: [1, 1] });
  const tries = { passing: 0, lasting: 0, final: 0 };
  const reported: string[] = [];
  queue.add('passing', async () => {
    tries.passing += 1;
    if (tries.passing < 3) throw away();
  });
  for (const name of ['lasting', 'final'] as const) {
    queue.add(
      name,
      async () => {
        tries[name] += 1;
        throw name === 'lasting' ? away() : new Error('broken');
      },
      async () => void reported.push(name),
    );
  }
  await queue.idle();
  assert.deepEqual(tries, { passing: 3, lasting: 3, final: 1 });
  assert.deepEqual(reported.toSorted(), ['final', 'lasting']);
});

test('a report that fails as well ends nothing else', async () => {
  const queue = createMailQueue({ log, retryDelaysMs: [] });
  let done = false;
  const fail = async () => {
    throw new Error('no database');
  };
  queue.add('bad', fail, fail);
  queue.add('good', async () => {
    done = true;
  });
  await queue.idle();
  assert.ok(done);
});

test('few jobs run at once, few more wait, and the rest is refused without a word to the asker', async () => {
  const queue = createMailQueue({ log, capacity: 3, atOnce: 2 });
  const gate = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const job = async () => {
    running += 1;
    most = Math.max(most, running);
    await gate.promise;
    running -= 1;
  };
  const taken = Array.from({ length: 8 }, () => queue.add('job', job));
  assert.deepEqual(taken, [true, true, true, true, true, false, false, false]);
  // Jobs begin a turn later.
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(running, 2);
  gate.resolve();
  await queue.idle();
  assert.deepEqual([most, running], [2, 0]);
  assert.equal(
    queue.add('job', async () => {}),
    true,
  );
  await queue.idle();
});
