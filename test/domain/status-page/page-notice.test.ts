import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { IncidentEvent } from '../../../domain/incidents/incident-notice.ts';
import type { IncidentView } from '../../../domain/incidents/incident-view.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import type { Notification } from '../../../domain/notifications/notification.ts';
import { createTellPage } from '../../../domain/status-page/tell-page.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

const AT = '2026-11-01T10:00:00.000Z';

function incident(changes: Partial<IncidentView> = {}): IncidentView {
  return {
    ...{ id: 'inc_1', org: 'acme', monitorId: 'mon_1', sequence: 1, title: 'shop (prod, https://inner.example.com)' },
    ...{ isPublic: true, state: 'open', startedAt: AT, acknowledged: null, resolvedAt: null, flapping: false },
    ...{ cause: 'it answered 503', changes: 0 },
    updates: [{ at: AT, status: 'investigating', body: 'The monitor found it down.', by: null }],
    ...changes,
  };
}

async function told(view: IncidentView, event: IncidentEvent, monitor: Partial<Monitor> = {}) {
  const notices: Notification[] = [];
  const found = monitorRecord(1, { serviceName: 'shop', unmanaged: true, org: 'acme', isPublic: true, ...monitor });
  const tell = createTellPage({
    monitors: { find: async (id) => (id === 'mon_1' ? found : null) },
    outbox: { tell: async (notice) => void notices.push(notice) },
    ...{ platformOrg: 'platform', platformName: 'Fairlead', statusUrl: 'https://status.example.com' },
  });
  await tell({ incident: view, event, turn: 1, at: AT });
  return notices[0] ?? null;
}

it('readers are told what the page shows of an incident, and nothing of the inside', async () => {
  const notice = await told(incident(), 'opened');
  assert.deepEqual(
    [notice?.id, notice?.kind, notice?.org, notice?.subject],
    ['page/inc_1/opened', 'page.opened', '~page/acme', 'acme status: Outage of shop (investigating)'],
  );
  assert.equal(notice?.data.monitorId, 'mon_1', 'by which its mails look whether it is shown');
  assert.match(notice?.text ?? '', /found it down\.\n\nhttps:\/\/status\.example\.com\/status\/acme#inc_1$/);
  assert.doesNotMatch(JSON.stringify(notice), /inner|503/);
});

it('each beginning, update and end is told, and nothing that the page does not show', async () => {
  const cases: readonly [string, IncidentEvent, Partial<IncidentView>, Partial<Monitor>, boolean][] = [
    ['opened', 'opened', {}, {}, true],
    ['updated', 'updated', {}, {}, true],
    ['resolved', 'resolved', {}, {}, true],
    ['acknowledged', 'acknowledged', {}, {}, false],
    ['flapping', 'flapping', {}, {}, false],
    ['steady', 'steady', {}, {}, false],
    ['a hidden incident', 'opened', { isPublic: false }, {}, false],
    ['a hidden monitor', 'opened', {}, { isPublic: false }, false],
    ['a monitor that is gone', 'opened', { monitorId: 'mon_gone' }, {}, false],
    ['a monitor that another org has now', 'opened', {}, { org: 'rival' }, false],
    ['an archived monitor', 'opened', {}, { archivedAt: new Date(AT) }, false],
    ['of the operators', 'opened', { org: null }, {}, false],
    ['written by a person', 'opened', { monitorId: null, sequence: null }, {}, true],
  ];
  for (const [what, event, view, monitor, isTold] of cases) {
    assert.equal((await told(incident(view), event, monitor)) !== null, isTold, what);
  }
});
