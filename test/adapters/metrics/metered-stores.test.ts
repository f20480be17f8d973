import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { meterBackups } from '../../../adapters/metrics/metered-backups.ts';
import { meterBuilds } from '../../../adapters/metrics/metered-builds.ts';
import { backupStoreSuite } from '../../ports/backup-stores.ts';
import { buildStoreSuite } from '../../ports/build-store.ts';
import { buildRecord } from '../../ports/records.ts';
import { backupRecord } from '../../support/backup-record.ts';
import { createInMemoryBackupStore } from '../../support/in-memory/backup-stores.ts';
import { createInMemoryBuildStore } from '../../support/in-memory/build-store.ts';
import { parseExposition, samplesOf, sampleValue } from '../../support/parse-exposition.ts';

const now = () => new Date();

describe('stores that are metered', () => {
  const builds = meterBuilds(createInMemoryBuildStore({ now }), new Registry());
  buildStoreSuite(() => builds);
  const backups = meterBackups(createInMemoryBackupStore(), new Registry());
  backupStoreSuite(() => backups);
});

describe('a metered store of builds', () => {
  const start = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
  const SOURCE = { key: 'source', stage: 'cloning' } as const;

  async function startStore() {
    const registry = new Registry();
    const store = meterBuilds(createInMemoryBuildStore({ now }), registry);
    await store.create(buildRecord({ id: 'bld_1' }));
    return { store, told: async () => parseExposition(await registry.metrics()) };
  }

  it('counts an end once, however often it is written', async () => {
    const { store, told } = await startStore();
    const end = { status: 'failed', failure: null, supersededBy: null, finishedAt: now() } as const;
    const written = [
      await store.finish('bld_1', { ...end, reason: 'cancelled' }),
      await store.finish('bld_1', { ...end, reason: 'step_failed' }),
      await store.finishUnbegun('bld_1', { ...end, reason: 'superseded' }),
    ];
    assert.deepEqual(written, [true, false, false]);
    const ended = samplesOf(await told(), 'fairlead_builds_ended_total');
    assert.deepEqual(
      ended.map(({ labels, value }) => [labels, value]),
      [[{ status: 'failed', reason: 'cancelled' }, 1]],
    );
  });

  it('times each attempt of a step that this process began, by how it ended', async () => {
    const { store, told } = await startStore();
    const begin = (attempt: number, at: number) =>
      store.markStep(
        'bld_1',
        SOURCE,
        { state: 'running', attempt, startedAt: start(at), finishedAt: null },
        { attempt },
      );
    await begin(1, 0);
    await store.markStep('bld_1', SOURCE, { finishedAt: start(3) }, { attempt: 1 });
    await begin(2, 10);
    await store.markStep('bld_1', SOURCE, { state: 'completed', finishedAt: start(11) }, { attempt: 2 });
    const late = await store.markStep('bld_1', SOURCE, { state: 'completed', finishedAt: start(50) }, { attempt: 1 });
    assert.equal(late, false, 'of an attempt that a later one followed');
    const families = await told();
    const sum = (outcome: string) =>
      sampleValue(families, 'fairlead_build_step_duration_seconds_sum', { step: 'source', outcome });
    assert.deepEqual([sum('failed'), sum('completed')], [3, 1]);
    assert.equal(samplesOf(families, 'fairlead_build_step_duration_seconds_count').length, 2);
  });
});

it('a metered store of backups counts those that ran and those that could not, and no change of what had ended', async () => {
  const registry = new Registry();
  const store = meterBackups(createInMemoryBackupStore(), registry);
  const id = (number: number) => `bak_${String(number).padStart(20, '0')}`;
  await store.insert(backupRecord({ id: id(1), status: 'running' }));
  await store.insert(backupRecord({ id: id(1), status: 'running' }));
  assert.equal(await store.change(id(1), 'running', { status: 'completed' }), true);
  assert.equal(await store.change(id(1), 'running', { status: 'failed' }), false);
  assert.equal(await store.change(id(1), 'completed', { status: 'pruned' }), true);
  await store.insert(backupRecord({ id: id(2), status: 'skipped' }));
  await store.insert(backupRecord({ id: id(2), status: 'skipped' }));
  const ended = samplesOf(parseExposition(await registry.metrics()), 'fairlead_backups_ended_total');
  assert.deepEqual(
    ended.map(({ labels, value }) => [labels.status, value]),
    [
      ['completed', 1],
      ['skipped', 1],
    ],
  );
});
