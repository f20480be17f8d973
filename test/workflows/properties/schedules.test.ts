import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MODULES } from '../../../workers/modules.ts';

/** Spec 3, "Limits", and what its weekly and daily work is here. */
it('the site registry syncs and pulls daily, checks again weekly, and looks every five minutes for what was broken off', () => {
  const crons = new Map(MODULES.flatMap(({ schedules }) => schedules).map(({ id, cron }) => [id, cron]));
  const ids = ['property-sync', 'verify-resume', 'property-recheck', 'daily-search-pull', 'resume-search-pull'];
  assert.deepEqual(
    ids.map((id) => crons.get(id)),
    ['40 3 * * *', '*/5 * * * *', '20 4 * * 1', '20 11 * * *', '*/5 * * * *'],
  );
});
