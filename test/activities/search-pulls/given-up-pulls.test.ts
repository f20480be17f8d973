import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullProperty } from '../../../activities/search-pulls/pull-property.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { allStoredRows } from '../../support/all-stored-rows.ts';
import { createSearchPullsParts, type SearchPullsParts } from '../../support/in-memory/search-pulls-parts.ts';

const SERIES = { property: 'shop.com', type: 'web' } as const;
/** Its first day with rows. */
const OLDEST = '2026-05-04';

function shop(): SearchPullsParts {
  const parts = createSearchPullsParts();
  parts.add(SERIES.property, { since: OLDEST, silentDays: 0 });
  return parts;
}

function pull({ deps, clock }: SearchPullsParts, since = clock.now) {
  return pullProperty(deps, { property: SERIES.property, since: since.toISOString() }, new AbortController().signal);
}

/** The first write of a day is broken off after its first part. */
function breakOff({ deps }: SearchPullsParts, day: string): void {
  const { write } = deps.rows;
  deps.rows.write = async (period, list) => {
    if (period.period !== day) return await write(period, list);
    deps.rows.write = write;
    async function* dying() {
      for await (const part of list) {
        yield part;
        break;
      }
      throw new Error('killed');
    }
    return await write(period, dying());
  };
}

/** A pull of which an attempt is broken off within a day, the next one stores all, and none comes to its end. */
async function giveUp(parts: SearchPullsParts, day: string): Promise<void> {
  const since = parts.clock.now;
  breakOff(parts, day);
  await assert.rejects(pull(parts, since), /killed/);
  const { write } = parts.deps.windows;
  parts.deps.windows.write = async () => {
    throw new FairleadError('UNAVAILABLE', 'The database cannot be reached; try again shortly', { retryable: true });
  };
  await assert.rejects(pull(parts, since), { code: 'UNAVAILABLE' });
  parts.deps.windows.write = write;
}

/** @param before when the property was pulled to its end before; null for never */
async function leavesNothing(before: string | null, day: string): Promise<void> {
  const [faulty, whole] = [shop(), shop()];
  for (const parts of [faulty, whole]) {
    if (before !== null) {
      parts.goTo(new Date(before));
      await pull(parts);
    }
    parts.goTo(new Date('2026-06-17T18:00:00Z'));
    if (parts === faulty) await giveUp(parts, day);
    else await pull(parts);
    parts.goTo(new Date('2026-06-18T18:00:00Z'));
    await pull(parts);
  }
  assert.deepEqual(await allStoredRows(faulty.deps.rows, SERIES), await allStoredRows(whole.deps.rows, SERIES));
  const [left, wanted] = [faulty, whole].map(({ deps }) => deps.rows.partCount(SERIES.property));
  assert.equal(left, wanted, 'parts');
}

test('what a pull left that was given up is deleted by the next one, also of days that this one does not pull', async () => {
  await leavesNothing('2026-06-09T18:00:00Z', '2026-06-10');
});

test('so is what the first pull of a property left', async () => {
  await leavesNothing(null, OLDEST);
});
