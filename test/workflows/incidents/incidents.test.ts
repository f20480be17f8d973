import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import { incidentId } from '../../../domain/incidents/incident.ts';
import type { Transition } from '../../../domain/monitors/condition.ts';
import { channelRecord, deliveryRecord } from '../../ports/notifications/notification-stores.ts';
import { monitorRecord } from '../../support/monitor-records.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startIncidents } from './harness.ts';

let world: Awaited<ReturnType<typeof startIncidents>>;
before(async () => {
  world = await startIncidents();
});
after(() => world.stop());
beforeEach(() => {
  Object.assign(world.receiver, { attempts: 0, fault: null, backAfter: null });
  world.receiver.taken.length = 0;
});

const DOWN: Transition = {
  ...{ sequence: 1, kind: 'down', at: Date.parse('2026-11-01T10:00:00Z'), confirmedAt: 0, downSequence: 1 },
  message: 'It answered 503',
};
const UP: Transition = { ...DOWN, sequence: 2, kind: 'up', at: Date.parse('2026-11-01T10:05:00Z'), message: null };
const isNotFound = { code: 'INCIDENT_NOT_FOUND' };

/** A monitor of an org of its own, with channels. */
async function monitorWithChannels(number: number, channels = 1) {
  const org = `org-${number}`;
  const ids = Array.from({ length: channels }, (_, index) => `chn_${number}_${index}`);
  for (const id of ids) await world.channels.insert(channelRecord({ id, org }));
  const monitor = monitorRecord(number, { org });
  return { monitor, channels: ids, id: incidentId(monitor.id, 1) };
}

/** Skips the seconds for which notices are gathered. */
async function taken(...expected: readonly string[]): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    await world.env.sleep(1_000);
    return world.receiver.taken.length >= expected.length;
  };
  await waitUntil('the notices are delivered', isThere, { withinMs: 60_000 });
  assert.deepEqual(world.receiver.taken.toSorted(), expected.toSorted());
}

test('an outage is told once on each channel, and so is its end, however often the monitor tells them', async () => {
  const { monitor, channels, id } = await monitorWithChannels(1, 2);
  const { tell } = world.listener;
  for (let times = 0; times < 3; times += 1) await tell(monitor, DOWN);
  await taken(...channels.map((channel) => `${channel} ${id}/opened`));
  const open = await world.incidents.find(id);
  assert.deepEqual([open?.state, open?.startedAt.getTime(), open?.cause], ['open', DOWN.at, 'It answered 503']);
  await tell(monitor, UP);
  await world.ended(id);
  for (const transition of [UP, DOWN, UP]) await tell(monitor, transition);
  await taken(...channels.flatMap((channel) => [`${channel} ${id}/opened`, `${channel} ${id}/resolved`]));
  const ended = await world.incidents.find(id);
  assert.deepEqual([ended?.state, ended?.resolvedAt?.getTime()], ['resolved', UP.at]);
});

test('what people do is on record and told, in its order; after the end it is refused', async () => {
  const { monitor, channels, id } = await monitorWithChannels(2);
  await world.listener.tell(monitor, DOWN);
  const at = '2026-11-01T10:01:00.000Z';
  await world.commands.acknowledge(id, { by: 'usr_ada', at });
  await world.commands.acknowledge(id, { by: 'usr_eve', at });
  await world.commands.update(id, { at, by: 'usr_ada', status: 'identified', body: 'A disk is full.' });
  await world.commands.resolve(id, { at, by: 'usr_ada', note: 'The disk has room again.' });
  await world.ended(id);
  await taken(...['opened', 'acknowledged', 'updated', 'resolved'].map((event) => `${channels[0]} ${id}/${event}`));
  const incident = await world.incidents.find(id);
  assert.equal(incident?.acknowledged?.by, 'usr_ada');
  assert.deepEqual(
    incident?.updates.map(({ status }) => status),
    ['investigating', 'identified', 'resolved'],
  );
  await assert.rejects(world.commands.acknowledge(id, { by: 'usr_ada', at }), isNotFound);
  await world.commands.acknowledge('inc_none', { by: 'usr_ada', at });
  await world.ended('inc_none');
  assert.equal(await world.incidents.find('inc_none'), null);
});

test('what a person says of an incident that is on record, and whose workflow has not begun yet, begins it', async () => {
  const { monitor, channels, id } = await monitorWithChannels(8);
  const { announce, tell } = world.listener;
  await announce([[monitor, DOWN]]);
  assert.equal((await world.incidents.find(id))?.state, 'open');
  const at = '2026-11-01T10:01:00.000Z';
  await world.commands.acknowledge(id, { by: 'usr_ada', at });
  await tell(monitor, DOWN);
  await tell(monitor, UP);
  await world.ended(id);
  await taken(...['opened', 'acknowledged', 'resolved'].map((event) => `${channels[0]} ${id}/${event}`));
  const incident = await world.incidents.find(id);
  assert.deepEqual([incident?.acknowledged?.by, incident?.state], ['usr_ada', 'resolved']);
});

test('an incident whose workflow is gone is ended by its monitor or a person, and told once; none is made by that', async () => {
  const { monitor, channels, id } = await monitorWithChannels(7);
  const { tell } = world.listener;
  await tell(monitor, DOWN);
  await taken(`${channels[0]} ${id}/opened`);
  await world.terminate(id);
  await tell(monitor, UP);
  await world.ended(id);
  const ended = await world.incidents.find(id);
  assert.deepEqual(
    [ended?.state, ended?.resolvedAt?.getTime(), ended?.startedAt.getTime()],
    ['resolved', UP.at, DOWN.at],
  );
  await world.commands.resolve(id, { at: '2026-11-01T11:00:00.000Z', by: 'usr_ada', note: 'late' });
  await world.commands.resolve('inc_none', { at: '2026-11-01T11:00:00.000Z', by: 'usr_ada', note: null });
  for (const one of [id, 'inc_none']) await world.ended(one);
  assert.deepEqual([await world.incidents.find(id), await world.incidents.find('inc_none')], [ended, null]);
  await taken(`${channels[0]} ${id}/opened`, `${channels[0]} ${id}/resolved`);
});

test('what is said of an incident after its workflow was lost is told as well, under an id that nothing before it had', async () => {
  const { monitor, channels, id } = await monitorWithChannels(9);
  const { tell } = world.listener;
  const update = (body: string) =>
    ({ at: '2026-11-01T10:01:00.000Z', by: 'usr_ada', status: 'identified', body }) as const;
  const told = (...events: readonly string[]) => taken(...events.map((event) => `${channels[0]} ${id}/${event}`));
  await tell(monitor, DOWN);
  await tell(monitor, { ...UP, kind: 'flapping' });
  await world.commands.update(id, update('A disk is full.'));
  await told('opened', 'flapping', 'updated');
  for (const body of ['The disk has room again.', 'And it stays so.']) {
    await world.terminate(id);
    await world.beginAgain(id);
    await world.commands.update(id, update(body));
    const isOfIt = ([key, text]: readonly [string, string]): boolean => key.includes(id) && text.includes(body);
    await waitUntil('it is told', () => [...world.receiver.texts].some(isOfIt));
  }
  for (const kind of ['steady', 'flapping', 'up'] as const) await tell(monitor, { ...UP, kind });
  await world.ended(id);
  const bodies = [...world.receiver.texts].flatMap(([key, text]) => (key.includes(`${id}/updated`) ? [text] : []));
  for (const body of ['A disk is full.', 'The disk has room again.', 'And it stays so.']) {
    assert.equal(bodies.filter((text) => text.includes(body)).length, 1, body);
  }
  const events = ['opened', 'flapping', 'updated', 'updated-3', 'updated-4', 'steady-4', 'flapping-4', 'resolved'];
  await told(...events);
});

test('a monitor that flaps is told twice: that it does, and that it stopped', async () => {
  const { monitor, channels, id } = await monitorWithChannels(3);
  const { tell } = world.listener;
  await tell(monitor, DOWN);
  for (const kind of ['flapping', 'flapping', 'steady', 'up'] as const) await tell(monitor, { ...UP, kind });
  await world.ended(id);
  await taken(...['opened', 'flapping', 'steady', 'resolved'].map((event) => `${channels[0]} ${id}/${event}`));
});

test('an incident goes on to its end, and is told, where the readers of its page cannot be told for good', async () => {
  for (const [number, fault] of [
    [20, new FairleadError('INTERNAL', 'A stored monitor has an invalid format')],
    [21, new TypeError('a mistake')],
  ] as const) {
    const { monitor, channels, id } = await monitorWithChannels(number);
    const { tell } = world.listener;
    world.receiver.taken.length = 0;
    Object.assign(world.faults, { page: fault });
    await tell(monitor, DOWN);
    await taken(`${channels[0]} ${id}/opened`);
    await tell(monitor, UP);
    await world.ended(id);
    Object.assign(world.faults, { page: null });
    await taken(`${channels[0]} ${id}/opened`, `${channels[0]} ${id}/resolved`);
    assert.equal((await world.incidents.find(id))?.state, 'resolved');
    assert.equal(world.warnings.filter((each) => each === id).length, 2);
  }
});

test('an incident goes on to its end where nobody can be told of it for good', async () => {
  const { monitor, id } = await monitorWithChannels(22);
  const { tell } = world.listener;
  Object.assign(world.faults, { tell: new FairleadError('INTERNAL', 'A stored channel has an invalid format') });
  await tell(monitor, DOWN);
  await tell(monitor, UP);
  await world.ended(id);
  Object.assign(world.faults, { tell: null });
  assert.equal((await world.incidents.find(id))?.state, 'resolved');
});

/** Told without an incident: one that is open would end, as the time of years is skipped to wait for a delivery. */
async function tellChannel(number: number): Promise<string> {
  const { channels, monitor } = await monitorWithChannels(number);
  const { notification } = deliveryRecord();
  const id = `inc_${number}/opened`;
  await world.outbox.tell({ ...notification, kind: 'alerts.test', id, org: monitor.org });
  return `${id}/${channels[0]}`;
}

test('a receiver that stays away for a day gets no notice, and gets it once when a person asks for it again', async () => {
  world.receiver.fault = new FairleadError('UNAVAILABLE', 'The receiver answered 503', { retryable: true });
  const delivery = await tellChannel(4);
  await world.delivered(delivery);
  const dead = await world.deliveries.find(delivery);
  assert.deepEqual([dead?.state, dead?.lastProblem], ['dead', 'The receiver answered 503']);
  assert.ok(world.receiver.attempts > 20, `${world.receiver.attempts} attempts in a day`);
  const list = await world.deliveries.list({ org: 'org-4', state: 'dead' }, { cursor: null, limit: 10 });
  assert.deepEqual(
    list.items.map((each) => each.id),
    [delivery],
  );
  world.receiver.fault = null;
  for (let times = 0; times < 2; times += 1) {
    await world.deliveryCommands.deliver(delivery, true);
    await world.delivered(delivery);
    assert.equal((await world.deliveries.find(delivery))?.state, 'delivered');
  }
  assert.equal(world.receiver.taken.length, 1);
});

test('a receiver that is away for hours gets its notice when it is back', async () => {
  world.receiver.fault = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
  world.receiver.backAfter = 12;
  const delivery = await tellChannel(5);
  await world.delivered(delivery);
  const delivered = await world.deliveries.find(delivery);
  assert.deepEqual([delivered?.state, delivered?.attempts, delivered?.lastProblem], ['delivered', 13, null]);
});

test('a notice whose channel was removed is given up at once', async () => {
  world.receiver.fault = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
  const delivery = await tellChannel(6);
  await waitUntil('it was tried', () => world.receiver.attempts > 0);
  await world.channels.remove('chn_6_0');
  await world.delivered(delivery);
  assert.match((await world.deliveries.find(delivery))?.lastProblem ?? '', /channel was removed/);
});
