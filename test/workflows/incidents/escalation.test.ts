import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import { incidentId } from '../../../domain/incidents/incident.ts';
import { toIncidentView } from '../../../domain/incidents/incident-view.ts';
import { INCIDENT_WORKFLOWS, incidentWorkflowId } from '../../../domain/incidents/messages.ts';
import type { Transition } from '../../../domain/monitors/condition.ts';
import type { EscalationPolicy } from '../../../domain/notifications/escalation.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';
import { monitorRecord } from '../../support/monitor-records.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startIncidents } from './harness.ts';

let world: Awaited<ReturnType<typeof startIncidents>>;
before(async () => {
  world = await startIncidents();
});
after(() => world.stop());

const MINUTE_MS = 60_000;
const AT = '2026-11-01T10:01:00.000Z';
const ACKNOWLEDGED = { by: 'usr_ada', at: AT };
const step = (waitMinutes: number, ...channelIds: readonly string[]) => ({ waitMinutes, channelIds });

/** One after the other, with ten and twenty minutes between; nobody names `d`. */
const policyOf = (org: string, repeat: EscalationPolicy['repeat'] = null): EscalationPolicy => ({
  steps: [step(0, `${org}-a`), step(10, `${org}-b`), step(20, `${org}-c`)],
  repeat,
});

/** An outage of an org with four channels and that policy. */
async function escalated(number: number, repeat: EscalationPolicy['repeat'] = null) {
  const org = `org-${number}`;
  for (const name of ['a', 'b', 'c', 'd']) await world.channels.insert(channelRecord({ id: `${org}-${name}`, org }));
  await world.escalations.set(org, 'critical', policyOf(org, repeat));
  const monitor = monitorRecord(number, { org });
  await world.monitors.insert(monitor);
  const id = incidentId(monitor.id, 1);
  const down: Transition = {
    ...{ sequence: 1, kind: 'down', at: await world.env.currentTimeMs(), confirmedAt: 0, downSequence: 1 },
    message: 'It answered 503',
  };
  /** `<channel> <event>` of what the channels of the org took, in its order. */
  const taken = (): readonly string[] =>
    world.receiver.taken
      .filter((each) => each.includes(` ${id}/`))
      .map((each) => each.replace(`${org}-`, '').replace(`${id}/`, ''));
  return {
    ...{ org, id, monitor, taken },
    end: () => world.listener.tell(monitor, { ...down, sequence: 2, kind: 'up', message: null }),
    /** Skips the seconds for which notices are gathered, and no more. */
    async takes(...expected: readonly string[]): Promise<void> {
      const isThere = async (): Promise<boolean> => {
        await world.env.sleep(1_000);
        return taken().length >= expected.length;
      };
      await waitUntil(`${expected.at(-1)} is taken`, isThere, { withinMs: 60_000 });
      assert.deepEqual(taken().toSorted(), expected.toSorted());
    },
    begin: () => world.listener.tell(monitor, down),
  };
}

const skip = (minutes: number): Promise<void> => world.env.sleep(minutes * MINUTE_MS);

test('each step is told when its time has come and nobody has acknowledged; the end to all of them, and to no other channel', async () => {
  const outage = await escalated(1);
  await outage.begin();
  await outage.takes('a opened');
  await skip(8);
  assert.deepEqual(outage.taken(), ['a opened']);
  await skip(2);
  await outage.takes('a opened', 'b escalated');
  await skip(18);
  assert.equal(outage.taken().length, 2);
  await skip(2);
  await outage.takes('a opened', 'b escalated', 'c escalated-2');
  await skip(300);
  await outage.end();
  await outage.takes(...['a opened', 'b escalated', 'c escalated-2'], ...['a resolved', 'b resolved', 'c resolved']);
  const incident = await world.incidents.find(outage.id);
  assert.deepEqual(
    incident?.escalation?.told.map(({ step: number, channelIds }) => [number, ...channelIds]),
    [
      [0, 'org-1-a'],
      [1, 'org-1-b'],
      [2, 'org-1-c'],
    ],
  );
  const text = [...world.receiver.texts].find(([key]) => key.endsWith('/escalated'))?.[1] ?? '';
  assert.match(text, /nobody has acknowledged it for 10 minutes/);
  assert.match(text, new RegExp(`fairlead incidents acknowledge ${outage.id}`));
});

test('whoever acknowledges it ends the escalation: those that were told hear of it, and of the end, and the others of nothing', async () => {
  const outage = await escalated(2);
  await outage.begin();
  await skip(11);
  await outage.takes('a opened', 'b escalated');
  await world.commands.acknowledge(outage.id, ACKNOWLEDGED);
  await skip(120);
  const told = ['a opened', 'b escalated', 'a acknowledged', 'b acknowledged'];
  await outage.takes(...told);
  await outage.end();
  await outage.takes(...told, 'a resolved', 'b resolved');
});

test('an outage that ends before the next step is told to the first alone', async () => {
  const outage = await escalated(3);
  await outage.begin();
  await outage.takes('a opened');
  await skip(5);
  await outage.end();
  await world.ended(outage.id);
  await skip(60);
  await outage.takes('a opened', 'a resolved');
});

test('all steps are told once more as often as the policy says', async () => {
  const outage = await escalated(4, { times: 1, waitMinutes: 60 });
  await outage.begin();
  await skip(31);
  const first = ['a opened', 'b escalated', 'c escalated-2'];
  await outage.takes(...first);
  await skip(57);
  assert.equal(outage.taken().length, 3);
  await skip(35);
  await skip(300);
  await outage.takes(...first, 'a escalated-3', 'b escalated-4', 'c escalated-5');
  await outage.end();
});

test('an incident keeps the policy that it began with, also where its workflow is gone, and told steps are not told again', async () => {
  const outage = await escalated(5);
  await outage.begin();
  await skip(11);
  await outage.takes('a opened', 'b escalated');
  await world.escalations.set(outage.org, 'critical', { steps: [step(0, `${outage.org}-d`)], repeat: null });
  await world.terminate(outage.id);
  await world.beginAgain(outage.id);
  await skip(40);
  await outage.takes('a opened', 'b escalated', 'c escalated-2');
  await outage.end();
  await outage.takes(...['a opened', 'b escalated', 'c escalated-2'], ...['a resolved', 'b resolved', 'c resolved']);
});

test('one whose workflow is lost goes on by the clock, and one that runs is left as it is', async () => {
  const [outage, other] = [await escalated(15), await escalated(16)];
  for (const each of [outage, other]) await each.begin();
  for (const each of [outage, other]) await each.takes('a opened');
  await world.terminate(outage.id);
  await skip(5);
  assert.deepEqual(await world.resume(), { late: 0 }, 'its time has not come');
  await skip(8);
  await other.takes('a opened', 'b escalated');
  assert.deepEqual(outage.taken(), ['a opened']);
  assert.deepEqual(await world.resume(), { late: 1 });
  await outage.takes('a opened', 'b escalated');
  await skip(21);
  for (const each of [outage, other]) await each.takes('a opened', 'b escalated', 'c escalated-2');
  assert.deepEqual(await world.resume(), { late: 0 });
  for (const each of [outage, other]) await each.end();
});

test('one that continues as new waits for the rest of the time alone', async () => {
  const outage = await escalated(6);
  await outage.begin();
  await outage.takes('a opened');
  await skip(6);
  await world.terminate(outage.id);
  const incident = await world.incidents.find(outage.id);
  assert.ok(incident !== null);
  await world.client.workflow.start(INCIDENT_WORKFLOWS.runIncident, {
    workflowId: incidentWorkflowId(outage.id),
    taskQueue: TASK_QUEUE,
    args: [
      { id: outage.id, isKnown: true },
      { incident: toIncidentView(incident), turns: { opened: 1 } },
    ],
  });
  await skip(2);
  assert.deepEqual(outage.taken(), ['a opened']);
  await skip(3);
  await outage.takes('a opened', 'b escalated');
  await outage.end();
});

test('a step whose channel is removed is passed over at once: the next one is told, and who is named by none', async () => {
  const outage = await escalated(7);
  await outage.begin();
  await outage.takes('a opened');
  await world.channels.remove(`${outage.org}-b`);
  await skip(11);
  await outage.takes('a opened', 'c escalated', 'a escalated', 'd escalated');
  const text = world.receiver.texts.get(`${outage.org}-d ${outage.id}/escalated`) ?? '';
  assert.match(text, /a step of the escalation has no channel left/);
  await skip(300);
  await outage.end();
  await outage.takes(
    ...['a opened', 'c escalated', 'a escalated', 'd escalated'],
    ...['a resolved', 'c resolved', 'd resolved'],
  );
});

test('a policy whose channels are all gone tells every other channel of the org at once', async () => {
  const outage = await escalated(8);
  for (const name of ['a', 'b', 'c']) await world.channels.stop(`${outage.org}-${name}`);
  await outage.begin();
  await outage.takes('d opened');
  await outage.end();
  await outage.takes('d opened', 'd resolved');
});

test('in a time of maintenance no step is told; it is once that is over, also where somebody ends it early', async () => {
  const outage = await escalated(9);
  await outage.begin();
  await outage.takes('a opened');
  const now = await world.env.currentTimeMs();
  const window = { from: new Date(now), to: new Date(now + 600 * MINUTE_MS), note: null };
  await world.monitors.replace({ ...outage.monitor, maintenance: [window], revision: 2 });
  await skip(60);
  assert.deepEqual(outage.taken(), ['a opened']);
  await world.monitors.replace({ ...outage.monitor, maintenance: [], revision: 3 });
  await skip(6);
  await outage.takes('a opened', 'b escalated');
  await outage.end();
});

test('without a policy for its severity an outage is told to every channel at once', async () => {
  const outage = await escalated(10);
  await world.escalations.set(outage.org, 'critical', null);
  await outage.begin();
  await outage.takes('a opened', 'b opened', 'c opened', 'd opened');
  await skip(60);
  assert.equal((await world.incidents.find(outage.id))?.escalation, undefined);
  assert.equal(outage.taken().length, 4);
  await outage.end();
});

test('a step goes to whoever it names, and the incident on to its end, where who is to be told cannot be found for good', async () => {
  for (const [number, fault] of [
    [11, new FairleadError('INTERNAL', 'A stored monitor has an invalid format')],
    [12, new TypeError('a mistake')],
  ] as const) {
    const outage = await escalated(number);
    await outage.begin();
    await outage.takes('a opened');
    Object.assign(world.faults, { look: fault });
    await skip(11);
    Object.assign(world.faults, { look: null });
    await outage.takes('a opened', 'b escalated');
    await outage.end();
    await world.ended(outage.id);
    assert.equal((await world.incidents.find(outage.id))?.state, 'resolved');
  }
});

test('a step that is told late, as the database was away, leaves its time to those who were told before the next one', async () => {
  const outage = await escalated(13);
  await outage.begin();
  await outage.takes('a opened');
  Object.assign(world.faults, { look: new FairleadError('UNAVAILABLE', 'The database is away', { retryable: true }) });
  await skip(60);
  Object.assign(world.faults, { look: null });
  await skip(1);
  await outage.takes('a opened', 'b escalated');
  await skip(17);
  assert.deepEqual(outage.taken().toSorted(), ['a opened', 'b escalated']);
  await skip(4);
  await outage.takes('a opened', 'b escalated', 'c escalated-2');
  await outage.end();
});
