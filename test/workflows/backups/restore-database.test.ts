import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { RestoreJob } from '../../../domain/backups/messages.ts';
import { scratchName } from '../../../domain/backups/restore.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { BackupsParts } from '../../support/in-memory/backups-parts.ts';
import { SLOTS, startBackups, type TestBackups } from './harness.ts';

const OLD = { orders: ['1', '2'], people: ['a'] };
const CHANGED = { orders: ['9'] };

describe('the restore of a database', { timeout: 240_000 }, () => {
  let temporal: TestBackups;
  let parts: BackupsParts;
  before(async () => {
    temporal = await startBackups();
  });
  after(() => temporal.stop());
  beforeEach(async () => {
    parts = await temporal.reset();
  });

  const databases = () => parts.deps.tools.postgres.databases;
  const scratches = () => [...databases().keys()].filter((name) => name.startsWith('fairlead_'));

  /** A backup of what the database had; meanwhile it has something else. */
  async function backedUp(): Promise<string> {
    const job = parts.job();
    await temporal.commands.backUp(job);
    await temporal.ended(job);
    databases().set('shop_prod', CHANGED);
    return job.id;
  }

  async function restore(job: RestoreJob) {
    await temporal.commands.restore(job);
    await temporal.ended(job);
    return await parts.deps.restores.find(job.id);
  }

  const inPlace = (backupId: string) => parts.restoreJob(backupId, { mode: 'in-place', safetyBackupId: 'bak_safety' });

  it('puts a new database with the counts of the dump in the place of the old one, which is kept', async () => {
    const restored = await restore(parts.restoreJob(await backedUp()));
    assert.deepEqual([restored?.status, restored?.phase, restored?.problem], ['completed', 'done', null]);
    assert.deepEqual(databases().get('shop_prod'), OLD);
    assert.deepEqual(scratches(), [restored?.keptDatabase]);
    assert.deepEqual(databases().get(restored?.keptDatabase ?? ''), CHANGED);
    const events = parts.deps.audit.told().map(({ eventType }) => eventType);
    assert.deepEqual(events, ['backup.completed', 'backup.restore_started', 'backup.restored']);
  });

  it('in place keeps a backup of what it overwrites', async () => {
    const restored = await restore(inPlace(await backedUp()));
    assert.equal(restored?.status, 'completed');
    assert.deepEqual(databases().get('shop_prod'), OLD);
    const safety = await parts.deps.backups.find('bak_safety');
    assert.deepEqual([safety?.status, safety?.kind, safety?.tier], ['completed', 'safety', 'manual']);
    await restore(parts.restoreJob('bak_safety'));
    assert.deepEqual(databases().get('shop_prod'), CHANGED);
  });

  it('in place touches nothing when that backup fails', async () => {
    const id = await backedUp();
    parts.deps.tools.postgres.faults.set('shop_prod', async () => {
      throw new FairleadError('DUMP_FAILED', 'pg_dump: error: out of memory');
    });
    const restored = await restore(inPlace(id));
    assert.equal(restored?.status, 'failed');
    assert.match(
      restored?.problem?.message ?? '',
      /not touched, because it could not be backed up before: .*out of memory/,
    );
    assert.deepEqual(databases().get('shop_prod'), CHANGED);
  });

  it('that comes to no end keeps no night from its backups, however many there are', async () => {
    const { postgres } = parts.deps.tools;
    const { id: serviceId, org } = parts.service;
    const hung = Promise.withResolvers<void>();
    const [begun, running] = [new Set<string>(), Promise.withResolvers<void>()];
    const jobs: RestoreJob[] = [];
    // As many as people may have at once.
    for (let index = 0; index < SLOTS; index += 1) {
      const of = { service: `slow-${index}`, environment: 'prod', databaseName: `slow-${index}_prod` } as const;
      parts.add('postgres', of.databaseName, OLD, { ...of, serviceId, org });
      const job = parts.job(of);
      await temporal.commands.backUp(job);
      await temporal.ended(job);
      postgres.faults.set(of.databaseName, () => {
        if (begun.add(of.databaseName).size === SLOTS) running.resolve();
        return hung.promise;
      });
      jobs.push(parts.restoreJob(job.id, of));
    }
    for (const job of jobs) await temporal.commands.restore(job);
    await running.promise;
    const nightly = parts.job({ kind: 'nightly', tier: 'daily', night: '2026-05-04' });
    await temporal.commands.backUp(nightly);
    const ended = await Promise.race([temporal.ended(nightly), delay(20_000, 'waits', { ref: false })]);
    hung.resolve();
    assert.deepEqual(ended, { status: 'completed', problem: null });
    for (const job of jobs) await temporal.ended(job);
  });

  for (const mode of ['swap', 'in-place'] as const) {
    it(`by ${mode} of an archive that was changed or cut off leaves the database as it is`, async () => {
      const id = await backedUp();
      const key = (await parts.deps.backups.find(id))?.objectKey ?? '';
      parts.deps.archives.damage(key, Buffer.from(JSON.stringify({ shop_prod: { orders: [] } })));
      const restored = await restore(mode === 'swap' ? parts.restoreJob(id) : inPlace(id));
      assert.deepEqual([restored?.status, restored?.problem?.code], ['failed', 'NOT_RESTORABLE']);
      assert.deepEqual(databases().get('shop_prod'), CHANGED);
      assert.deepEqual(scratches(), []);
    });
  }

  it('whose counts are not those of the dump swaps nothing', async () => {
    const id = await backedUp();
    const { postgres } = parts.deps.tools;
    const { figures } = postgres;
    Object.assign(postgres, { figures: async () => ({ orders: 1, people: 1 }) });
    const restored = await restore(parts.restoreJob(id));
    Object.assign(postgres, { figures });
    assert.equal(restored?.status, 'failed');
    assert.match(restored?.problem?.message ?? '', /orders has 1 instead of 2. The database is as it was before/);
    assert.deepEqual([databases().get('shop_prod'), scratches()], [CHANGED, []]);
  });

  it('that is cancelled drops what it had made', async () => {
    const id = await backedUp();
    const begun = Promise.withResolvers<void>();
    parts.deps.tools.postgres.faults.set('shop_prod', () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const job = parts.restoreJob(id);
    await temporal.commands.restore(job);
    await begun.promise;
    const details = { restoreId: job.id, startedAt: job.startedAt };
    await assert.rejects(temporal.commands.backUp(parts.job()), { code: 'RESTORE_IN_PROGRESS', details });
    assert.equal(await temporal.commands.cancel(job, job.id), true);
    await assert.rejects(temporal.ended(job));
    const restored = await parts.deps.restores.find(job.id);
    assert.deepEqual([restored?.status, restored?.problem?.code], ['failed', 'CANCELLED']);
    assert.deepEqual([databases().get('shop_prod'), scratches()], [CHANGED, []]);
  });

  it('whose worker dies after the swap does not swap back', async () => {
    const id = await backedUp();
    let deaths = 1;
    const { change } = parts.deps.restores;
    Object.assign(parts.deps.restores, {
      change: async (...args: Parameters<typeof change>) => {
        if ('keptBytes' in args[1] && deaths-- > 0) {
          throw new FairleadError('UNAVAILABLE', 'the connection is gone', { retryable: true });
        }
        return await change(...args);
      },
    });
    const restored = await restore(parts.restoreJob(id));
    assert.equal(restored?.status, 'completed');
    assert.deepEqual(databases().get('shop_prod'), OLD);
    assert.deepEqual(databases().get(restored?.keptDatabase ?? ''), CHANGED);
  });

  it('by which another one was broken off ends that first: it is failed, and what is live is of the later one', async () => {
    const id = await backedUp();
    const broken = parts.restoreJob(id);
    await parts.activities.openRestore(broken);
    databases().set(scratchName('restore', broken.id), { orders: ['of the broken one'] });
    await parts.deps.restores.change(broken.id, { phase: 'swapping' });
    const restored = await restore(parts.restoreJob(id));
    assert.equal(restored?.status, 'completed');
    const ended = await parts.deps.restores.find(broken.id);
    assert.deepEqual([ended?.status, ended?.problem?.code], ['failed', 'RESTORE_ABANDONED']);
    assert.deepEqual([databases().get('shop_prod'), scratches()], [OLD, [restored?.keptDatabase]]);
  });

  it('that was broken off is ended before a backup of its database as well', async () => {
    const id = await backedUp();
    const broken = parts.restoreJob(id);
    await parts.activities.openRestore(broken);
    const job = parts.job();
    await temporal.commands.backUp(job);
    await temporal.ended(job);
    assert.equal((await parts.deps.backups.find(job.id))?.status, 'completed');
    assert.equal((await parts.deps.restores.find(broken.id))?.status, 'failed');
  });

  it('whose swap was done, and whose worker then said otherwise, is completed', async () => {
    const id = await backedUp();
    const { postgres } = parts.deps.tools;
    const { swap } = postgres;
    Object.assign(postgres, {
      swap: async (...given: Parameters<typeof swap>) => {
        await swap(...given);
        throw new FairleadError('RESTORE_FAILED', 'the connection is gone');
      },
    });
    const job = parts.restoreJob(id);
    await temporal.commands.restore(job);
    assert.deepEqual(await temporal.ended(job), { status: 'completed', problem: null });
    assert.equal((await parts.deps.restores.find(job.id))?.status, 'completed');
    assert.deepEqual(databases().get('shop_prod'), OLD);
  });

  const FOREIGN: readonly [what: string, fields: Partial<RestoreJob>, code?: string][] = [
    ['the same database by another org', { org: 'rival' }, 'DATABASE_NOT_FOUND'],
    ['another service of the same name', { serviceId: 'svc_later' }],
    ['another service', { service: 'blog' }],
    ['another environment', { environment: 'uat' }],
    ['another engine', { engine: 'mongodb' }],
    ['another database', { databaseName: 'blog_prod' }],
  ];

  for (const [what, fields, code = 'NOT_RESTORABLE'] of FOREIGN) {
    it(`aimed at ${what} is refused, also past the API`, async () => {
      const id = await backedUp();
      databases().set('blog_prod', CHANGED);
      const restored = await restore(parts.restoreJob(id, fields));
      assert.deepEqual([restored?.status, restored?.problem?.code], ['failed', code]);
      for (const name of ['shop_prod', 'blog_prod']) assert.deepEqual(databases().get(name), CHANGED);
      assert.deepEqual(parts.deps.tools.mongodb.databases.get('shop_prod'), OLD);
    });
  }

  it('of a backup that is not completed is refused', async () => {
    await backedUp();
    const failing = parts.job();
    parts.deps.tools.postgres.faults.set('shop_prod', async () => {
      throw new FairleadError('DUMP_FAILED', 'broken off');
    });
    await temporal.commands.backUp(failing);
    await temporal.ended(failing);
    const restored = await restore(parts.restoreJob(failing.id));
    assert.deepEqual([restored?.status, restored?.problem?.code], ['failed', 'NOT_RESTORABLE']);
  });
});
