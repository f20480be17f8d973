import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addDays } from '../../../domain/audit-ledger/days.ts';
import { DAY, useLedgerDay } from './use-ledger-day.ts';

describe('a ledger whose nights did not run for months', { timeout: 300_000 }, () => {
  const { parts, clock, run, emit } = useLedgerDay([]);
  /** @returns the days of the night */
  async function night(day: string): Promise<readonly string[]> {
    clock.now = new Date(`${addDays(day, 1)}T00:10:00Z`);
    const days = await run('listDaysToAnchor', day);
    for (const each of days) await run('batchDay', each);
    return days;
  }

  it('goes on with the month before it is back, as its closes name a batch of long ago', async () => {
    await emit('shop', 3, `${DAY}T10:00:00Z`);
    await night(DAY);
    const back = addDays(DAY, 130);
    await emit('shop', 3, `${back}T10:00:00Z`);
    assert.equal((await night(back)).length, 31);
    await night(addDays(back, 1));
    assert.notEqual(await parts.ledger.batches.find(addDays(back, 1)), null);
  });
});
