import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTransitionListener } from '../../../activities/incidents/tell-transition.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { openedIncident } from '../../../domain/incidents/change-incident.ts';
import { incidentId } from '../../../domain/incidents/incident.ts';
import { incidentNotice } from '../../../domain/incidents/incident-notice.ts';
import { fromIncidentView } from '../../../domain/incidents/incident-view.ts';
import type { IncidentStart } from '../../../domain/incidents/messages.ts';
import type { Notification } from '../../../domain/notifications/notification.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';
import { createMemoryIncidents } from '../../support/in-memory/incidents.ts';
import { createMemoryChannels, createMemoryEscalations } from '../../support/in-memory/notifications.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

const AT = new Date('2026-11-01T10:00:00Z');

const useParts = () => ({
  incidents: createMemoryIncidents(),
  channels: createMemoryChannels(),
  escalations: createMemoryEscalations(),
  now: () => AT,
  warn: () => undefined,
});

it('the title of an incident says what is checked, without the query of its address, which may hold a key', async () => {
  const begun: IncidentStart[] = [];
  const ignore = async () => undefined;
  const begin = async (start: IncidentStart) => {
    begun.push(start);
  };
  const check = { kind: 'websocket', url: 'wss://shop.example.com/live?key=s3cret#part' } as const;
  const commands = { begin, resolve: ignore, markFlapping: ignore };
  const { tell } = createTransitionListener({ ...useParts(), commands, outbox: { tellAll: ignore } });
  const facts = { sequence: 1, downSequence: 1, at: 0, confirmedAt: 0, message: null } as const;
  await tell(monitorRecord(1, { check }), { ...facts, kind: 'down' });
  assert.deepEqual(
    begun.map(({ title }) => title),
    ['service-1 (prod, wss://shop.example.com/live)'],
  );
});

it('an outage of prod is critical and one of another environment a warning, in all that is told of it', async () => {
  const announced: Notification[] = [];
  const ignore = async () => undefined;
  const tellAll = async (notices: readonly Notification[]) => void announced.push(...notices);
  const commands = { begin: ignore, resolve: ignore, markFlapping: ignore };
  const { announce } = createTransitionListener({ ...useParts(), commands, outbox: { tellAll } });
  const down = { sequence: 1, downSequence: 1, at: 0, confirmedAt: 0, message: null, kind: 'down' } as const;
  const environments = ['prod', 'uat', 'sandbox'] as const;
  await announce(environments.map((environment, index) => [monitorRecord(index, { environment }), down] as const));
  assert.deepEqual(
    announced.map(({ urgency }) => urgency),
    ['critical', 'warning', 'warning'],
  );
});

it('what is down is on record and announced before its incident begins, as that incident itself would tell it', async () => {
  const announced: Notification[] = [];
  const ignore = async () => undefined;
  const tellAll = async (notices: readonly Notification[]) => void announced.push(...notices);
  const incidents = createMemoryIncidents();
  const begun: IncidentStart[] = [];
  const commands = { begin: async (start: IncidentStart) => void begun.push(start) };
  const listener = createTransitionListener({
    ...{ ...useParts(), incidents, outbox: { tellAll } },
    commands: { ...commands, resolve: ignore, markFlapping: ignore },
  });
  const facts = { sequence: 1, downSequence: 1, at: 0, confirmedAt: 0, message: 'It answered 503' } as const;
  const monitor = monitorRecord(1, { org: 'acme' });
  const down = { ...facts, kind: 'down' } as const;
  await listener.announce([
    [monitor, down],
    [monitor, { ...facts, sequence: 2, kind: 'up' }],
  ]);
  assert.equal(begun.length, 0);
  await listener.tell(monitor, down);
  const [start] = begun;
  assert.ok(start !== undefined);
  const told = incidentNotice(openedIncident(start), { event: 'opened', turn: 1, at: start.startedAt });
  assert.deepEqual(announced, [told]);
  assert.deepEqual(await incidents.find(start.id), fromIncidentView(openedIncident(start)));
});

it('where the org has a policy, what is down is announced to the channels of its first step, and keeps the policy', async () => {
  const announced: Notification[] = [];
  const ignore = async () => undefined;
  const tellAll = async (notices: readonly Notification[]) => void announced.push(...notices);
  const parts = useParts();
  for (const id of ['chn_a', 'chn_b']) await parts.channels.insert(channelRecord({ id }));
  const policy = { steps: [{ waitMinutes: 0, channelIds: ['chn_b'] }], repeat: null };
  await parts.escalations.set('acme', 'critical', policy);
  const commands = { begin: ignore, resolve: ignore, markFlapping: ignore };
  const { announce } = createTransitionListener({ ...parts, commands, outbox: { tellAll } });
  const down = { sequence: 1, downSequence: 1, at: 0, confirmedAt: 0, message: null, kind: 'down' } as const;
  await announce([
    [monitorRecord(1, { org: 'acme' }), down],
    [monitorRecord(2, { org: 'acme', environment: 'uat' }), down],
    [monitorRecord(3, { org: 'rival' }), down],
  ]);
  assert.deepEqual(
    announced.map(({ only }) => only),
    [['chn_b'], undefined, undefined],
  );
  const { items } = await parts.incidents.list({ org: null }, { cursor: null, limit: 10 });
  const kept = { policy, told: [{ step: 0, channelIds: ['chn_b'], at: AT }] };
  assert.deepEqual(Object.fromEntries(items.map(({ id, escalation }) => [id, escalation])), {
    [incidentId(monitorRecord(1).id, 1)]: kept,
    [incidentId(monitorRecord(2).id, 1)]: undefined,
    [incidentId(monitorRecord(3).id, 1)]: undefined,
  });
});

it('of a holder that was killed before it told anybody, the next one tells those whom the record says, whatever is set since', async () => {
  const announced: Notification[] = [];
  const ignore = async () => undefined;
  const tellAll = async (notices: readonly Notification[]) => void announced.push(...notices);
  const parts = useParts();
  for (const id of ['chn_a', 'chn_b']) await parts.channels.insert(channelRecord({ id }));
  const policyOf = (id: string) => ({ steps: [{ waitMinutes: 0, channelIds: [id] }], repeat: null });
  await parts.escalations.set('acme', 'critical', policyOf('chn_a'));
  const killed = new Error('killed');
  const listenWith = (outbox: { readonly tellAll: typeof tellAll }) =>
    createTransitionListener({ ...parts, outbox, commands: { begin: ignore, resolve: ignore, markFlapping: ignore } });
  const down = { sequence: 1, downSequence: 1, at: 0, confirmedAt: 0, message: null, kind: 'down' } as const;
  const both = [
    [monitorRecord(1, { org: 'acme' }), down],
    [monitorRecord(2, { org: 'acme', environment: 'uat' }), down],
  ] as const;
  await assert.rejects(listenWith({ tellAll: () => Promise.reject(killed) }).announce(both), killed);
  await parts.escalations.set('acme', 'critical', policyOf('chn_b'));
  await parts.escalations.set('acme', 'warning', policyOf('chn_b'));
  await listenWith({ tellAll }).announce(both);
  assert.deepEqual(
    announced.map(({ only }) => only),
    [['chn_a'], undefined],
  );
});

it('an escalation that cannot be read for good tells its org without one, and the others as they say; one that is away is tried again', async () => {
  const announced: Notification[] = [];
  const ignore = async () => undefined;
  const tellAll = async (notices: readonly Notification[]) => void announced.push(...notices);
  const parts = useParts();
  for (const org of ['acme', 'rival']) {
    await parts.channels.insert(channelRecord({ id: `chn_${org}`, org }));
    const policy = { steps: [{ waitMinutes: 0, channelIds: [`chn_${org}`] }], repeat: null };
    await parts.escalations.set(org, 'critical', policy);
  }
  const warned: (string | null)[] = [];
  const listenWith = (fault: FairleadError) =>
    createTransitionListener({
      ...{ ...parts, outbox: { tellAll }, commands: { begin: ignore, resolve: ignore, markFlapping: ignore } },
      channels: { list: async (org) => (org === 'rival' ? Promise.reject(fault) : parts.channels.list(org)) },
      warn: ({ org }) => void warned.push(org),
    });
  const down = { sequence: 1, downSequence: 1, at: 0, confirmedAt: 0, message: null, kind: 'down' } as const;
  const both = [monitorRecord(1, { org: 'rival' }), monitorRecord(2, { org: 'acme' })].map(
    (each) => [each, down] as const,
  );
  const away = new FairleadError('UNAVAILABLE', 'The database is away', { retryable: true });
  await assert.rejects(listenWith(away).announce(both), away);
  assert.deepEqual([announced, warned], [[], []]);
  await listenWith(new FairleadError('INTERNAL', 'A stored channel has an invalid format')).announce(both);
  assert.deepEqual(
    announced.map(({ org, only }) => [org, only]),
    [
      ['rival', undefined],
      ['acme', ['chn_acme']],
    ],
  );
  assert.deepEqual(warned, ['rival']);
});
