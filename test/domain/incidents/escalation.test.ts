import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedIncident, openedIncident } from '../../../domain/incidents/change-incident.ts';
import { beginEscalation, dueStep, passedOver, reachStep, toldChannels } from '../../../domain/incidents/escalation.ts';
import { incidentNotice } from '../../../domain/incidents/incident-notice.ts';
import { fromIncidentView, type IncidentView, toIncidentView } from '../../../domain/incidents/incident-view.ts';
import { type EscalationPolicy, stepAt, stepCount } from '../../../domain/notifications/escalation.ts';

const AT = '2026-11-01T10:00:00.000Z';
const later = (minutes: number): string => new Date(Date.parse(AT) + minutes * 60_000).toISOString();
const step = (waitMinutes: number, ...channelIds: readonly string[]) => ({ waitMinutes, channelIds });

const POLICY: EscalationPolicy = { steps: [step(0, 'a', 'b'), step(10, 'c'), step(20, 'd')], repeat: null };
const REPEATED: EscalationPolicy = { ...POLICY, repeat: { times: 1, waitMinutes: 60 } };

const opened = (policy: EscalationPolicy = POLICY): IncidentView => ({
  ...openedIncident({
    ...{ id: 'inc_1', org: 'acme', monitorId: 'mon_1', sequence: 1, title: 'shop', isPublic: true },
    ...{ cause: 'It answered 503', startedAt: AT },
  }),
  escalation: beginEscalation(policy, ['a', 'b', 'c', 'd', 'e'], AT),
});

const escalate = (incident: IncidentView, number: number, at: string, ...channelIds: readonly string[]) =>
  changedIncident(incident, { kind: 'escalated', told: { step: number, at, channelIds } });

describe('who is told at a step', () => {
  const rows: readonly {
    readonly name: string;
    readonly policy?: EscalationPolicy;
    readonly at: number;
    readonly active: string;
    readonly told: string;
    readonly reached: number;
  }[] = [
    { name: 'its channels', at: 0, active: 'abcde', told: 'ab', reached: 0 },
    { name: 'those of its channels that are told anything', at: 0, active: 'bcde', told: 'b', reached: 0 },
    {
      name: 'where it has none left, the next one and those that no later one names',
      at: 0,
      active: 'cde',
      told: 'ce',
      reached: 1,
    },
    { name: 'over two that have none left', at: 0, active: 'de', told: 'de', reached: 2 },
    { name: 'where no step has any left, every channel', at: 0, active: 'e', told: 'e', reached: 3 },
    { name: 'where the last one has none left, every channel', at: 2, active: 'abce', told: 'abce', reached: 3 },
    { name: 'nobody where the org has no channel', at: 0, active: '', told: '', reached: 3 },
    { name: 'the same step of a repeat', policy: REPEATED, at: 4, active: 'abcde', told: 'c', reached: 4 },
    { name: 'those that a repeat names wait for it', policy: REPEATED, at: 2, active: 'abce', told: 'abe', reached: 3 },
  ];
  for (const { name, policy = POLICY, at, active, told, reached } of rows) {
    it(name, () => {
      assert.deepEqual(reachStep(policy, at, [...active]), { step: reached, channelIds: [...told] });
    });
  }
});

it('a repeat begins with the first step again, after its own wait', () => {
  assert.equal(stepCount(POLICY), 3);
  assert.equal(stepCount(REPEATED), 6);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((number) => stepAt(REPEATED, number).waitMinutes),
    [0, 10, 20, 60, 10, 20],
  );
  assert.deepEqual(stepAt(REPEATED, 3).channelIds, ['a', 'b']);
});

describe('the step that comes next', () => {
  const due = (incident: IncidentView) => {
    const next = dueStep(incident);
    return next === null ? null : [next.step, new Date(next.at).toISOString()];
  };

  it('is that long after the one before was told', () => {
    assert.deepEqual(due(opened()), [1, later(10)]);
    assert.deepEqual(due(escalate(opened(), 1, later(12), 'c')), [2, later(32)]);
    assert.deepEqual(due(escalate(opened(REPEATED), 2, later(30), 'd')), [3, later(90)]);
  });

  it('is none after the last one, after it was acknowledged or resolved, and without a policy', () => {
    assert.equal(due(escalate(opened(), 2, later(30), 'd')), null);
    const acknowledgement = { by: 'usr_ada', at: later(1) };
    const acknowledged = changedIncident(opened(), { kind: 'acknowledged', acknowledgement });
    assert.equal(due(acknowledged), null);
    const resolution = { at: later(1), by: null, note: null };
    assert.equal(due(changedIncident(opened(), { kind: 'resolved', resolution })), null);
    assert.equal(due({ ...opened(), escalation: undefined }), null);
    // What was on its way as somebody acknowledged it changes nothing.
    assert.equal(escalate(acknowledged, 1, later(10), 'c'), acknowledged);
  });
});

describe('the notices of an incident that is escalated', () => {
  const first = opened();
  const second = escalate(first, 1, later(10), 'c');
  const skipped = escalate(first, 2, later(10), 'd', 'e');
  const told = (incident: IncidentView, event: Parameters<typeof incidentNotice>[1]['event'], turn = 1) =>
    incidentNotice(incident, { event, turn, at: later(10) });

  it('are for the channels of their step, and all else for those that were told of it', () => {
    const rows = [
      { notice: told(first, 'opened'), only: ['a', 'b'] },
      { notice: told(first, 'resolved'), only: ['a', 'b'] },
      { notice: told(second, 'opened'), only: ['a', 'b'] },
      { notice: told(second, 'escalated'), only: ['c'] },
      { notice: told(second, 'acknowledged'), only: ['a', 'b', 'c'] },
      { notice: told(escalate(second, 2, later(30), 'a', 'd'), 'resolved'), only: ['a', 'b', 'c', 'd'] },
    ];
    for (const { notice, only } of rows) assert.deepEqual(notice.only, only, notice.id);
    assert.equal('only' in told({ ...first, escalation: undefined }, 'opened'), false);
  });

  it('say how long nobody has acknowledged it, and how that is done', () => {
    const { id, kind, subject, text, urgency } = told(second, 'escalated');
    assert.deepEqual([id, kind, urgency], ['inc_1/escalated', 'incident.escalated', 'critical']);
    assert.equal(subject, 'Not acknowledged: shop');
    assert.match(text, /nobody has acknowledged it for 10 minutes\.\nWhat was seen: It answered 503\n/);
    assert.match(text, /fairlead incidents acknowledge inc_1$/);
    assert.equal(told(escalate(second, 2, later(30), 'd'), 'escalated', 2).id, 'inc_1/escalated-2');
  });

  it('say where a step was passed over', () => {
    assert.doesNotMatch(told(second, 'escalated').text, /no channel left/);
    assert.match(told(skipped, 'escalated').text, /a step of the escalation has no channel left/);
    const none = { ...first, escalation: beginEscalation(POLICY, ['c'], AT) };
    assert.match(told(none, 'opened').text, /a step of the escalation has no channel left/);
    assert.doesNotMatch(told(none, 'resolved').text, /no channel left/);
    const { escalation } = skipped;
    assert.ok(escalation !== undefined);
    assert.deepEqual([passedOver(escalation, 0), passedOver(escalation, 1)], [0, 1]);
    assert.deepEqual(toldChannels(escalation), ['a', 'b', 'd', 'e']);
  });

  it('and its record have their times both ways', () => {
    assert.deepEqual(toIncidentView(fromIncidentView(second)), second);
    assert.deepEqual(fromIncidentView(second).escalation?.told.at(-1)?.at, new Date(later(10)));
  });
});
