import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Incident } from '../../../domain/incidents/incident.ts';
import { MONITOR_STATES, type MonitorState } from '../../../domain/monitors/condition.ts';
import type { RollUp } from '../../../domain/monitors/history.ts';
import { dayBarsOf, dayState } from '../../../domain/status-page/day-states.ts';
import { publicIncident } from '../../../domain/status-page/incident-view.ts';
import { overallStatus, STATE_WORDS } from '../../../domain/status-page/overall-status.ts';
import type { StatusComponent, StatusView } from '../../../domain/status-page/status-view.ts';
import { statuspageSummary } from '../../../domain/status-page/statuspage-format.ts';
import { summarySchema } from '../../../domain/status-page/statuspage-schema.ts';

const DAY_MS = 86_400_000;
const AT = new Date('2026-11-26T12:00:00.000Z');
const states = (...list: MonitorState[]) => list.map((state) => ({ state }));

describe('the one word for a page', () => {
  it('is good only where all that is watched is up, whatever else there is', () => {
    const anyStates = fc.array(fc.constantFrom(...MONITOR_STATES), { maxLength: 12 });
    fc.assert(
      fc.property(anyStates, (list) => {
        const isGood = overallStatus(states(...list)).indicator === 'none';
        const watched = list.filter((state) => state !== 'paused');
        assert.equal(isGood, watched.length > 0 && watched.every((state) => state === 'up'));
      }),
    );
  });

  it('tells a part that is down from everything that is', () => {
    assert.equal(overallStatus(states('down', 'up')).indicator, 'major');
    assert.equal(overallStatus(states('down', 'paused')).indicator, 'critical');
    assert.equal(overallStatus(states('maintenance', 'up')).indicator, 'maintenance');
    assert.equal(overallStatus(states('unknown', 'unknown')).description, 'The state is not known');
    assert.equal(overallStatus([]).indicator, 'minor');
  });

  it('no state but up has the look of what is good, and each has a sign of its own', () => {
    const words = Object.entries(STATE_WORDS);
    assert.deepEqual(
      words.filter(([, { tone }]) => tone === 'good').map(([state]) => state),
      ['up'],
    );
    assert.deepEqual(
      words.filter(([, { statuspage }]) => statuspage === 'operational').map(([state]) => state),
      ['up'],
    );
    assert.equal(new Set(words.map(([, { sign }]) => sign)).size, words.length);
  });
});

describe('the bars of a component', () => {
  const time = { upMs: 0, degradedMs: 0, downMs: 0, maintenanceMs: 0 };
  const rollUp = (daysAgo: number, changes: Partial<RollUp>): RollUp => ({
    ...{ ...time, monitorId: 'mon_1', length: '1d', checks: 1, failed: 0, latency: [] },
    startsAt: new Date(Math.floor(AT.getTime() / DAY_MS) * DAY_MS - daysAgo * DAY_MS),
    ...changes,
  });

  it('are one for each day, the oldest first, and none is good of which nothing is known', () => {
    const bars = dayBarsOf(
      [rollUp(0, { upMs: 1 }), rollUp(89, { downMs: 1, upMs: 5 }), rollUp(90, { upMs: 1 })],
      90,
      AT,
    );
    assert.equal(bars.length, 90);
    assert.deepEqual(bars[0], { day: '2026-08-29', state: 'down' });
    assert.deepEqual(bars[89], { day: '2026-11-26', state: 'up' });
    assert.ok(bars.slice(1, 89).every(({ state }) => state === 'none'));
  });

  it('show the worst that a day had', () => {
    assert.equal(dayState({ ...time, upMs: DAY_MS, downMs: 1 }), 'down');
    assert.equal(dayState({ ...time, upMs: DAY_MS, degradedMs: 1 }), 'degraded');
    assert.equal(dayState({ ...time, upMs: 1, maintenanceMs: 2 }), 'maintenance');
    assert.equal(dayState({ ...time, upMs: 2, maintenanceMs: 1 }), 'up');
    assert.equal(dayState(time), 'none');
  });
});

describe('what the public is told', () => {
  const COMPONENTS = new Map([['mon_1', { name: 'shop' }]]);
  const incident: Incident = {
    ...{ id: 'inc_1', org: 'acme', monitorId: 'mon_1', sequence: 1, title: 'shop is down', isPublic: true },
    ...{ state: 'acknowledged', startedAt: AT, acknowledged: { at: AT, by: 'usr_ann' }, resolvedAt: null },
    ...{ flapping: false, cause: 'connect ECONNREFUSED 10.0.0.7', changes: 1 },
    updates: [
      { at: AT, status: 'investigating', body: 'one', by: 'usr_ann' },
      { at: new Date(AT.getTime() + 1), status: 'identified', body: 'two', by: null },
    ],
  };

  it('of an incident has neither people nor what the check saw, and the newest update first', () => {
    const seen = { at: AT, status: 'resolved', body: 'slow at 10.0.0.7', by: null } as const;
    const whole = publicIncident({ ...incident, updates: [...incident.updates, seen] }, COMPONENTS);
    assert.ok(!/usr_ann|10\.0\.0\.7/.test(JSON.stringify(whole)));
    const shown = publicIncident(incident, COMPONENTS);
    assert.ok(shown !== null);
    assert.deepEqual(
      shown.updates.map(({ body }) => body),
      ['two', 'one'],
    );
    assert.equal(shown.status, 'identified');
  });

  it('of an outage that a monitor found has the name of the component, and none at all while that is not shown', () => {
    const secret = { ...incident, title: 'shop (prod, https://shop.example.com/health?key=s3cret)' };
    assert.equal(publicIncident(secret, COMPONENTS)?.title, 'Outage of shop');
    assert.equal(publicIncident(secret, new Map()), null);
    assert.equal(publicIncident({ ...incident, monitorId: null }, new Map())?.title, 'shop is down');
  });

  it('as Statuspage writes it fits its schema for any states, and a group is as bad as the worst of it', () => {
    const component = fc.record({
      id: fc.uuid(),
      name: fc.string({ maxLength: 40 }),
      group: fc.constantFrom('Production', 'Sandbox'),
      state: fc.constantFrom(...MONITOR_STATES),
    });
    const place = { title: 'acme status', url: 'https://status.example.com' };
    fc.assert(
      fc.property(fc.array(component, { maxLength: 8 }), (list) => {
        const components = list.map(
          (one): StatusComponent => ({
            ...{ ...one, environment: 'prod', service: null, since: AT, createdAt: AT },
          }),
        );
        const open = [publicIncident(incident, COMPONENTS) ?? []].flat();
        const view: StatusView = { org: 'acme', asOf: AT, components, open, past: [], maintenances: [] };
        const summary = statuspageSummary(view, place);
        assert.deepEqual(summarySchema.parse(summary), summary);
        for (const group of summary.components.filter((one) => one.group)) {
          const members = summary.components.filter((one) => one.group_id === group.id);
          const isGood = members.every(({ status }) => status === 'operational');
          assert.equal(group.status === 'operational', isGood);
        }
      }),
    );
  });

  it('keeps the ids of updates while others are added', () => {
    const place = { title: 'acme status', url: 'https://status.example.com' };
    const ids = (shown: Incident) => {
      const open = [publicIncident(shown, COMPONENTS) ?? []].flat();
      const view = { org: 'acme', asOf: AT, components: [], open, past: [], maintenances: [] };
      return statuspageSummary(view, place).incidents[0]?.incident_updates.map(({ id }) => id) ?? [];
    };
    const before = ids(incident);
    const more = { at: AT, status: 'monitoring', body: 'three', by: null } as const;
    assert.deepEqual(ids({ ...incident, updates: [...incident.updates, more] }).slice(1), before);
  });
});
