import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { WorkflowFailedError } from '@temporalio/client';
import { GATHER } from '../../../domain/notifications/gather.ts';
import { gatherWorkflowId } from '../../../domain/notifications/messages.ts';
import type { Notification, NotificationKind } from '../../../domain/notifications/notification.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startIncidents } from '../incidents/harness.ts';

let world: Awaited<ReturnType<typeof startIncidents>>;
before(async () => {
  // Two more than one org may have under way.
  world = await startIncidents({ slots: 10 });
});
after(() => world.stop());
beforeEach(() => {
  world.receiver.taken.length = 0;
  world.receiver.hangingOrgs.clear();
});

const notices = (org: string, from: number, to: number, kind: NotificationKind = 'incident.opened'): Notification[] =>
  Array.from({ length: to - from }, (_, index) => {
    const id = `inc_${org}_${String(from + index).padStart(4, '0')}`;
    const words = { subject: `Down: ${id}`, text: `${id} is down.`, data: { incidentId: id } };
    return { ...words, id: `${id}/${kind}`, kind, org, at: new Date(1_700_000_000_000) };
  });

async function withChannels(org: string, count = 1): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `chn_${org}_${index}`);
  for (const id of ids) await world.channels.insert(channelRecord({ id, org }));
  return ids;
}

/** Skips time until all of an org is told. */
const over = (org: string) => world.env.client.workflow.getHandle(gatherWorkflowId(org)).result();
const sleep = (ms: number) => world.env.sleep(ms);
const waiting = (org: string) => world.notices.countWaiting(org, 100_000);
/** What came of an org, once it is there. */
async function taken(org: string, count: number, withinMs = 60_000): Promise<readonly string[]> {
  const own = () => world.receiver.taken.filter((each) => each.startsWith(`chn_${org}_`));
  await waitUntil('the notices are delivered', () => own().length >= count, { withinMs });
  return own().toSorted();
}
const textOf = (key: string): string => world.receiver.texts.get(key) ?? '';

test('a lone outage is told as it is, within seconds', async () => {
  const [channel] = await withChannels('lone');
  const [only] = notices('lone', 0, 1);
  assert.ok(only !== undefined);
  await world.outbox.tell(only);
  await sleep(GATHER.firstMs + 1_000);
  assert.deepEqual(await taken('lone', 1), [`${channel} ${only.id}`]);
  await over('lone');
  assert.equal(world.receiver.taken.length, 1);
});

test('of thousands at once one notice comes to each channel: twenty are listed, the rest is counted', async () => {
  const channels = await withChannels('many', 2);
  const all = notices('many', 0, 5_000);
  await world.outbox.tellAll(all.slice(0, 1_000));
  await sleep(GATHER.firstMs + 500);
  assert.equal(world.receiver.taken.length, 0, 'they have one cause: more come');
  await world.outbox.tellAll(all.slice(1_000));
  await over('many');
  const came = await taken('many', channels.length);
  assert.equal(came.length, channels.length);
  const [first = ''] = came;
  const lines = textOf(first).split('\n');
  assert.deepEqual([lines[0], lines[20]], ['- inc_many_0000 is down.', 'and 4980 more']);
  assert.equal(await waiting('many'), 0);
});

test('what ends is told in a group of its own, after what is down', async () => {
  await withChannels('ends');
  await world.outbox.tellAll([
    ...notices('ends', 0, 3, 'incident.resolved'),
    ...notices('ends', 0, 3),
    ...notices('ends', 3, 4, 'monitor.flapping'),
  ]);
  await over('ends');
  const came = await taken('ends', 3);
  assert.deepEqual(
    came.map((each) => each.split('/').at(-1)),
    ['incident.opened', 'incident.resolved', 'monitor.flapping'],
  );
});

test('what comes too late for a group is told with the next one, once', async () => {
  const [channel] = await withChannels('late');
  const all = notices('late', 0, 4);
  await world.outbox.tellAll(all.slice(0, 1));
  await sleep(GATHER.firstMs + 1_000);
  assert.equal((await taken('late', 1)).length, 1);
  for (const notice of all.slice(1)) await world.outbox.tell(notice);
  // As by whoever was killed before it noted that it has told them.
  await world.outbox.tellAll(all);
  await over('late');
  const [single, group] = await taken('late', 2).then((came) => came.toSorted((a, b) => b.length - a.length).reverse());
  assert.equal(single, `${channel} ${all[0]?.id}`);
  assert.equal(textOf(group ?? '').match(/ is down\./g)?.length, 3);
  assert.equal(world.receiver.taken.length, 2);
});

test('an attempt that is killed between two channels leaves one notice a channel, and none untold', async () => {
  const channels = await withChannels('killed', 3);
  world.faults.deliver = new Error('killed');
  await world.outbox.tellAll(notices('killed', 0, 5));
  await over('killed');
  const came = await taken('killed', channels.length);
  assert.equal(came.length, channels.length);
  assert.equal(new Set(came.map((each) => each.split(' ')[1])).size, 1, 'the same group');
  assert.equal(await waiting('killed'), 0);
});

test('once it is cancelled it waits for no more, tells what is there, and the next notice begins anew', async () => {
  await withChannels('cancelled');
  await world.outbox.tellAll(notices('cancelled', 0, 2));
  await world.client.workflow.getHandle(gatherWorkflowId('cancelled')).cancel();
  await assert.rejects(over('cancelled'), WorkflowFailedError);
  assert.equal((await taken('cancelled', 1)).length, 1);
  assert.equal(await waiting('cancelled'), 0);
  await world.outbox.tellAll(notices('cancelled', 2, 3));
  await over('cancelled');
  assert.equal((await taken('cancelled', 2)).length, 2);
});

test('an org whose receivers hang holds up itself alone: the alert of another comes at once', async () => {
  world.receiver.hangingOrgs.add('hanging');
  await withChannels('hanging', 20);
  const test = { ...(notices('hanging', 0, 1)[0] as Notification), kind: 'alerts.test' } as const;
  for (let index = 0; index < 6; index += 1) await world.outbox.tell({ ...test, id: `test/${index}` });
  await waitUntil('they hang', () => world.receiver.attempts >= 8, { withinMs: 30_000 });
  const [channel] = await withChannels('prompt');
  await world.outbox.tell({ ...test, id: 'test/prompt', org: 'prompt' });
  // An attempt that hangs ends after a minute.
  assert.deepEqual(await taken('prompt', 1, 30_000), [`${channel} test/prompt`]);
});
