import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { PlatformBackupActivities } from '../../../activities/platform-backup/index.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createPlatformBackupCommands } from '../../../adapters/temporal/platform-backup-commands.ts';
import { addNights, nightOf } from '../../../domain/backups/night.ts';
import { FairleadError } from '../../../domain/errors.ts';
import {
  PLATFORM_BACKUP_ID,
  PLATFORM_BACKUP_WORKFLOWS,
  type PlatformBackupEnd,
  type PlatformBackupJob,
} from '../../../domain/platform-backup/messages.ts';
import { runningRecord } from '../../../domain/platform-backup/new-record.ts';
import { partName, platformParts } from '../../../domain/platform-backup/parts.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { createPlatformBackupParts, type PlatformBackupParts } from '../../support/in-memory/platform-backup-parts.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('backups of the platform', { timeout: 300_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let parts: PlatformBackupParts;
  before(async () => {
    env = await startTimeSkipping();
    parts = await createPlatformBackupParts();
    const names = Object.keys(parts.activities) as (keyof PlatformBackupActivities)[];
    const activities = Object.fromEntries(
      names.map((name) => [
        name,
        async (...inputs: never[]) => {
          parts.clock.now = new Date(await env.currentTimeMs());
          return await (parts.activities[name] as (...inputs: never[]) => Promise<unknown>)(...inputs);
        },
      ]),
    );
    worker = await startModuleWorker(env.nativeConnection, { module: 'platform-backup', activities });
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
  });
  beforeEach(async () => {
    parts = await createPlatformBackupParts();
    parts.clock.now = new Date(await env.currentTimeMs());
  });

  const job = (): PlatformBackupJob => ({
    ...{ id: newId('platformBackup'), kind: 'manual', tier: 'manual', night: null, requestedBy: 'usr_ada' },
    ...{ startedAt: parts.clock.now.toISOString(), requestId: 'req_1' },
  });
  const backUp = (one: PlatformBackupJob): Promise<PlatformBackupEnd> =>
    env.client.workflow.execute(PLATFORM_BACKUP_WORKFLOWS.backUpPlatform, {
      ...{ workflowId: PLATFORM_BACKUP_ID, taskQueue: TASK_QUEUE, args: [one], memo: { id: one.id } },
    });
  let nights = 0;
  const night = (): Promise<PlatformBackupEnd | null> =>
    env.client.workflow.execute(PLATFORM_BACKUP_WORKFLOWS.nightlyPlatformBackup, {
      ...{ workflowId: `platform-night-${nights++}`, taskQueue: TASK_QUEUE },
    });
  const told = () => parts.deps.audit.told().map(({ eventType }) => eventType);
  const alarm = () => [...parts.alarms.values()][0]?.text ?? '';

  it('stores every part in order, then the manifest, and completes the record', async () => {
    const order: string[] = [];
    for (const part of platformParts()) parts.faults.set(partName(part), async () => void order.push(partName(part)));
    const one = job();
    assert.deepEqual(await backUp(one), { status: 'completed', problem: null });
    assert.deepEqual(order, platformParts().map(partName));
    const record = await parts.deps.records.find(one.id);
    assert.deepEqual([record?.status, record?.requestedBy, record?.problem], ['completed', 'usr_ada', null]);
    assert.ok((record?.sizeBytes ?? 0) > 0);
    const keys = parts.store.keys();
    assert.equal(keys.length, platformParts().length + 1);
    assert.ok(keys.some((key) => key.endsWith(`${one.id}/manifest.json`)));
    assert.deepEqual(told(), ['platform.backup_completed']);
  });

  it('reads a part again whose database was away, and keeps no file of the attempt before', async () => {
    let attempts = 0;
    parts.faults.set('database/idp', async () => {
      attempts += 1;
      if (attempts < 3) throw new FairleadError('UNAVAILABLE', 'MongoDB does not answer', { retryable: true });
    });
    assert.equal((await backUp(job())).status, 'completed');
    assert.equal(attempts, 3);
    assert.equal(parts.store.keys().length, platformParts().length + 1);
  });

  it('deletes what killed attempts left before its first part, also where it fails itself', async () => {
    const { store, clock } = parts;
    const once = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
    };
    const complete = `daily/2026-05-02T02-15-00-000Z-${newId('platformBackup')}/`;
    const old = `daily/2026-05-03T02-15-00-000Z-${newId('platformBackup')}/`;
    for (const key of [`${complete}a.sealed`, `${complete}manifest.json`, `${old}a.sealed`])
      await store.put(key, once());
    store.leaveIncomplete(`${old}b.sealed`);
    const { timeoutMs } = parts.deps.settings;
    await env.sleep(2 * timeoutMs + 60_000);
    clock.now = new Date(await env.currentTimeMs());
    const young = `daily/2026-05-04T02-15-00-000Z-${newId('platformBackup')}/a.sealed`;
    await store.put(young, once());
    let found: readonly string[] = [];
    const [first] = platformParts();
    assert.ok(first);
    parts.faults.set(partName(first), async () => {
      found = [...store.keys(), ...store.incomplete()];
      throw new FairleadError('OBJECT_STORE_FULL', 'full');
    });
    assert.equal((await backUp(job())).status, 'failed');
    // Besides the file of the part that is stored beside it.
    const before = found.filter((key) => !key.startsWith('manual/'));
    assert.deepEqual([...before].sort(), [`${complete}a.sealed`, `${complete}manifest.json`, young]);
  });

  it('fails where a part is refused, says why, and leaves no file at the place', async () => {
    parts.faults.set('database/audit-ledger', () => Promise.reject(new FairleadError('DUMP_FAILED', 'no such thing')));
    const one = job();
    assert.deepEqual(await backUp(one), {
      status: 'failed',
      problem: { code: 'DUMP_FAILED', message: 'no such thing' },
    });
    const record = await parts.deps.records.find(one.id);
    assert.deepEqual([record?.status, record?.problem?.code, record?.sizeBytes], ['failed', 'DUMP_FAILED', null]);
    assert.deepEqual(parts.store.keys(), []);
    assert.deepEqual(told(), ['platform.backup_failed']);
  });

  it('is refused without a recovery key, without a place, and with keys that are not those of now', async () => {
    for (const [change, message] of [
      [{ recovery: null }, /npm run recovery-key -- --out <file>/],
      [{ place: null }, /set PLATFORM_BACKUP_DIR, or BACKUP_MIRROR_URL/],
      [{ heldKeys: [{ name: 'CONFIG_ENCRYPTION_KEY', fingerprint: '0'.repeat(16) }] }, /CONFIG_ENCRYPTION_KEY/],
    ] as const) {
      parts = await createPlatformBackupParts();
      Object.assign(parts.deps, change);
      const { status, problem } = await backUp(job());
      assert.deepEqual([status, problem?.code], ['failed', 'BACKUPS_NOT_CONFIGURED']);
      assert.match(problem?.message ?? '', message);
    }
  });

  it('is cancelled while it reads, by its id alone, and is on record as failed', async () => {
    const commands = createPlatformBackupCommands(env.client);
    parts.faults.set(
      'database/builder',
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const one = job();
    await commands.backUp(one);
    await commands.backUp(one);
    await assert.rejects(commands.backUp(job()), { code: 'BACKUP_IN_PROGRESS', details: { id: one.id } });
    await waitUntil('the backup to read', async () => (await parts.deps.records.find(one.id)) !== null);
    assert.equal(await commands.cancel('pbk_other'), false);
    assert.equal(await commands.cancel(one.id), true);
    await assert.rejects(env.client.workflow.getHandle(PLATFORM_BACKUP_ID).result());
    const record = await parts.deps.records.find(one.id);
    assert.deepEqual([record?.status, record?.problem?.code], ['failed', 'CANCELLED']);
    assert.equal(await commands.cancel(one.id), false);
    assert.deepEqual(parts.store.keys(), []);
  });

  it('ends the records of backups that no workflow makes any more', async () => {
    const lost = runningRecord(job());
    await parts.deps.records.insert(lost);
    await backUp(job());
    assert.equal((await parts.deps.records.find(lost.id))?.problem?.code, 'BACKUP_ABANDONED');
  });

  it('applies retention after each, and what it cannot delete fails no backup', async () => {
    Object.assign(parts.deps.settings, { retention: { daily: 1, weekly: 1, monthly: 1 } });
    const daily = (): PlatformBackupJob => ({ ...job(), tier: 'daily', kind: 'nightly' });
    const [first, second] = [daily(), { ...daily(), startedAt: new Date(parts.clock.now.getTime() + 1).toISOString() }];
    await backUp(first);
    await backUp(second);
    assert.equal(
      parts.store.keys().some((key) => key.includes(first.id)),
      false,
    );
    assert.ok(parts.store.keys().some((key) => key.endsWith(`${second.id}/manifest.json`)));
    Object.assign(parts.deps, {
      place: { ...parts.store, abortIncomplete: () => Promise.reject(new FairleadError('OBJECT_STORE_REFUSED', 'no')) },
    });
    assert.equal((await backUp(daily())).status, 'completed');
  });

  it('nobody asked for them: a night without a recovery key does and tells nothing', async () => {
    Object.assign(parts.deps, { recovery: null });
    assert.equal(await night(), null);
    Object.assign(parts.deps.settings, { isEnabled: false });
    assert.equal(await night(), null);
    assert.equal(parts.alarms.size, 0);
  });

  it('a night backs up under its tier, and tells nothing when it went well', async () => {
    assert.deepEqual(await night(), { status: 'completed', problem: null });
    const [record] = (await parts.deps.records.list({ cursor: null, limit: 5 })).items;
    assert.deepEqual(
      [record?.kind, record?.requestedBy, record?.night],
      ['nightly', 'schedule', nightOf(await env.currentTimeMs())],
    );
    assert.equal(parts.alarms.size, 0);
  });

  it('a night that fails, cannot begin, or comes after nights that were missed, raises one alarm', async () => {
    const today = nightOf(await env.currentTimeMs());
    const last = { ...runningRecord(job()), status: 'completed', night: addNights(today, -3) } as const;
    await parts.deps.records.insert(last);
    parts.faults.set('database/idp', () => Promise.reject(new FairleadError('DUMP_FAILED', 'mongo said no')));
    assert.equal((await night())?.status, 'failed');
    assert.match(alarm(), new RegExp(`${addNights(today, -2)}[^]*${addNights(today, -1)}[^]*failed: mongo said no`));
    assert.equal(parts.alarms.size, 1);
    parts = await createPlatformBackupParts();
    Object.assign(parts.deps, { place: null });
    assert.equal(await night(), null);
    assert.match(alarm(), /set PLATFORM_BACKUP_DIR/);
  });

  it('a night whose alarm nobody takes keeps its result', async () => {
    Object.assign(parts.deps, {
      raiseAlarm: () => Promise.reject(new FairleadError('UNAVAILABLE', 'refused (535)')),
      place: null,
    });
    assert.equal(await night(), null);
  });
});
