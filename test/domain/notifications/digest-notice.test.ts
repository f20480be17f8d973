import assert from 'node:assert/strict';
import { it } from 'node:test';
import { digestNotice } from '../../../domain/notifications/digest-notice.ts';
import type { Notification, NotificationKind } from '../../../domain/notifications/notification.ts';

const FACTS = { id: 'digest/chn_1/end', at: new Date(9) };
const notice = (
  name: string,
  kind: NotificationKind = 'incident.opened',
  data: Notification['data'] = {},
): Notification => ({
  ...{ id: `${name}/${kind}`, kind, org: 'acme', at: new Date(1), data: { incidentId: `inc_${name}`, ...data } },
  ...{ subject: `${kind} ${name}`, text: `${kind} of ${name}.\nMore of it.` },
});
const linesOf = (notices: readonly Notification[]) =>
  digestNotice(notices, FACTS)
    ?.text.split('\n')
    .filter((line) => line.startsWith('- '));

it('an outage that ended meanwhile is told as its end alone, one that goes on with all that was said of it', () => {
  const held = [
    notice('over', 'incident.opened'),
    notice('over', 'incident.acknowledged'),
    notice('over', 'incident.resolved'),
    notice('open', 'incident.acknowledged'),
    notice('open', 'incident.opened'),
  ];
  assert.deepEqual(linesOf(held), [
    '- incident.opened of open.',
    '- incident.acknowledged of open.',
    '- incident.resolved of over.',
  ]);
  const told = digestNotice(held, FACTS);
  assert.deepEqual([told?.kind, told?.org, told?.subject], ['alerts.digest', 'acme', 'Quiet hours: 5 alerts']);
  assert.deepEqual(told?.data, { count: 5, incidentIds: ['inc_open', 'inc_over'] });
});

it('a single notice is told as it is, and of none there is no digest', () => {
  const only = notice('one');
  assert.equal(digestNotice([only], FACTS), only);
  assert.equal(digestNotice([], FACTS), null);
});

it('of hundreds fifty are listed and the rest is counted; a group is told by its subject', () => {
  const held = Array.from({ length: 300 }, (_, index) => notice(String(index)));
  assert.equal(linesOf(held)?.length, 50);
  assert.match(digestNotice(held, FACTS)?.text ?? '', /\nand 250 more\n/);
  const group = {
    ...notice('group', 'incident.opened', { incidentId: null, count: 4 }),
    subject: 'Down: a and 3 more',
  };
  assert.deepEqual(linesOf([group, notice('x')]), ['- Down: a and 3 more', '- incident.opened of x.']);
});
