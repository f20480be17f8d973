import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { planNight } from '../../../activities/backups/plan-night.ts';
import { listBackupsToVerify } from '../../../activities/backups/verify-backup.ts';
import { BACKUPS_WORKFLOWS } from '../../../domain/backups/messages.ts';
import { type Night, nightOf } from '../../../domain/backups/night.ts';
import type { NightTally } from '../../../workflows/backups/nightly-backups.ts';
import type { BackupsParts } from '../../support/in-memory/backups-parts.ts';
import { startBackups, type TestBackups } from './harness.ts';

const ALL = { cursor: null, limit: 200 };
const HOUR_MS = 3_600_000;

describe('a night that goes on for long', { timeout: 300_000 }, () => {
  let temporal: TestBackups;
  let parts: BackupsParts;
  before(async () => {
    temporal = await startBackups();
  });
  after(() => temporal.stop());
  beforeEach(async () => {
    parts = await temporal.reset();
    parts.deps.settings.nightPage = 1;
  });

  /** What a run goes on with whose night began so many hours ago, and that has all of its databases to do. */
  const left = async (hours: number) => {
    const now = await temporal.env.currentTimeMs();
    return { night: nightOf(now), begunAt: new Date(now - hours * HOUR_MS).toISOString() };
  };
  const backUp = async (hours: number): Promise<readonly [NightTally, Night]> => {
    const { night, begunAt } = await left(hours);
    const { jobs, more } = await planNight(parts.deps, night, AbortSignal.timeout(60_000));
    assert.ok(more !== null, 'a page is left');
    const args = { night, begunAt, jobs, more, parallelism: 2, tally: { completed: 0, failed: 0, skipped: 0 } };
    const { completed, failed, skipped } = await temporal.run<NightTally>(BACKUPS_WORKFLOWS.nightlyBackups, [args]);
    return [{ completed, failed, skipped }, night];
  };

  it('begins no backup after its end, also of a later page: the records and the alarm say so', async () => {
    assert.deepEqual((await backUp(16))[0], { completed: 2, failed: 0, skipped: 0 });
    parts = await temporal.reset();
    parts.deps.settings.nightPage = 1;
    const [tally, night] = await backUp(18);
    assert.deepEqual(tally, { completed: 0, failed: 0, skipped: 2 });
    const { items } = await parts.deps.backups.list({ night, statuses: ['skipped'] }, ALL);
    assert.deepEqual(
      items.map(({ problem }) => problem?.code),
      ['NIGHT_OVER', 'NIGHT_OVER'],
    );
    const [alarm] = parts.alarms.values();
    assert.match(alarm?.text ?? '', /shop\/prod \(mongodb\): The night was over/);
    assert.match(alarm?.text ?? '', /shop\/prod \(postgres\): The night was over/);
  });

  it('begins no proof after its end, and tells how many had no turn', async () => {
    await temporal.run(BACKUPS_WORKFLOWS.nightlyBackups);
    const prove = async (hours: number) => {
      const { night, begunAt } = await left(hours);
      const plan = await listBackupsToVerify(parts.deps, night, AbortSignal.timeout(60_000), { begunMs: 0 });
      const args = { night, begunAt, ...plan, tally: { verified: 0, failed: 0 }, problems: [] };
      return await temporal.run<unknown>(BACKUPS_WORKFLOWS.verifyBackups, [args]);
    };
    assert.deepEqual(await prove(18), { verified: 0, failed: 0 });
    const [alarm] = parts.alarms.values();
    assert.match(alarm?.text ?? '', /2 backups had no turn within 17 hours: the next night begins with them/);
    assert.deepEqual(await prove(16), { verified: 2, failed: 0 });
    assert.equal(parts.alarms.size, 1);
  });
});
