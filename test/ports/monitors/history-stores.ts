import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import type { CheckResult } from '../../../domain/monitors/check-result.ts';
import type { RollUp } from '../../../domain/monitors/history.ts';
import { SHARDS, shardOf } from '../../../domain/monitors/monitor.ts';
import type { ResultStore, RollUpStore } from '../../../domain/monitors/ports.ts';

const HOUR = Date.parse('2026-11-01T10:00:00Z');
const HOUR_MS = 3_600_000;
const newNumber = (): number => SHARDS * randomInt(1, 2 ** 28);

function result(at: number, changes: Partial<CheckResult> = {}): CheckResult {
  return { at, outcome: 'ok', durationMs: 20, problem: null, status: 200, ...changes };
}

/** What every {@link ResultStore} guarantees. Monitors are new for each test; the hours of a test are its own. */
export function resultStoreSuite(store: () => ResultStore): void {
  describe('ResultStore', () => {
    let nextHour = HOUR;
    const newHour = (): number => {
      nextHour += 4 * HOUR_MS;
      return nextHour;
    };

    it('gives back the results of a monitor by time, and one of a time only', async () => {
      const hour = newHour();
      const number = newNumber();
      const shard = shardOf({ number });
      const fence = await store().claim(shard);
      const results = [
        result(hour + 59_999, { outcome: 'failed', problem: 'timeout', status: null, durationMs: 10_000 }),
        result(hour + 60_000, { outcome: 'slow', problem: 'latency' }),
        result(hour + 90_001, { outcome: 'unknown' }),
      ];
      const other = { ...result(hour + 1), number: number + SHARDS };
      const numbered = results.map((each) => ({ ...each, number }));
      await store().append({ shard, fence, results: [other, ...numbered.toReversed()] });
      await store().append({ shard, fence, results: numbered.slice(0, 1) });
      assert.deepEqual(await store().read({ number }, new Date(hour), new Date(hour + HOUR_MS)), results);
      assert.deepEqual(
        await store().read({ number }, new Date(hour + 60_000), new Date(hour + 90_001)),
        results.slice(1, 2),
      );
    });

    it('refuses the older of two holders', async () => {
      const number = newNumber();
      const shard = shardOf({ number });
      const older = await store().claim(shard);
      const newer = await store().claim(shard);
      assert.ok(newer > older);
      const results = [{ ...result(newHour()), number }];
      await assert.rejects(
        store().append({ shard, fence: older, results }),
        (error) => error instanceof FairleadError && error.code === 'CONFLICT' && !error.retryable,
      );
      await store().append({ shard, fence: newer, results });
    });

    it('packs an hour by monitor without losing what came meanwhile', async () => {
      const hour = newHour();
      const number = newNumber();
      const shard = shardOf({ number });
      const fence = await store().claim(shard);
      const append = (at: number) => store().append({ shard, fence, results: [{ ...result(at), number }] });
      await append(hour + 1_000);
      await append(hour + 61_000);
      const at = new Date(hour);
      assert.ok((await store().looseHours(shard)).some((each) => each.getTime() === hour));
      const loose = await store().readLoose(shard, at);
      assert.deepEqual(loose.results.get(number), [result(hour + 1_000), result(hour + 61_000)]);
      await append(hour + 2_000);
      await store().pack(at, loose.results);
      await store().pack(at, loose.results);
      assert.deepEqual((await store().readPacked(at, [number, number + 1])).get(number)?.length, 2);
      await store().dropLoose(loose.parts);
      const all = [result(hour + 1_000), result(hour + 2_000), result(hour + 61_000)];
      assert.deepEqual(await store().read({ number }, at, new Date(hour + HOUR_MS)), all);
      const rest = await store().readLoose(shard, at);
      assert.ok(rest.results.get(number)?.some((each) => each.at === hour + 2_000));
      await store().pack(at, rest.results);
      await store().dropLoose(rest.parts);
      assert.deepEqual((await store().readLoose(shard, at)).parts, []);
      assert.deepEqual(await store().read({ number }, at, new Date(hour + HOUR_MS)), all);
    });

    it('drops packed hours before a time', async () => {
      const hour = Date.parse('2020-01-01T00:00:00Z');
      const number = newNumber();
      await store().pack(new Date(hour), new Map([[number, [result(hour)]]]));
      await store().pack(new Date(hour + HOUR_MS), new Map([[number, [result(hour + HOUR_MS)]]]));
      await store().dropPackedBefore(new Date(hour + HOUR_MS));
      const left = await store().read({ number }, new Date(hour), new Date(hour + 2 * HOUR_MS));
      assert.deepEqual(left, [result(hour + HOUR_MS)]);
    });
  });
}

/** What every {@link RollUpStore} guarantees. */
export function rollUpStoreSuite(store: () => RollUpStore): void {
  describe('RollUpStore', () => {
    const rollUp = (changes: Partial<RollUp>): RollUp => ({
      ...{ monitorId: 'mon_1', length: '1h', startsAt: new Date(HOUR) },
      ...{ upMs: 3_000_000, degradedMs: 1_000, downMs: 500_000, maintenanceMs: 7, checks: 120, failed: 3 },
      latency: [0, 0, 5, 0, 112],
      ...changes,
    });

    it('gives back roll-ups of a range by time, over days and months, the last one written of each', async () => {
      const monitorId = `mon_${newNumber()}`;
      const times = ['2026-12-31T22:00Z', '2026-12-31T23:00Z', '2027-01-01T00:00Z', '2027-01-01T01:00Z'];
      const hours = times.map((time) => rollUp({ monitorId, startsAt: new Date(time) }));
      await store().write(hours.toReversed());
      const days = [
        rollUp({ monitorId, length: '1d', startsAt: new Date('2026-12-31') }),
        rollUp({ monitorId, length: '1d', startsAt: new Date('2027-01-01') }),
      ];
      await store().write(days);
      const again = rollUp({ monitorId, startsAt: new Date('2027-01-01T00:00Z'), downMs: 9, latency: [] });
      await store().write([again]);
      const read = await store().read(monitorId, '1h', new Date('2026-12-31T23:00Z'), new Date('2027-01-01T01:00Z'));
      assert.deepEqual(read, [hours[1], again]);
      assert.deepEqual(await store().read(monitorId, '1d', new Date('2026-12-01'), new Date('2027-02-01')), days);
      assert.deepEqual(await store().read(`${monitorId}0`, '1d', new Date('2026-12-01'), new Date('2027-02-01')), []);
    });

    it('gives back several ranges in one go, in their order', async () => {
      const monitorId = `mon_${newNumber()}`;
      const hours = [22, 23].map((hour) => rollUp({ monitorId, startsAt: new Date(`2026-12-31T${hour}:00Z`) }));
      const days = ['2026-12-30', '2027-01-01'].map((day) =>
        rollUp({ monitorId, length: '1d', startsAt: new Date(day) }),
      );
      await store().write([...hours, ...days]);
      const read = await store().readRanges(monitorId, [
        { length: '1d', from: new Date('2026-12-01'), to: new Date('2027-02-01') },
        { length: '5m', from: new Date('2026-12-31'), to: new Date('2027-01-01') },
        { length: '1h', from: new Date('2026-12-31T23:00Z'), to: new Date('2027-01-01') },
        { length: '1d', from: new Date('2027-01-01'), to: new Date('2027-01-01') },
      ]);
      assert.deepEqual(read, [days, [], hours.slice(1), []]);
      assert.deepEqual(await store().readRanges(monitorId, []), []);
    });

    it('keeps what several write of one day at once', async () => {
      const monitorId = `mon_${newNumber()}`;
      const hours = Array.from({ length: 6 }, (_, hour) =>
        rollUp({ monitorId, startsAt: new Date(HOUR + hour * HOUR_MS) }),
      );
      const writes = await Promise.allSettled(hours.map((hour) => store().write([hour])));
      const refused = hours.filter((_hour, index) => writes[index]?.status === 'rejected');
      for (const hour of refused) await store().write([hour]);
      const read = await store().read(monitorId, '1h', new Date(HOUR), new Date(HOUR + 6 * HOUR_MS));
      assert.deepEqual(read, hours);
    });

    it('removes the history of one monitor, and of no other', async () => {
      const [gone, stays] = [`mon_${newNumber()}`, `mon_${newNumber()}`];
      const verdict = { verdict: 'up', since: 3, run: null } as const;
      for (const monitorId of [gone, `${gone}0`, stays]) {
        await store().write([
          rollUp({ monitorId }),
          rollUp({ monitorId, length: '1d', startsAt: new Date('2026-11-01') }),
        ]);
        await store().writeEnds([{ monitorId, hour: new Date(HOUR), closing: { verdict, lastAt: 1 } }]);
      }
      await store().remove(gone);
      await store().remove(gone);
      const left = async (monitorId: string) => {
        const range = [new Date('2026-11-01'), new Date('2026-11-02')] as const;
        const ends = await store().endsBefore([monitorId], new Date(HOUR + HOUR_MS));
        return [
          (await store().read(monitorId, '1h', ...range)).length,
          (await store().read(monitorId, '1d', ...range)).length,
          ends.size,
        ];
      };
      assert.deepEqual(await left(gone), [0, 0, 0]);
      assert.deepEqual(await left(`${gone}0`), [1, 1, 1]);
      assert.deepEqual(await left(stays), [1, 1, 1]);
    });

    it('finds the last end before an hour', async () => {
      const monitorId = `mon_${newNumber()}`;
      const closing = (lastAt: number) => {
        const run = { outcome: 'failed', count: 1, firstAt: 4 } as const;
        return { verdict: { verdict: 'up', since: 3, run }, lastAt } as const;
      };
      const end = (hours: number, lastAt: number) => {
        return { monitorId, hour: new Date(HOUR + hours * HOUR_MS), closing: closing(lastAt) };
      };
      await store().writeEnds([end(0, 1)]);
      await store().writeEnds([end(2, 2)]);
      await store().writeEnds([end(2, 3)]);
      const before = async (hours: number) => {
        const found = await store().endsBefore([monitorId, 'mon_none'], new Date(HOUR + hours * HOUR_MS));
        return found.get(monitorId);
      };
      assert.equal(await before(0), undefined);
      assert.deepEqual(await before(1), end(0, 1));
      assert.deepEqual(await before(2), end(0, 1));
      assert.deepEqual(await before(3), end(2, 3));
    });
  });
}
