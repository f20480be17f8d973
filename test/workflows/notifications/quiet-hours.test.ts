import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { incidentId } from '../../../domain/incidents/incident.ts';
import type { Transition } from '../../../domain/monitors/condition.ts';
import type { QuietHours } from '../../../domain/notifications/quiet-hours.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';
import { monitorRecord } from '../../support/monitor-records.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startIncidents } from '../incidents/harness.ts';

let world: Awaited<ReturnType<typeof startIncidents>>;
before(async () => {
  world = await startIncidents();
});
after(() => world.stop());

const MINUTE_MS = 60_000;
const clockText = (at: number): string => new Date(at).toISOString().slice(11, 16);

/** Quiet hours that began an hour ago, and end in eight hours. */
function quietNow(): { readonly quiet: QuietHours; readonly endsAt: number } {
  const minute = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const [from, endsAt] = [minute - 60 * MINUTE_MS, minute + 480 * MINUTE_MS];
  return {
    quiet: { from: clockText(from), to: clockText(endsAt), timeZone: 'UTC', weekdays: null, passes: 'critical' },
    endsAt,
  };
}

function outage(number: number, environment: 'prod' | 'uat') {
  const monitor = monitorRecord(number, { org: 'quiet', environment });
  const at = Date.now();
  const down: Transition = {
    ...{ sequence: 1, kind: 'down', at, confirmedAt: at, downSequence: 1, message: 'It answered 503' },
  };
  return {
    monitor,
    down,
    up: { ...down, sequence: 2, kind: 'up', message: null } as const,
    id: incidentId(monitor.id, 1),
  };
}

test('in quiet hours what is critical is told at once; the rest waits, and is told at the minute of their end as one notice', async () => {
  const { receiver } = world;
  const { quiet, endsAt } = quietNow();
  await world.channels.insert(channelRecord({ id: 'chn_quiet', org: 'quiet', quiet }));
  await world.channels.insert(channelRecord({ id: 'chn_awake', org: 'quiet' }));
  const { tell } = world.listener;
  const [urgent, over, open] = [outage(1, 'prod'), outage(2, 'uat'), outage(3, 'uat')];
  const takenBy = (channel: string) =>
    receiver.taken.filter((each) => each.startsWith(channel)).map((each) => each.split(' ')[1]);
  const skipUntil = async (what: string, isThere: () => boolean): Promise<void> => {
    await waitUntil(
      what,
      async () => {
        await world.env.sleep(1_000);
        return isThere();
      },
      { withinMs: 60_000 },
    );
  };
  await tell(over.monitor, over.down);
  await skipUntil('who is awake is told', () => takenBy('chn_awake').length === 1);
  await tell(over.monitor, over.up);
  await skipUntil('who is awake is told of the end', () => takenBy('chn_awake').length === 2);
  await tell(open.monitor, open.down);
  await skipUntil('who is awake is told of the next one', () => takenBy('chn_awake').length === 3);
  await tell(urgent.monitor, urgent.down);
  await skipUntil('what is critical is told', () => takenBy('chn_quiet').length === 1);
  assert.deepEqual(takenBy('chn_quiet'), [`${urgent.id}/opened`]);
  const held = await world.deliveries.list({ org: 'quiet', state: 'held' }, { cursor: null, limit: 10 });
  assert.equal(held.items.length, 3);
  await world.env.sleep(endsAt - MINUTE_MS - (await world.env.currentTimeMs()));
  assert.equal(takenBy('chn_quiet').length, 1, 'a minute before their end');
  await world.env.sleep(MINUTE_MS);
  await skipUntil('the digest is delivered', () => takenBy('chn_quiet').length > 1);
  assert.ok((await world.env.currentTimeMs()) < endsAt + 5 * MINUTE_MS);
  assert.deepEqual(takenBy('chn_quiet').slice(1), [`digest/chn_quiet/${new Date(endsAt).toISOString()}`]);
  const lines = [...receiver.texts].find(([key]) => key.includes(' digest/'))?.[1].split('\n') ?? [];
  const told = lines.filter((line) => line.startsWith('- '));
  assert.equal(told.length, 2, lines.join('\n'));
  assert.match(told[0] ?? '', / is down since /);
  assert.match(told[1] ?? '', / is resolved: down from .* to /);
  for (const { id } of held.items) assert.equal((await world.deliveries.find(id))?.state, 'delivered');
  await world.env.sleep(30 * MINUTE_MS);
  assert.equal(takenBy('chn_quiet').length, 2, 'it is told once');
});
