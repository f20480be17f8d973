import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidentRecord } from '../../ports/incidents/incident-store.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const AT = new Date('2026-11-01T10:00:00Z');
const step = (waitMinutes: number, ...channelIds: readonly string[]) => ({ waitMinutes, channelIds });
const POLICY = {
  steps: [step(0, 'chn_ops'), step(90, 'chn_chat', 'chn_gone')],
  repeat: { times: 2, waitMinutes: 30 },
};

describe('the dashboard, of escalation', () => {
  let api: TestMonitor;
  before(async () => {
    api = await startMonitor();
    await api.channels.insert(channelRecord({ id: 'chn_ops' }));
    const settings = { keyId: 'k', sealed: 's' };
    const target = { kind: 'chat', service: 'slack', host: 'chat.example.com', settings } as const;
    await api.channels.insert(channelRecord({ id: 'chn_chat', target }));
    await api.escalations.set('acme', 'critical', POLICY);
  });
  after(() => api.stop());

  const page = (path: string, role: string) =>
    api.call('GET', path, undefined, { 'x-test-caller': `user/acme/${role}` });
  /** What is read, in one line. */
  const words = async (path: string, role: string): Promise<string> =>
    (await page(path, role)).text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

  it('shows members the policy, and admins where each channel is; to viewers it is not shown', async () => {
    const shown = await words('/dashboard/escalation', 'admin');
    assert.match(
      shown,
      /At once mail ops@example\.com 1 h 30 min later slack chat\.example\.com, a channel chn_gone \(removed\)/,
    );
    assert.match(shown, /All of it is told 2 times more, 30 min after the last step/);
    assert.match(shown, /Outages of other environments Every channel is told at once/);
    assert.match(
      await words('/dashboard/escalation', 'member'),
      /At once mail chn_ops 1 h 30 min later slack chn_chat/,
    );
    assert.equal((await page('/dashboard/escalation', 'viewer')).status, 403);
    assert.match((await page('/dashboard/incidents', 'member')).text, /href="\/dashboard\/escalation"/);
    assert.doesNotMatch((await page('/dashboard/incidents', 'viewer')).text, /dashboard\/escalation/);
  });

  const send = (
    path: string,
    role: string,
    fields: readonly (readonly [string, string])[],
    headers: object = { origin: api.address },
  ) =>
    fetch(api.address + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'x-test-caller': `user/globex/${role}`, ...headers },
      body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])),
    });
  const ofGlobex = async (path: string, role: string) =>
    (await api.call('GET', path, undefined, { 'x-test-caller': `user/globex/${role}` })).text;

  it('lets admins set a policy by a form, change it and end it, and nobody else', async () => {
    const path = '/dashboard/escalation/warning';
    assert.match(await ofGlobex(path, 'admin'), /There is no channel that could be told/);
    for (const id of ['chn_g1', 'chn_g2']) await api.channels.insert(channelRecord({ id, org: 'globex' }));
    await api.channels.insert(channelRecord({ id: 'chn_g3', org: 'globex', state: 'stopped' }));
    const fields = [
      ...[
        ['channels1', 'chn_g1'],
        ['wait2', ''],
        ['wait3', '15'],
        ['channels3', 'chn_g1'],
        ['channels3', 'chn_g2'],
      ],
      ...[
        ['wait4', '10'],
        ['wait5', '10'],
        ['repeatTimes', '2'],
        ['repeatAfter', '30'],
      ],
    ] as [string, string][];
    assert.equal((await send(path, 'member', fields)).status, 403);
    assert.equal((await send(path, 'viewer', fields)).status, 403);
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: api.address, 'sec-fetch-site': 'same-site' },
    ]) {
      assert.equal((await send(path, 'admin', fields, headers)).status, 403);
    }
    assert.equal((await api.escalations.find('globex')).warning, null);
    const saved = await send(path, 'admin', fields);
    assert.deepEqual([saved.status, saved.headers.get('location')], [303, '/dashboard/escalation']);
    const steps = [step(0, 'chn_g1'), step(15, 'chn_g1', 'chn_g2')];
    assert.deepEqual((await api.escalations.find('globex')).warning, { steps, repeat: { times: 2, waitMinutes: 30 } });
    const form = await ofGlobex(path, 'admin');
    for (const box of [
      'channels1" value="chn_g1" checked',
      'channels2" value="chn_g2" checked',
      'name="wait2" type="number" inputmode="numeric" min="1" max="1440" value="15"',
    ]) {
      assert.ok(form.includes(box), box);
    }
    assert.doesNotMatch(form, /chn_g3|channels3" value="chn_g1" checked/);
    assert.match(await ofGlobex('/dashboard/escalation', 'admin'), /href="\/dashboard\/escalation\/warning"/);
    assert.doesNotMatch(
      await ofGlobex('/dashboard/escalation', 'member'),
      /<form method="post" action="\/dashboard\/escalation|escalation\/warning/,
    );
    assert.match(await ofGlobex(path, 'member'), /is for admins of the org to say/);
    assert.equal((await send(`${path}/end`, 'member', [])).status, 403);
    assert.equal((await send(`${path}/end`, 'admin', [])).status, 303);
    assert.equal((await api.escalations.find('globex')).warning, null);
    const told = api.told().filter(({ eventType }) => eventType.startsWith('monitor.escalation'));
    assert.deepEqual(
      told.map(({ eventType, data }) => [eventType, data.severity, data.steps, data.repeats]),
      [
        ['monitor.escalation_set', 'warning', 2, 2],
        ['monitor.escalation_removed', 'warning', undefined, undefined],
      ],
    );
  });

  it('takes no form with what is no policy, or with a channel of another org', async () => {
    const path = '/dashboard/escalation/critical';
    const refusals: readonly [readonly (readonly [string, string])[], RegExp][] = [
      [[], /at least one step/],
      [[['channels1', 'chn_ops']], /chn_ops is no channel of the org/],
      [
        [
          ['channels1', 'chn_g1'],
          ['channels2', 'chn_g2'],
        ],
        /steps\.1\.waitMinutes: at least 1 minute/,
      ],
      [
        [
          ['channels1', 'chn_g1'],
          ['channels2', 'chn_g2'],
          ['wait2', '1441'],
        ],
        /steps\.1\.waitMinutes/,
      ],
      [
        [
          ['channels1', 'chn_g1'],
          ['repeatTimes', '6'],
          ['repeatAfter', '5'],
        ],
        /repeat\.times/,
      ],
      [
        [
          ['channels1', 'chn_g1'],
          ['repeatTimes', '1'],
          ['repeatAfter', ''],
        ],
        /repeat\.waitMinutes/,
      ],
      [
        [
          ['channels1', 'chn_g1'],
          ['org', 'acme'],
        ],
        /for its own admins to say/,
      ],
    ];
    for (const [fields, words] of refusals) {
      const answer = await send(path, 'admin', fields);
      assert.ok([400, 403].includes(answer.status), JSON.stringify(fields));
      assert.match(await answer.text(), words);
    }
    assert.deepEqual(await api.escalations.find('globex'), { critical: null, warning: null });
    const many = Array.from({ length: 5 }, (_, index) =>
      Array.from({ length: 20 }, (_unused, channel) => [`channels${index + 1}`, `chn_x${channel}`] as const),
    );
    const waits = [2, 3, 4, 5].map((each) => [`wait${each}`, '5'] as const);
    const full = await send(path, 'admin', [...many.flat(), ...waits, ['repeatTimes', '0'], ['repeatAfter', '5']]);
    assert.match(await full.text(), /chn_x0 is no channel/, 'as many fields as there may be are read');
  });

  it('the platform sets that of an org, and of the operators where it names none', async () => {
    const by = { 'x-test-caller': 'root', origin: api.address };
    const page = await api.call('GET', '/dashboard/escalation/critical?org=acme', undefined, by);
    assert.match(page.text, /name="org" value="acme"/);
    const policy = [
      ['org', 'acme'],
      ['channels1', 'chn_chat'],
    ] as const;
    const saved = await send('/dashboard/escalation/critical', 'admin', policy, by);
    assert.equal(saved.headers.get('location'), '/dashboard/escalation?org=acme');
    assert.deepEqual((await api.escalations.find('acme')).critical, { steps: [step(0, 'chn_chat')], repeat: null });
    await api.escalations.set('acme', 'critical', POLICY);
  });

  it('shows on an incident who was told when, and what comes next', async () => {
    const told = [
      { step: 0, at: AT, channelIds: ['chn_ops'] },
      { step: 2, at: new Date(AT.getTime() + 60_000), channelIds: ['chn_ops', 'chn_gone'] },
    ];
    const open = incidentRecord({ escalation: { policy: POLICY, told } });
    const plain = incidentRecord();
    for (const each of [open, plain]) await api.incidents.insert(each);
    const shown = await words(`/dashboard/incidents/${open.id}`, 'viewer');
    assert.match(shown, /Who was told Step 1 mail chn_ops 2026-11-01 10:00:00 UTC/);
    assert.match(
      shown,
      /Step 1, repeat 1 mail chn_ops, a channel chn_gone \(removed\) 2026-11-01 10:01:00 UTC ?, as a step had no channel left/,
    );
    assert.match(shown, /Step 2, repeat 1 is told at 2026-11-01 11:31:00 UTC ?, unless somebody acknowledges it/);
    assert.match(await words(`/dashboard/incidents/${open.id}`, 'admin'), /Step 1 mail ops@example\.com/);
    assert.doesNotMatch(await words(`/dashboard/incidents/${plain.id}`, 'admin'), /Who was told/);
  });
});
