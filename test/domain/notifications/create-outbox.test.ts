import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changedIncident, openedIncident } from '../../../domain/incidents/change-incident.ts';
import { incidentNotice } from '../../../domain/incidents/incident-notice.ts';
import { createOutbox } from '../../../domain/notifications/create-outbox.ts';
import { WOKEN_WITHIN_MS } from '../../../domain/notifications/gather.ts';
import type { Notification } from '../../../domain/notifications/notification.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';
import {
  createMemoryChannels,
  createMemoryDeliveries,
  createMemoryNotices,
} from '../../support/in-memory/notifications.ts';

const notice = (id: string, changes: Partial<Notification> = {}): Notification => ({
  ...{ id, kind: 'incident.opened', org: 'acme', subject: 'Down', text: 'down', data: {}, at: new Date(0) },
  ...changes,
});

async function useOutbox() {
  const clock = { now: new Date('2026-11-01T10:00:00Z') };
  const [channels, deliveries, notices] = [createMemoryChannels(), createMemoryDeliveries(), createMemoryNotices()];
  const delivered: string[] = [];
  const woken: (string | null)[] = [];
  const isAway = { value: false };
  const commands = {
    deliver: async (id: string) => void delivered.push(id),
    async gather(org: string | null) {
      if (isAway.value) throw new Error('away');
      woken.push(org);
    },
  };
  const later = (ms: number): void => {
    clock.now = new Date(clock.now.getTime() + ms);
  };
  await channels.insert(channelRecord({ id: 'chn_on' }));
  const outbox = createOutbox({ channels, deliveries, notices, commands, now: () => clock.now });
  return { clock, channels, notices, delivered, woken, outbox, isAway, later };
}

it('wakes what tells an org with the first notice that waits, and with no other, for thousands may come at once', async () => {
  const { notices, woken, outbox } = await useOutbox();
  await outbox.tell(notice('1'));
  for (let id = 2; id < 50; id += 1) await outbox.tell(notice(String(id).padStart(2, '2')));
  assert.deepEqual(woken, ['acme']);
  const waiting = await notices.listWaiting('acme', 100);
  await notices.markTold(
    waiting.map(({ id }) => id),
    new Date(),
  );
  for (const { id } of waiting) await outbox.tell(notice(id));
  assert.deepEqual(woken, ['acme'], 'what was told already wakes nobody');
  await outbox.tell(notice('99'));
  assert.deepEqual(woken, ['acme', 'acme']);
});

it('does not rely for ever on whoever put a notice there and was killed before it woke anybody', async () => {
  const { clock, notices, woken, outbox } = await useOutbox();
  await notices.insert([notice('0')], clock.now);
  await outbox.tell(notice('1'));
  assert.deepEqual(woken, []);
  clock.now = new Date(clock.now.getTime() + WOKEN_WITHIN_MS + 1);
  await outbox.tell(notice('2'));
  assert.deepEqual(woken, ['acme']);
});

it('wakes again for whoever could not wake before, however late it tries again and whatever came meanwhile', async () => {
  const { clock, delivered, woken, outbox, later, isAway } = await useOutbox();
  isAway.value = true;
  await assert.rejects(outbox.tell(notice('1')));
  isAway.value = false;
  later(WOKEN_WITHIN_MS / 2);
  await outbox.tell(notice('2'));
  assert.deepEqual(woken, [], 'it relies on the first one, which is tried again');
  later(WOKEN_WITHIN_MS);
  await outbox.tell(notice('1'));
  assert.deepEqual([woken, delivered, clock.now > new Date(0)], [['acme'], [], true]);
});

it('is not kept from waking by notices that come all the time', async () => {
  const { notices, clock, woken, outbox, later } = await useOutbox();
  await notices.insert([notice('lost')], clock.now);
  later(1);
  for (let minutes = 0; minutes < 5; minutes += 0.5) {
    await outbox.tell(notice(`at-${minutes}`));
    later(WOKEN_WITHIN_MS / 2);
  }
  assert.ok(woken.length >= 2, `woken ${woken.length} times in five minutes`);
  assert.ok(woken.length <= 5, 'no more than once a minute');
});

it('tells at once what a person wrote or asked for, and what concerns the operators', async () => {
  const { channels, delivered, woken, outbox } = await useOutbox();
  await channels.insert(channelRecord({ id: 'chn_operators', org: null }));
  await outbox.tellAll([
    notice('u', { kind: 'incident.updated' }),
    notice('t', { kind: 'alerts.test' }),
    notice('p', { kind: 'prober.fault', org: null }),
  ]);
  assert.deepEqual(delivered, ['u/chn_on', 't/chn_on', 'p/chn_operators']);
  assert.deepEqual(woken, []);
});

it('tells the words of a person alone: an incident that no check has found, and the note of who ends one', async () => {
  const { notices, delivered, woken, outbox } = await useOutbox();
  const at = '2026-11-01T10:00:00.000Z';
  const found = {
    id: 'inc_1',
    org: 'acme',
    monitorId: 'mon_1',
    sequence: 1,
    title: 'shop',
    isPublic: true,
    cause: '503',
  };
  const byCheck = openedIncident({ ...found, startedAt: at });
  const byPerson = openedIncident({ ...found, id: 'inc_2', monitorId: null, cause: 'We look into it', startedAt: at });
  const ended = (by: string | null, note: string | null) =>
    changedIncident({ ...byCheck, id: `inc_${by ?? 'check'}` }, { kind: 'resolved', resolution: { at, by, note } });
  const written = incidentNotice(ended('ann', 'Space was made'), { event: 'resolved', turn: 1, at });
  await outbox.tellAll([
    incidentNotice(byCheck, { event: 'opened', turn: 1, at }),
    incidentNotice(ended(null, null), { event: 'resolved', turn: 1, at }),
    incidentNotice(byPerson, { event: 'opened', turn: 1, at }),
    written,
  ]);
  assert.deepEqual(delivered, ['inc_2/opened/chn_on', 'inc_ann/resolved/chn_on']);
  assert.match(written.text, /Space was made/);
  assert.deepEqual(woken, ['acme']);
  assert.deepEqual(
    (await notices.listWaiting('acme', 10)).map(({ id }) => id),
    ['inc_1/opened', 'inc_check/resolved'],
  );
});

it('tells nothing to an address that nobody has confirmed, nor to one whose reader has stopped it', async () => {
  const { channels, notices, delivered, woken, outbox } = await useOutbox();
  for (const state of ['unconfirmed', 'stopped'] as const) {
    await channels.insert(channelRecord({ id: `chn_${state}`, state }));
    await channels.insert(channelRecord({ id: `chn_${state}_alone`, state, org: `org-${state}` }));
    await outbox.tellAll([notice(`o-${state}`, { org: `org-${state}` })]);
  }
  await outbox.tell(notice('t', { kind: 'alerts.test' }));
  assert.deepEqual(delivered, ['t/chn_on']);
  assert.deepEqual(woken, []);
  assert.equal(await notices.countWaiting('org-stopped', 10), 0);
});
