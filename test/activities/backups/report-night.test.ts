import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportNight } from '../../../activities/backups/report-night.ts';
import { backupRecord } from '../../support/backup-record.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

test('a database that was too busy for its backup raises an alarm; one that is left out by a pattern does not', async () => {
  const { deps, alarms } = await createBackupsParts();
  const night = '2026-05-04';
  const report = () => reportNight(deps, { night, run: 'backups', problems: [] }, new AbortController().signal);
  const skipped = { status: 'skipped', objectKey: null } as const;
  const excluded = { code: 'EXCLUDED', message: 'BACKUP_EXCLUDE_PATTERNS leaves it out: *' };
  await deps.backups.insert(backupRecord({ ...skipped, id: 'bak_excluded', problem: excluded }));
  await report();
  assert.equal(alarms.size, 0);
  const busy = { code: 'BACKUP_IN_PROGRESS', message: 'Another backup or a restore was running for an hour' };
  await deps.backups.insert(backupRecord({ ...skipped, id: 'bak_busy', problem: busy }));
  await report();
  const [alarm] = [...alarms.values()];
  assert.match(alarm?.text ?? '', /shop\/prod \(postgres\): Another backup or a restore was running for an hour/);
  assert.doesNotMatch(alarm?.text ?? '', /BACKUP_EXCLUDE_PATTERNS/);
});

for (const isUnderWay of [false, true]) {
  const what = isUnderWay ? 'that still runs' : 'whose workflow is gone';
  test(`a backup of the night ${what} raises an alarm`, async () => {
    const { deps, alarms } = await createBackupsParts({ isUnderWay: async () => isUnderWay });
    const night = '2026-05-04';
    const running = { status: 'running', objectKey: null, finishedAt: null } as const;
    await deps.backups.insert(backupRecord({ ...running, id: 'bak_night', night }));
    await deps.backups.insert(backupRecord({ ...running, id: 'bak_by_hand', night: null }));
    await reportNight(deps, { night, run: 'backups', problems: [] }, new AbortController().signal);
    const [alarm] = [...alarms.values()];
    const why = isUnderWay ? 'its backup has not ended' : 'its backup ended without a result';
    assert.match(alarm?.text ?? '', new RegExp(`shop/prod \\(postgres\\): ${why}`));
    assert.equal(alarm?.text.match(/its backup/g)?.length, 1);
  });
}
