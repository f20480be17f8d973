import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MOST_REPEATS, MOST_STEPS, MOST_WAIT_MINUTES } from '../../../domain/notifications/escalation.ts';
import { incidentRecord } from '../../ports/incidents/incident-store.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const as = (caller: string) => ({ 'x-test-caller': caller });
const [ADMIN, MEMBER, VIEWER] = [as('user/acme/admin'), as('user/acme/member'), as('user/acme/viewer')];
const PATH = '/api/alerts/escalation';
const step = (waitMinutes: number, ...channelIds: readonly string[]) => ({ waitMinutes, channelIds });
const POLICY = { steps: [step(0, 'chn_a'), step(10, 'chn_b')], repeat: { times: 2, waitMinutes: 30 } };

describe('the API of escalation', () => {
  let api: TestMonitor;
  before(async () => {
    api = await startMonitor();
    await api.channels.insert(channelRecord({ id: 'chn_a' }));
    const target = {
      kind: 'chat',
      service: 'slack',
      host: 'chat.example.com',
      settings: { keyId: 'k', sealed: 's' },
    } as const;
    await api.channels.insert(channelRecord({ id: 'chn_b', target }));
    await api.channels.insert(channelRecord({ id: 'chn_rival', org: 'rival' }));
    await api.channels.insert(channelRecord({ id: 'chn_stopped', state: 'stopped' }));
    await api.channels.insert(channelRecord({ id: 'chn_operators', org: null }));
  });
  after(() => api.stop());

  it('has no policy at first, and shows the one that an admin sets; its channels to members, where they are to admins', async () => {
    const none = { org: 'acme', critical: null, warning: null };
    assert.deepEqual((await api.call('GET', PATH, undefined, MEMBER)).body.data, none);
    const { status, body } = await api.call('PUT', `${PATH}/critical`, POLICY, ADMIN);
    const channel = (id: string, kind: string, where: string | null) => ({ id, kind, where, state: 'active' });
    const shown = (wheres: readonly (string | null)[]) => ({
      steps: [
        { waitMinutes: 0, channels: [channel('chn_a', 'mail', wheres[0] ?? null)] },
        { waitMinutes: 10, channels: [channel('chn_b', 'slack', wheres[1] ?? null)] },
      ],
      repeat: POLICY.repeat,
    });
    assert.equal(status, 200);
    assert.deepEqual(body.data, { ...none, critical: shown(['ops@example.com', 'chat.example.com']) });
    assert.deepEqual((await api.call('GET', PATH, undefined, MEMBER)).body.data, { ...none, critical: shown([]) });
    assert.deepEqual(await api.escalations.find('acme'), { critical: POLICY, warning: null });
    assert.deepEqual(
      api.told().map(({ eventType, data: { severity, steps, repeats } }) => [eventType, severity, steps, repeats]),
      [['monitor.escalation_set', 'critical', 2, 2]],
    );
  });

  it('is set by admins alone, of their own org; operators have their own', async () => {
    for (const [method, body] of [
      ['PUT', POLICY],
      ['DELETE', undefined],
    ] as const) {
      for (const caller of [MEMBER, VIEWER]) {
        assert.equal((await api.call(method, `${PATH}/warning`, body, caller)).status, 403);
      }
      const elsewhere = await api.call(method, `${PATH}/warning?org=acme`, body, as('user/rival/admin'));
      assert.equal(elsewhere.status, 403);
    }
    assert.equal((await api.call('GET', PATH, undefined, VIEWER)).status, 403);
    const own = { steps: [step(0, 'chn_operators')] };
    assert.equal((await api.call('PUT', `${PATH}/warning`, own)).body.data.org, null);
    assert.equal((await api.call('GET', `${PATH}?org=acme`)).body.data.org, 'acme');
    assert.deepEqual(await api.escalations.find('rival'), { critical: null, warning: null });
  });

  it('refuses what is no policy, and channels that are not told', async () => {
    const wait = step(1, 'chn_b');
    for (const [body, field] of [
      [{ steps: [] }, 'steps'],
      [{ steps: [step(0)] }, 'steps'],
      [{ steps: [step(5, 'chn_a')] }, 'waitMinutes'],
      [{ steps: [step(0, 'chn_a'), step(0, 'chn_b')] }, 'waitMinutes'],
      [{ steps: [step(0, 'chn_a'), step(MOST_WAIT_MINUTES + 1, 'chn_b')] }, 'waitMinutes'],
      [{ steps: [step(0, 'chn_a'), ...Array.from({ length: MOST_STEPS }, () => wait)] }, 'steps'],
      [{ steps: [step(0, 'chn_a', 'chn_a')] }, 'channelIds'],
      [{ ...POLICY, repeat: { times: MOST_REPEATS + 1, waitMinutes: 1 } }, 'repeat'],
      [{ ...POLICY, repeat: { times: 1, waitMinutes: 0 } }, 'repeat'],
      [{ steps: [step(0, 'chn_a'), step(1, 'chn_rival')] }, 'steps.1.channelIds: chn_rival is no channel'],
      [{ steps: [step(0, 'chn_none')] }, 'steps.0.channelIds: chn_none is no channel'],
      [{ steps: [step(0, 'chn_stopped')] }, 'steps.0.channelIds: chn_stopped is stopped'],
    ] as const) {
      const { status, text } = await api.call('PUT', `${PATH}/critical`, body, ADMIN);
      assert.equal(status, 400, JSON.stringify(body));
      assert.ok(text.includes(field), text);
    }
    assert.equal((await api.call('PUT', `${PATH}/info`, POLICY, ADMIN)).status, 400);
    assert.deepEqual((await api.escalations.find('acme')).critical, POLICY);
  });

  it('shows a channel that was removed meanwhile as such, and a policy that is removed no more', async () => {
    await api.call('DELETE', '/api/alerts/channels/chn_b', undefined, ADMIN);
    const { critical } = (await api.call('GET', PATH, undefined, ADMIN)).body.data;
    assert.deepEqual(critical.steps[1].channels, [{ id: 'chn_b', kind: null, where: null, state: 'removed' }]);
    const gone = await api.call('DELETE', `${PATH}/critical`, undefined, ADMIN);
    assert.deepEqual([gone.status, gone.body.data.critical], [200, null]);
    assert.equal(api.told().at(-1)?.eventType, 'monitor.escalation_removed');
  });

  it('shows of an incident who was told when, and when the next step is', async () => {
    const at = new Date('2026-11-01T10:00:00Z');
    const told = [{ step: 0, at, channelIds: ['chn_a'] }];
    const open = incidentRecord({ escalation: { policy: POLICY, told } });
    const acknowledged = { state: 'acknowledged', acknowledged: { at, by: 'usr_ada' } } as const;
    const ended = incidentRecord({ escalation: { policy: POLICY, told }, ...acknowledged });
    for (const each of [open, ended, incidentRecord({ id: 'inc_plain' })]) await api.incidents.insert(each);
    const shown = async (id: string) =>
      (await api.call('GET', `/api/incidents/${id}`, undefined, VIEWER)).body.data.escalation;
    const escalation = { ...POLICY, told: [{ ...told[0], at: at.toISOString() }] };
    assert.deepEqual(await shown(open.id), { ...escalation, nextAt: '2026-11-01T10:10:00.000Z' });
    assert.deepEqual(await shown(ended.id), { ...escalation, nextAt: null });
    assert.equal(await shown('inc_plain'), null);
  });
});
