import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NightPlan, planNight } from '../../../activities/backups/plan-night.ts';
import { PAYLOAD_LIMIT_BYTES } from '../../../adapters/temporal/payload-size.ts';
import type { Backup } from '../../../domain/backups/backup.ts';
import { backupRecord } from '../../support/backup-record.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

const NIGHT = '2026-05-04';
const DATABASES = 10_000;

test('ten thousand databases travel through workflows by pages, each of them once', async () => {
  const parts = await createBackupsParts();
  const owner = {
    environment: 'sandbox',
    serviceId: 'svc_00000000000000000001',
    org: 'acme',
    earlierServiceIds: [],
  } as const;
  parts.listed.postgres = Array.from({ length: DATABASES }, (_, index) => {
    const service = `service-with-a-name-as-long-as-it-may-be-${index}`;
    const databaseName = `${service}_sandbox`;
    return { databaseName, owner: { ...owner, service } };
  });
  const seen: string[] = [];
  let plan: NightPlan | null = null;
  do {
    plan = await planNight(parts.deps, NIGHT, AbortSignal.timeout(60_000), plan?.more ?? null);
    assert.ok(Buffer.byteLength(JSON.stringify(plan)) < PAYLOAD_LIMIT_BYTES);
    seen.push(...plan.jobs.map(({ engine, databaseName }) => `${engine}/${databaseName}`));
  } while (plan.more !== null);
  assert.equal(seen.length, DATABASES + 1);
  assert.equal(new Set(seen).size, seen.length);
});

test('a month without a backup is on record by hundreds, whole also where an attempt was ended in the middle', async () => {
  const { deps } = await createBackupsParts();
  const count = 1_001;
  const known = Array.from({ length: count }, (_, index) =>
    backupRecord({ id: `bak_${index}`, databaseName: `database_${index}`, night: '2026-04-02' }),
  );
  await deps.backups.insertAll(known);
  const writes: number[] = [];
  const ended = new AbortController();
  const { insertAll } = deps.backups;
  Object.assign(deps.backups, {
    insertAll: async (backups: readonly Backup[]) => {
      writes.push(backups.length);
      if (writes.length === 5) ended.abort(new Error('ended'));
      await insertAll(backups);
    },
  });
  const inventory = { ...deps.inventory, list: async () => [] };
  const plan = (signal: AbortSignal) => planNight({ ...deps, inventory }, NIGHT, signal);
  await assert.rejects(plan(ended.signal), /ended/);
  assert.deepEqual(writes.splice(0), [500, 500, 1, 500, 500]);
  assert.equal((await plan(AbortSignal.timeout(60_000))).missed.length, 31);
  assert.equal(
    writes.reduce((sum, records) => sum + records, 0),
    31 * count,
  );
  assert.equal(writes.length, 31 * 3);
});
