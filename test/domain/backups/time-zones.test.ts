import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const CHILD = join(import.meta.dirname, 'print-nights.ts');

interface Nights {
  readonly hours: readonly string[];
  readonly nights: readonly string[];
  readonly offset: number;
}

/** What a process in a time zone says. */
async function nightsIn(zone: string): Promise<Nights> {
  const options = { env: { ...process.env, TZ: zone }, maxBuffer: 64 * 1024 ** 2 };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', CHILD],
    options,
  );
  return JSON.parse(stdout);
}

test('nights, their tiers and what retention deletes are the same wherever the worker runs, also as its clocks change', async () => {
  const { offset, ...inUtc } = await nightsIn('UTC');
  assert.equal(offset, 0);
  assert.deepEqual([new Set(inUtc.nights).size, inUtc.hours.length], [731, 731 * 24]);
  assert.ok(inUtc.hours.some((hour) => hour.startsWith('2028-02-29 daily')));
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati']) {
    const { offset: shifted, ...there } = await nightsIn(zone);
    assert.notEqual(shifted, 0, `${zone} is known here`);
    assert.deepEqual(there, inUtc, zone);
  }
});
