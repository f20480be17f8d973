import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import type { BackupsParts } from '../../support/in-memory/backups-parts.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startBackups, type TestBackups } from './harness.ts';

describe('the backup of a database', { timeout: 240_000 }, () => {
  let temporal: TestBackups;
  let parts: BackupsParts;
  before(async () => {
    temporal = await startBackups();
  });
  after(() => temporal.stop());
  beforeEach(async () => {
    parts = await temporal.reset();
  });

  const recordOf = (id: string) => parts.deps.backups.find(id);

  it('is completed when the bucket has the archive that its record describes', async () => {
    const job = parts.job();
    await temporal.commands.backUp(job);
    assert.deepEqual(await temporal.ended(job), { status: 'completed', problem: null });
    const backup = await recordOf(job.id);
    assert.equal(backup?.status, 'completed');
    assert.deepEqual(backup.figures, { orders: 2, people: 1 });
    assert.match(backup.objectKey ?? '', /^prod\/shop\/manual\/shop_prod-.*\.pgdump$/);
    assert.deepEqual(parts.deps.archives.keys(), [backup.objectKey]);
    const stored = await parts.deps.archives.head(backup.objectKey ?? '');
    assert.equal(stored?.bytes, backup.sizeBytes);
    assert.deepEqual(
      parts.deps.audit.told().map(({ eventType }) => eventType),
      ['backup.completed'],
    );
  });

  it('is one at a time, and says which one runs; the other engine is another database', async () => {
    const held = Promise.withResolvers<void>();
    parts.deps.tools.postgres.faults.set('shop_prod', () => held.promise);
    const [first, second] = [parts.job(), parts.job()];
    await temporal.commands.backUp(first);
    // The answer to the first request may be lost: asked again, it is the same backup.
    await temporal.commands.backUp(first);
    const details = { backupId: first.id, startedAt: first.startedAt };
    await assert.rejects(temporal.commands.backUp(second), { code: 'BACKUP_IN_PROGRESS', details });
    const restore = parts.restoreJob('bak_any');
    await assert.rejects(temporal.commands.restore(restore), { code: 'BACKUP_IN_PROGRESS', details });
    const mongo = parts.job({ engine: 'mongodb' });
    await temporal.commands.backUp(mongo);
    await temporal.ended(mongo);
    assert.equal(await temporal.commands.isUnderWay(first, first.id), true);
    assert.equal(await temporal.commands.isUnderWay(first, second.id), false);
    held.resolve();
    await temporal.ended(first);
    assert.equal((await recordOf(first.id))?.status, 'completed');
    assert.equal(await recordOf(second.id), null);
    assert.equal(await temporal.commands.isUnderWay(first, first.id), false);
  });

  const FAULTS: readonly [what: string, fault: () => Promise<never>, code: string][] = [
    [
      'the tool ends with an error',
      async () => {
        throw new FairleadError('DUMP_FAILED', 'pg_dump: error: connection to server was lost');
      },
      'DUMP_FAILED',
    ],
    [
      'the bucket is full',
      async () => {
        throw new FairleadError('OBJECT_STORE_FULL', 'The object store has no space left');
      },
      'OBJECT_STORE_FULL',
    ],
    [
      'the bucket stays away',
      async () => {
        throw new FairleadError('OBJECT_STORE_UNREACHABLE', 'The object store does not answer', { retryable: true });
      },
      'OBJECT_STORE_UNREACHABLE',
    ],
  ];

  for (const [what, fault, code] of FAULTS) {
    it(`is failed when ${what}, says why, and leaves nothing in the bucket`, async () => {
      parts.deps.tools.postgres.faults.set('shop_prod', fault);
      const job = parts.job();
      await temporal.commands.backUp(job);
      await temporal.ended(job);
      const backup = await recordOf(job.id);
      assert.deepEqual([backup?.status, backup?.problem?.code, backup?.objectKey], ['failed', code, null]);
      assert.ok(backup?.finishedAt);
      assert.deepEqual([parts.deps.archives.keys(), parts.deps.archives.incomplete()], [[], []]);
      assert.deepEqual(
        parts.deps.audit.told().map(({ eventType }) => eventType),
        ['backup.failed'],
      );
    });
  }

  it('goes on when the bucket was away for a moment', async () => {
    let faults = 1;
    parts.deps.tools.postgres.faults.set('shop_prod', async () => {
      if (faults-- > 0) throw new FairleadError('OBJECT_STORE_UNREACHABLE', 'away', { retryable: true });
    });
    const job = parts.job();
    await temporal.commands.backUp(job);
    await temporal.ended(job);
    assert.equal((await recordOf(job.id))?.status, 'completed');
  });

  it('is failed when the bucket lost a part of what it said it had taken', async () => {
    const { archives } = parts.deps;
    const put = archives.put.bind(archives);
    Object.assign(archives, {
      put: async (...args: Parameters<typeof put>) => {
        const stored = await put(...args);
        archives.damage(args[0], Buffer.from('half'));
        return stored;
      },
    });
    const job = parts.job();
    await temporal.commands.backUp(job);
    await temporal.ended(job);
    const backup = await recordOf(job.id);
    assert.deepEqual([backup?.status, backup?.problem?.code], ['failed', 'DUMP_FAILED']);
    assert.match(backup?.problem?.message ?? '', /instead of the \d+ bytes that were uploaded/);
    assert.deepEqual(archives.keys(), []);
  });

  const proofOf = async (id: string) => {
    const { verification } = (await recordOf(id)) ?? {};
    return verification == null ? verification : (verification.problem?.code ?? 'proven');
  };

  it('is proven by a restore at once where its database is dropped by it, and no other is', async () => {
    const [final, manual] = [parts.job({ kind: 'final' }), parts.job()];
    for (const job of [final, manual]) {
      await temporal.commands.backUp(job);
      assert.deepEqual(await temporal.ended(job), { status: 'completed', problem: null });
    }
    assert.deepEqual([await proofOf(final.id), await proofOf(manual.id)], ['proven', null]);
  });

  it('that cannot be restored says so, and one that nobody could restore says nothing', async () => {
    const { archives } = parts.deps;
    temporal.current.before.verifyBackup = () => {
      for (const key of archives.keys()) archives.damage(key, Buffer.from('half'));
    };
    const damaged = parts.job({ kind: 'final' });
    await temporal.commands.backUp(damaged);
    await temporal.ended(damaged);
    assert.equal(await proofOf(damaged.id), 'NOT_RESTORABLE');
    temporal.current.before.verifyBackup = () => {
      throw new FairleadError('UNAVAILABLE', 'postgres does not answer', { retryable: true });
    };
    const untried = parts.job({ kind: 'final' });
    await temporal.commands.backUp(untried);
    assert.deepEqual(await temporal.ended(untried), { status: 'completed', problem: null });
    assert.equal(await proofOf(untried.id), null);
    // Asked again, the backup is there, and is proven.
    temporal.current.before = {};
    await temporal.commands.backUp(untried);
    await temporal.ended(untried);
    assert.equal(await proofOf(untried.id), 'proven');
    assert.equal(archives.keys().length, 2);
  });

  it('that is cancelled ends the dump, and is failed with nothing left in the bucket', async () => {
    const begun = Promise.withResolvers<void>();
    parts.deps.tools.postgres.faults.set('shop_prod', () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const job = parts.job();
    await temporal.commands.backUp(job);
    await begun.promise;
    assert.equal(await temporal.commands.cancel(job, 'bak_other'), false);
    assert.equal(await temporal.commands.cancel(job, job.id), true);
    await assert.rejects(temporal.ended(job));
    const backup = await recordOf(job.id);
    assert.deepEqual([backup?.status, backup?.problem?.code], ['failed', 'CANCELLED']);
    assert.deepEqual([parts.deps.archives.keys(), parts.deps.archives.incomplete()], [[], []]);
    assert.equal(await temporal.commands.cancel(job, job.id), false);
  });

  it('that takes longer than BACKUP_DUMP_TIMEOUT_MS is failed', async () => {
    parts.deps.settings.dumpTimeoutMs = 1_500;
    parts.deps.tools.postgres.faults.set('shop_prod', () => new Promise(() => undefined));
    const job = parts.job();
    await temporal.commands.backUp(job);
    await temporal.ended(job);
    const backup = await recordOf(job.id);
    assert.deepEqual([backup?.status, backup?.problem?.code], ['failed', 'STEP_DEADLINE_EXCEEDED']);
    assert.match(backup?.problem?.message ?? '', /BACKUP_DUMP_TIMEOUT_MS/);
    await waitUntil('the upload to be aborted', () => parts.deps.archives.incomplete().length === 0);
    assert.deepEqual(parts.deps.archives.keys(), []);
  });
});
