import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tellWaiting } from '../../../activities/notifications/tell-waiting.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { Notification } from '../../../domain/notifications/notification.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';
import {
  createMemoryChannels,
  createMemoryDeliveries,
  createMemoryNotices,
} from '../../support/in-memory/notifications.ts';

const NEVER = new AbortController().signal;
const AT = new Date('2026-11-01T10:00:00Z');
const JOB = { roundId: 'run-1', org: 'acme' };
const killed = new FairleadError('UNAVAILABLE', 'killed', { retryable: true });

const notice = (index: number): Notification => ({
  ...{ id: `inc_${index}/opened`, kind: 'incident.opened', org: 'acme', at: AT, data: { incidentId: `inc_${index}` } },
  ...{ subject: `Down: ${index}`, text: `${index} is down.` },
});

/** Three notices and two channels; `calls` of the stores and of Temporal, the one at `killAt` is the last of an attempt. */
async function useRound() {
  const [channels, deliveries, notices] = [createMemoryChannels(), createMemoryDeliveries(), createMemoryNotices()];
  for (const id of ['chn_a', 'chn_b']) await channels.insert(channelRecord({ id }));
  await notices.insert([1, 2, 3].map(notice), AT);
  const kill = { at: Number.POSITIVE_INFINITY, isAfter: false, calls: 0 };
  const counted = <T extends object>(store: T): T =>
    new Proxy(store, {
      get: (target, name) => {
        const method = target[name as keyof T];
        if (typeof method !== 'function') return method;
        return async (...given: unknown[]) => {
          kill.calls += 1;
          if (kill.calls === kill.at && !kill.isAfter) throw killed;
          const result: unknown = await method(...given);
          if (kill.calls === kill.at) throw killed;
          return result;
        };
      },
    });
  const begun = new Set<string>();
  const commands = counted({ deliver: async (id: string) => void begun.add(id) });
  const deps = { channels: counted(channels), deliveries: counted(deliveries), notices: counted(notices), commands };
  return { channels, notices, begun, kill, tell: () => tellWaiting({ ...deps, now: () => AT }, JOB, NEVER) };
}

describe('a round of notices', () => {
  it('is one delivery a channel, and tells nothing where nothing waits', async () => {
    const { notices, begun, tell } = await useRound();
    assert.equal(await tell(), 3);
    assert.deepEqual([...begun], ['group/run-1/incident.opened/chn_a', 'group/run-1/incident.opened/chn_b']);
    assert.equal(await notices.countWaiting('acme', 10), 0);
  });

  it('killed before or after any of its calls, it tells the same once, and loses none', async () => {
    const whole = await useRound();
    await whole.tell();
    assert.ok(whole.kill.calls > 6, `${whole.kill.calls}`);
    for (let at = 1; at <= whole.kill.calls; at += 1) {
      for (const isAfter of [false, true]) {
        const { notices, begun, kill, tell } = await useRound();
        Object.assign(kill, { at, isAfter });
        await assert.rejects(tell(), killed);
        // Others come meanwhile: of this round, or of the next one.
        await notices.insert([notice(4)], AT);
        await tell();
        const left = await notices.countWaiting('acme', 10);
        assert.deepEqual([...begun].toSorted(), [...whole.begun], `${at} ${isAfter}`);
        const told = (await notices.findRound(JOB.roundId))?.noticeIds.length ?? 0;
        assert.equal(told + left, 4, `${at} ${isAfter}`);
      }
    }
  });

  it('that two attempts begin at once is told as the first one decided', async () => {
    const { notices, begun, tell } = await useRound();
    const counts = await Promise.all([tell(), notices.insert([notice(4)], AT).then(tell)]);
    const round = await notices.findRound(JOB.roundId);
    assert.deepEqual(new Set(counts), new Set([round?.noticeIds.length]));
    assert.equal(begun.size, 2);
    assert.equal(await notices.countWaiting('acme', 10), 4 - (round?.noticeIds.length ?? 0));
  });

  it('has a notice for each set of channels, and tells it to no other', async () => {
    const { notices, begun, tell } = await useRound();
    await notices.insert(
      [
        { ...notice(4), only: ['chn_b'] },
        { ...notice(5), only: ['chn_b'] },
        { ...notice(6), only: ['chn_a'] },
      ],
      AT,
    );
    assert.equal(await tell(), 6);
    const group = 'group/run-1/incident.opened';
    assert.deepEqual([...begun].toSorted(), [
      `${group}/2/chn_b`,
      `${group}/chn_a`,
      `${group}/chn_b`,
      'inc_6/opened/chn_a',
    ]);
  });
});
