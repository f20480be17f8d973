import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { closeAbandoned } from '../../../activities/backups/close-abandoned.ts';
import { dumpDatabase, failBackup, openBackup } from '../../../activities/backups/make-backup.ts';
import { mirrorArchives } from '../../../activities/backups/mirror-archives.ts';
import {
  openRestore,
  restoreInPlace,
  restoreScratch,
  swapDatabases,
} from '../../../activities/backups/restore-database.ts';
import { runningRestore } from '../../../domain/backups/new-record.ts';
import { objectStoreUnreachable } from '../../../domain/objects/object-errors.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

for (const [engine, message] of [
  ['mongodb', /Set DB_MONGODB_ADMIN_URI/],
  ['postgres', /Set DB_POSTGRES_ADMIN_URI/],
] as const) {
  it(`a worker without a tool for ${engine} says what is missing, and uploads nothing`, async () => {
    const { deps, job } = await createBackupsParts();
    const backup = job({ engine });
    const without = { ...deps, tools: {} };
    await openBackup(without, backup);
    const dumping = dumpDatabase(without, backup, AbortSignal.timeout(10_000));
    await assert.rejects(dumping, { code: 'BACKUPS_NOT_CONFIGURED', message });
    assert.deepEqual([deps.archives.keys(), deps.archives.incomplete()], [[], []]);
  });
}

it('a dump that ends after its backup was given up deletes the archive that it uploaded', async () => {
  const { deps, job } = await createBackupsParts();
  const backup = job();
  await openBackup(deps, backup);
  const problem = { code: 'STEP_DEADLINE_EXCEEDED', message: 'too long' };
  deps.tools.postgres.faults.set(backup.databaseName, async () => {
    await deps.backups.change(backup.id, 'running', { status: 'failed', problem });
  });
  await assert.rejects(dumpDatabase(deps, backup, AbortSignal.timeout(10_000)), { code: 'CONFLICT' });
  assert.deepEqual(deps.archives.keys(), []);
  assert.equal((await deps.backups.find(backup.id))?.status, 'failed');
});

const LATER = {
  service: 'shop',
  environment: 'prod',
  serviceId: 'svc_later',
  org: 'rivals',
  earlierServiceIds: [],
} as const;
for (const [what, owner] of [
  ['another service', LATER],
  ['no service', null],
] as const) {
  it(`a database that belongs to ${what} by now is neither dumped nor written over by jobs of its earlier one`, async () => {
    const { deps, job, restoreJob, listed } = await createBackupsParts();
    const [made, waiting] = [job(), job()];
    for (const one of [made, waiting]) await openBackup(deps, one);
    await dumpDatabase(deps, made, AbortSignal.timeout(10_000));
    const keys = deps.archives.keys();
    const restore = restoreJob(made.id, { mode: 'in-place' });
    listed.postgres.splice(0, 1, { databaseName: 'shop_prod', owner });
    const content = structuredClone(deps.tools.postgres.databases.get('shop_prod'));
    await assert.rejects(dumpDatabase(deps, waiting, AbortSignal.timeout(10_000)), { code: 'DATABASE_NOT_FOUND' });
    for (const write of [openRestore, restoreScratch, swapDatabases, restoreInPlace]) {
      await assert.rejects(write(deps, restore, AbortSignal.timeout(10_000)), { code: 'DATABASE_NOT_FOUND' });
    }
    assert.deepEqual(deps.archives.keys(), keys);
    assert.deepEqual(deps.tools.postgres.databases.get('shop_prod'), content);
  });
}

for (const [what, earlierServiceIds] of [
  ['the service that has its database back restores a backup of the removed one', ['svc_before', 'svc_shop']],
  ['a service of another history restores no backup of an earlier one', ['svc_before']],
] as const) {
  it(what, async () => {
    const { deps, job, restoreJob, listed } = await createBackupsParts();
    const made = job();
    await openBackup(deps, made);
    await dumpDatabase(deps, made, AbortSignal.timeout(10_000));
    const owner = { ...LATER, org: 'acme', earlierServiceIds };
    listed.postgres.splice(0, 1, { databaseName: 'shop_prod', owner });
    deps.tools.postgres.databases.set('shop_prod', { orders: [] });
    const restore = restoreJob(made.id, { serviceId: LATER.serviceId, mode: 'in-place' });
    await deps.restores.insert(runningRestore(restore));
    const restoring = restoreInPlace(deps, restore, AbortSignal.timeout(10_000));
    const mayRestore = (earlierServiceIds as readonly string[]).includes('svc_shop');
    if (mayRestore) await restoring;
    else await assert.rejects(restoring, { code: 'NOT_RESTORABLE' });
    const rows = mayRestore ? ['1', '2'] : [];
    assert.deepEqual(deps.tools.postgres.databases.get('shop_prod')?.orders, rows);
  });
}

it('a dump during which its database went to another service is no backup, and leaves no archive', async () => {
  const { deps, job, listed } = await createBackupsParts();
  const backup = job();
  await openBackup(deps, backup);
  deps.tools.postgres.faults.set(backup.databaseName, async () => {
    listed.postgres.splice(0, 1, { databaseName: 'shop_prod', owner: LATER });
  });
  await assert.rejects(dumpDatabase(deps, backup, AbortSignal.timeout(10_000)), { code: 'DATABASE_NOT_FOUND' });
  assert.equal((await deps.backups.find(backup.id))?.status, 'running');
  await failBackup(deps, { job: backup, problem: { code: 'DATABASE_NOT_FOUND', message: 'gone' } });
  assert.deepEqual(deps.archives.keys(), []);
});

for (const first of ['the earlier', 'the later'] as const) {
  it(`of two attempts at once, ${first} completes the backup, and the other takes nothing from it`, async () => {
    const { deps, job, clock, restoreJob } = await createBackupsParts();
    const backup = job();
    await openBackup(deps, backup);
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const attempts = gates.map((gate) => {
      const begun = Promise.withResolvers<void>();
      const dumping = deps.tools.postgres;
      const tool: typeof dumping = {
        ...dumping,
        dump: (name, store, options) =>
          dumping.dump(name, (archive) => store(after(archive, begun.resolve, gate.promise)), options),
      };
      const ended = dumpDatabase({ ...deps, tools: { postgres: tool } }, backup, AbortSignal.timeout(10_000));
      return { begun: begun.promise, ended };
    });
    await Promise.all(attempts.map(({ begun }) => begun));
    clock.now = new Date(clock.now.getTime() + 60_000);
    const order = first === 'the earlier' ? [0, 1] : [1, 0];
    for (const index of order) {
      gates[index]?.resolve();
      await attempts[index]?.ended;
    }
    const record = await deps.backups.find(backup.id);
    assert.equal(record?.status, 'completed');
    assert.equal(record.uploads.length, 2);
    assert.equal(record.objectKey, record.uploads[order[0] ?? -1]);
    assert.deepEqual(deps.archives.keys(), [record.objectKey]);
    assert.equal(deps.audit.told().filter(({ eventType }) => eventType === 'backup.completed').length, 1);
    const restore = restoreJob(backup.id, { mode: 'in-place' });
    await deps.restores.insert(runningRestore(restore));
    await restoreInPlace(deps, restore, AbortSignal.timeout(10_000));
  });
}

/** An archive whose reading waits. */
async function* after(archive: AsyncIterable<Uint8Array>, begun: () => void, gate: Promise<void>) {
  begun();
  await gate;
  yield* archive;
}

it('a failed backup loses what each of its attempts uploaded', async () => {
  const { deps, job } = await createBackupsParts();
  const backup = job();
  await openBackup(deps, backup);
  for (const key of ['one', 'two']) {
    await deps.backups.noteUpload(backup.id, key);
    await deps.archives.put(
      key,
      after(Readable.from([Buffer.from(key)]), () => undefined, Promise.resolve()),
    );
  }
  await deps.archives.put('another', Readable.from([Buffer.from('x')]));
  await failBackup(deps, { job: backup, problem: { code: 'DUMP_FAILED', message: 'no' } });
  assert.deepEqual(deps.archives.keys(), ['another']);
});

it('the ledger is told of a backup whose worker was killed between the record and the ledger', async () => {
  const { deps, job } = await createBackupsParts();
  const backup = job();
  await openBackup(deps, backup);
  const killed = { record: () => Promise.reject(new Error('killed')) };
  await assert.rejects(dumpDatabase({ ...deps, audit: killed }, backup, AbortSignal.timeout(10_000)), /killed/);
  assert.equal((await deps.backups.find(backup.id))?.status, 'completed');
  const told = () => deps.audit.told().map(({ eventType }) => eventType);
  // The last attempt may have been the one that was killed.
  await failBackup(deps, { job: backup, problem: { code: 'INTERNAL', message: 'no' } });
  assert.deepEqual(told(), ['backup.completed']);
  await dumpDatabase(deps, backup, AbortSignal.timeout(10_000));
  assert.deepEqual(told(), ['backup.completed']);
});

for (const isAway of [false, true]) {
  const what = isAway ? 'once the object store is back' : 'at once';
  it(`an abandoned backup loses what it uploaded ${what}`, async () => {
    const { deps, job, clock } = await createBackupsParts();
    const lost = job();
    await openBackup(deps, lost);
    await deps.backups.noteUpload(lost.id, 'left');
    await deps.archives.put('left', Readable.from([Buffer.from('x')]));
    const remove = async () => {
      throw objectStoreUnreachable('is away');
    };
    const archives = isAway ? { ...deps.archives, delete: remove } : deps.archives;
    await closeAbandoned({ ...deps, archives }, AbortSignal.timeout(10_000));
    assert.equal((await deps.backups.find(lost.id))?.problem?.code, 'BACKUP_ABANDONED');
    assert.deepEqual(deps.archives.keys(), isAway ? ['left'] : []);
    clock.now = new Date(clock.now.getTime() + 2 * deps.settings.dumpTimeoutMs + 1);
    await mirrorArchives(deps, AbortSignal.timeout(10_000));
    assert.deepEqual(deps.archives.keys(), []);
  });
}

it('what a killed attempt uploaded is removed, and the archive that counts stays', async () => {
  const { deps, job, clock } = await createBackupsParts();
  const backup = job();
  await openBackup(deps, backup);
  await deps.backups.noteUpload(backup.id, 'killed');
  await dumpDatabase(deps, backup, AbortSignal.timeout(10_000));
  const key = (await deps.backups.find(backup.id))?.objectKey ?? '';
  // It was still at work when the other one completed.
  await deps.archives.put('killed', Readable.from([Buffer.from('x')]));
  await mirrorArchives({ ...deps, mirror: null }, AbortSignal.timeout(10_000));
  assert.deepEqual(deps.archives.keys(), ['killed', key].sort());
  clock.now = new Date(clock.now.getTime() + 2 * deps.settings.dumpTimeoutMs + 1);
  await mirrorArchives({ ...deps, mirror: null }, AbortSignal.timeout(10_000));
  assert.deepEqual(deps.archives.keys(), [key]);
});

it('a backup fails at once while the object store is away, and loses what it uploaded when that is back', async () => {
  const { deps, job, clock } = await createBackupsParts();
  const backup = job();
  await openBackup(deps, backup);
  await deps.backups.noteUpload(backup.id, 'left');
  await deps.archives.put('left', Readable.from([Buffer.from('x')]));
  const remove = async () => {
    throw objectStoreUnreachable('is away');
  };
  const problem = { code: 'OBJECT_STORE_UNREACHABLE', message: 'is away' } as const;
  await failBackup({ ...deps, archives: { ...deps.archives, delete: remove } }, { job: backup, problem });
  assert.equal((await deps.backups.find(backup.id))?.status, 'failed');
  assert.deepEqual(
    deps.audit.told().map(({ eventType }) => eventType),
    ['backup.failed'],
  );
  clock.now = new Date(clock.now.getTime() + 2 * deps.settings.dumpTimeoutMs + 1);
  await mirrorArchives({ ...deps, mirror: null }, AbortSignal.timeout(10_000));
  assert.deepEqual(deps.archives.keys(), []);
});
