import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createReadSlots } from '../../../api/http/read-slots.ts';

const never = new AbortController().signal;

it('who gives up waiting takes no turn, and who came later has it', async () => {
  const slots = createReadSlots(1);
  const held = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = slots(() => held.promise.then(() => order.push('first')), never);
  const gone = new AbortController();
  const second = slots(async () => order.push('second'), gone.signal);
  const third = slots(async () => order.push('third'), never);
  gone.abort(new Error('the client has gone'));
  await assert.rejects(second, /the client has gone/);
  held.resolve();
  await Promise.all([first, third]);
  assert.deepEqual(order, ['first', 'third']);
});

it('a read that fails gives its turn back', async () => {
  const slots = createReadSlots(1);
  await assert.rejects(
    slots(() => Promise.reject(new Error('no such file')), never),
    /no such file/,
  );
  assert.equal(await slots(async () => 'read', never), 'read');
});

it('nothing is read for who has gone already', async () => {
  const slots = createReadSlots(1);
  let reads = 0;
  await assert.rejects(
    slots(async () => (reads += 1), AbortSignal.abort()),
    { name: 'AbortError' },
  );
  assert.equal(reads, 0);
});
