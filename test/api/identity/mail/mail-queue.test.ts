import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { createMailQueue } from '../../../../api/identity/mail/mail-queue.ts';
import { FairleadError } from '../../../../domain/errors.ts';

const log = pino({ level: 'silent' });
const away = () => new FairleadError('UNAVAILABLE', 'away', { retryable: true });

test('a job starts after the code that added it has continued', async () => {
  const queue = createMailQueue({ log });
  const seen: string[] = [];
  queue.add({ name: 'job', to: 'a@example.com', run: async () => void seen.push('job') });
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
  queue.add({
    name: 'passing',
    to: 'passing@example.com',
    run: async () => {
      tries.passing += 1;
      if (tries.passing < 3) throw away();
    },
  });
  for (const name of ['lasting', 'final'] as const) {
    queue.add({
      name,
      to: `${name}@example.com`,
      run: async () => {
        tries[name] += 1;
        throw name === 'lasting' ? away() : new Error('broken');
      },
      onFailure: async () => void reported.push(name),
    });
  }
  await queue.idle();
  assert.deepEqual(tries, { passing: 3, lasting: 3, final: 1 });
  assert.deepEqual(reported.toSorted(), ['final', 'lasting']);
});

test('a failing report stops no other job', async () => {
  const queue = createMailQueue({ log, retryDelaysMs: [] });
  let done = false;
  const fail = async () => {
    throw new Error('no database');
  };
  queue.add({ name: 'bad', to: 'bad@example.com', run: fail, onFailure: fail });
  queue.add({
    name: 'good',
    to: 'good@example.com',
    run: async () => {
      done = true;
    },
  });
  await queue.idle();
  assert.ok(done);
});

test('few jobs run at once, few more wait, and the rest is refused without a word to the asker', async () => {
  const queue = createMailQueue({ log, capacity: 3, atOnce: 2 });
  const gate = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const run = async () => {
    running += 1;
    most = Math.max(most, running);
    await gate.promise;
    running -= 1;
  };
  const taken = Array.from({ length: 8 }, (_, index) => queue.add({ name: 'job', to: `${index}@example.com`, run }));
  assert.deepEqual(taken, [true, true, true, true, true, false, false, false]);
  // Jobs begin a turn later.
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(running, 2);
  gate.resolve();
  await queue.idle();
  assert.deepEqual([most, running], [2, 0]);
  assert.equal(queue.add({ name: 'job', to: 'a@example.com', run: async () => {} }), true);
  await queue.idle();
});

test('notices have places of their own: no flood of mail that anybody may ask for displaces or holds one', async () => {
  const queue = createMailQueue({ log, capacity: 3, atOnce: 2 });
  const gate = Promise.withResolvers<void>();
  const flood = (index: number) => queue.add({ name: 'mail', to: `${index}@example.com`, run: () => gate.promise });
  assert.equal(Array.from({ length: 50 }, (_, index) => flood(index)).filter(Boolean).length, 5);
  const told = Promise.withResolvers<void>();
  const notice = { name: 'notice', to: 'ada@example.com', notice: true, run: async () => told.resolve() };
  assert.equal(queue.add(notice), true);
  await told.promise;
  gate.resolve();
  await queue.idle();
});

test('mail for one address takes no more than its share of the places', async () => {
  const queue = createMailQueue({ log, capacity: 10, perAddress: 2, atOnce: 1 });
  const gate = Promise.withResolvers<void>();
  const add = (to: string) => queue.add({ name: 'mail', to, run: () => gate.promise });
  assert.deepEqual(['a', 'a', 'a', 'a', 'b', 'c'].map(add), [true, true, true, false, true, true]);
  gate.resolve();
  await queue.idle();
});

test('mails to one address go out in the order of their requests, and delay no other address', async () => {
  const queue = createMailQueue({ log, atOnce: 4, retryDelaysMs: [1] });
  const sent: string[] = [];
  const gate = Promise.withResolvers<void>();
  let tries = 0;
  queue.add({
    name: 'first',
    to: 'ada@example.com',
    run: async () => {
      await gate.promise;
      tries += 1;
      if (tries === 1) throw away();
      sent.push('first');
    },
  });
  for (const name of ['second', 'third']) {
    queue.add({ name, to: 'ada@example.com', run: async () => void sent.push(name) });
  }
  const other = Promise.withResolvers<void>();
  queue.add({ name: 'other', to: 'bob@example.com', run: async () => other.resolve() });
  await other.promise;
  assert.deepEqual(sent, []);
  gate.resolve();
  await queue.idle();
  assert.deepEqual(sent, ['first', 'second', 'third']);
});
