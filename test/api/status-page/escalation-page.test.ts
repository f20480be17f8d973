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
