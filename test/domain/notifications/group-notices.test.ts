import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  groupByAudience,
  groupByKind,
  groupedNotice,
  MOST_LISTED,
} from '../../../domain/notifications/group-notices.ts';
import type { Notification, NotificationKind } from '../../../domain/notifications/notification.ts';

const notice = (index: number, kind: NotificationKind = 'incident.opened'): Notification => ({
  ...{ id: `inc_${index}/opened`, kind, org: 'acme', at: new Date(index) },
  subject: `Down: shop-${index}`,
  text: `shop-${index} is down.\nWhat was seen: 503`,
  data: { incidentId: `inc_${index}` },
});

it('one notice is told as it is, under its own id', () => {
  const only = notice(1);
  assert.equal(groupedNotice('r', { kind: only.kind, count: 1, listed: [only] }), only);
  assert.equal(groupedNotice('r', { kind: only.kind, count: 0, listed: [] }), null);
});

it('of many, twenty are listed and the rest is counted', () => {
  const listed = Array.from({ length: MOST_LISTED }, (_, index) => notice(index));
  const told = groupedNotice('r', { kind: 'incident.opened', count: 5_000, listed });
  assert.deepEqual([told?.id, told?.org], ['group/r/incident.opened', 'acme']);
  assert.equal(told?.subject, 'Down: shop-0 and 4999 more');
  const lines = told?.text.split('\n') ?? [];
  assert.deepEqual([lines[0], lines[19], lines[20]], ['- shop-0 is down.', '- shop-19 is down.', 'and 4980 more']);
  assert.equal(told?.data.count, 5_000);
  assert.deepEqual(
    told?.data.incidentIds,
    listed.map(({ data }) => data.incidentId),
  );
});

it('all of them are listed where they are few, and nothing is said of a rest', () => {
  const told = groupedNotice('r', { kind: 'incident.opened', count: 2, listed: [notice(1), notice(2)] });
  assert.equal(told?.subject, 'Down: shop-1 and 1 more');
  assert.ok(!told?.text.includes('and 0 more'), told?.text);
});

it('what is down is told before what is up again', () => {
  const groups = groupByKind([notice(1, 'incident.resolved'), notice(2), notice(3, 'incident.resolved')]);
  assert.deepEqual(
    groups.map((group) => group.map(({ id }) => id)),
    [['inc_2/opened'], ['inc_1/opened', 'inc_3/opened']],
  );
});

it('in a group the most urgent are the first, and it is as urgent as they are', () => {
  const warnings = [1, 2].map((index) => ({ ...notice(index), urgency: 'warning' as const }));
  const all: readonly Notification[] = [...warnings, { ...notice(3), urgency: 'critical' }, notice(4)];
  const [group = []] = groupByKind(all);
  assert.deepEqual(
    group.map(({ id }) => id),
    [3, 4, 1, 2].map((index) => `inc_${index}/opened`),
  );
  assert.equal(groupedNotice('r', { kind: 'incident.opened', count: 4, listed: group })?.urgency, 'critical');
  assert.equal(groupedNotice('r', { kind: 'incident.opened', count: 2, listed: warnings })?.urgency, 'warning');
});

it('what is for other channels is told in a notice of its own, for those channels alone', () => {
  const [a, b, everybody] = [
    { ...notice(1), only: ['chn_a', 'chn_b'] },
    { ...notice(2), only: ['chn_b', 'chn_a'] },
    notice(3),
  ];
  const other = { ...notice(4), only: ['chn_c'] };
  const groups = groupByAudience<Notification>([a, other, everybody, b]);
  assert.deepEqual(
    groups.map((group) => group.map(({ id }) => id)),
    [['inc_3/opened'], ['inc_1/opened', 'inc_2/opened'], ['inc_4/opened']],
  );
  const facts = { kind: 'incident.opened', count: 2 } as const;
  const told = [0, 1].map((number) => groupedNotice('r', { ...facts, number, listed: [a, b] }));
  assert.deepEqual(
    told.map((each) => [each?.id, each?.only]),
    [
      ['group/r/incident.opened', a.only],
      ['group/r/incident.opened/1', a.only],
    ],
  );
  assert.equal('only' in (groupedNotice('r', { ...facts, listed: [everybody, notice(5)] }) ?? {}), false);
});
