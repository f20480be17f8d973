import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { WorkloadFirewall } from '../../adapters/docker/workload-firewall.ts';
import type { Alarm } from '../../domain/backups/ports.ts';
import type { Workload } from '../../domain/deploys/workload-runtime.ts';
import { withAlarm } from '../../workers/firewall-alarm.ts';
import { protectAtStart } from '../../workers/workload-firewall.ts';

const signal = new AbortController().signal;

/** A firewall that refuses while `why` is set. */
function refusing() {
  const state: { why: string | null } = { why: null };
  const firewall: WorkloadFirewall = {
    gate: '/run/gate',
    renew: async () => {
      if (state.why !== null) throw new Error(state.why);
    },
    remove: async () => undefined,
  };
  return { state, firewall };
}

function told({ isMailDown = (): boolean => false } = {}) {
  const alarms: Alarm[] = [];
  const lines: string[] = [];
  const raiseAlarm = async (alarm: Alarm): Promise<void> => {
    if (isMailDown()) throw new Error('no mail');
    alarms.push(alarm);
  };
  const logger = {
    info: (text: unknown) => void lines.push(`info ${String(text)}`),
    error: (_: unknown, text: unknown) => void lines.push(`error ${String(text)}`),
  } as unknown as Parameters<typeof withAlarm>[1]['logger'];
  let minute = 0;
  const now = () => new Date(Date.UTC(2026, 0, 1, 0, minute++));
  return { alarms, lines, options: { raiseAlarm, logger, now } };
}

it('operators are told once that the firewall of workloads cannot be set, and again after it was', async () => {
  const { state, firewall } = refusing();
  const { alarms, lines, options } = told();
  const { renew, gate } = withAlarm(firewall, options);
  assert.equal(gate, '/run/gate');
  await renew(signal);
  assert.deepEqual([alarms, lines], [[], []]);
  state.why = 'iptables-restore: not found';
  for (let time = 0; time < 3; time += 1) await assert.rejects(renew(signal), /not found/);
  assert.equal(alarms.length, 1);
  assert.match(alarms[0]?.text ?? '', /It said: iptables-restore: not found\n.*docs\/workload-firewall\.md/s);
  state.why = null;
  for (let time = 0; time < 2; time += 1) await renew(signal);
  assert.deepEqual(lines, ['info the firewall of workloads is set again']);
  state.why = 'again';
  await assert.rejects(renew(signal), /again/);
  assert.equal(new Set(alarms.map(({ id }) => id)).size, 2);
});

it('an alarm that could not be raised is raised with the next refusal, and hides none', async () => {
  const { state, firewall } = refusing();
  let isMailDown = true;
  const { alarms, lines, options } = told({ isMailDown: () => isMailDown });
  const { renew } = withAlarm(firewall, options);
  state.why = 'no iptables';
  await assert.rejects(renew(signal), /no iptables/);
  assert.deepEqual([alarms.length, lines.length], [0, 1]);
  isMailDown = false;
  await assert.rejects(renew(signal), /no iptables/);
  assert.equal(alarms.length, 1);
});

it('a worker that starts protects the workloads that are there, and fails for nothing of that', async () => {
  const protectedBeside = async (workloads: () => Promise<readonly Workload[]>, fails = false): Promise<number> => {
    let times = 0;
    const protect = async (): Promise<void> => {
      times += 1;
      if (fails) throw new Error('no iptables');
    };
    await protectAtStart({ listAll: workloads, protect });
    return times;
  };
  const one = async () => [{ id: 'x', running: false } as Workload];
  assert.equal(await protectedBeside(one), 1);
  assert.equal(await protectedBeside(one, true), 1);
  assert.equal(await protectedBeside(async () => []), 0, 'a machine without workloads is left as it is');
  assert.equal(await protectedBeside(() => Promise.reject(new Error('no engine'))), 0);
});
