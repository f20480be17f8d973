import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { BackupsActivityDeps } from '../../../activities/backups/deps.ts';
import { dumpDatabase, failBackup, openBackup } from '../../../activities/backups/make-backup.ts';
import { proofScratches } from '../../../activities/backups/proof-scratches.ts';
import {
  endRestore,
  openRestore,
  restoreInPlace,
  restoreScratch,
  swapDatabases,
} from '../../../activities/backups/restore-database.ts';
import { verifyBackup } from '../../../activities/backups/verify-backup.ts';
import { createS3ObjectStore } from '../../../adapters/s3/object-store.ts';
import type { ObjectStore } from '../../../domain/objects/ports.ts';
import { type BackupsParts, createBackupsParts } from '../../support/in-memory/backups-parts.ts';
import { startS3, type TestS3 } from '../../support/start-s3.ts';
import { type ServiceMongo, startServiceMongo } from '../../support/start-service-mongo.ts';

const THINGS = 2_000;
const patience = () => AbortSignal.timeout(120_000);

/** The real tools and a real object store; the records are in memory. */
describe('a MongoDB database goes into the object store and comes back', { timeout: 240_000 }, () => {
  let mongo: ServiceMongo;
  let s3: TestS3;
  let archives: ObjectStore;
  let parts: BackupsParts;
  let deps: BackupsActivityDeps;
  let databaseName: string;
  before(async () => {
    [mongo, s3] = await Promise.all([startServiceMongo(), startS3('minio')]);
    archives = createS3ObjectStore(s3.settings('db-backups'));
    parts = await createBackupsParts();
    databaseName = mongo.fresh('shop');
    const owner = {
      service: 'shop',
      environment: 'prod',
      serviceId: parts.service.id,
      org: parts.service.org,
    } as const;
    parts.add('mongodb', databaseName, {}, owner);
    deps = { ...parts.deps, tools: { mongodb: mongo.dumpTool }, archives };
    // 8 MB that do not compress, so that the upload has more than one part.
    const things = Array.from({ length: THINGS }, (_, index) => {
      return { _id: index, name: `ding Ω 語 ${index}`, picture: randomBytes(4_096), kind: { a: [1, null] } };
    });
    await collection().insertMany(things);
    await collection().createIndex({ name: 1 }, { unique: true });
  });
  after(async () => {
    await Promise.all([mongo.stop(), s3.stop()]);
  });

  const collection = () =>
    mongo.client.db(databaseName).collection<{ _id: number; name: string; picture: Buffer }>('things');

  async function sum(): Promise<string> {
    const hash = createHash('sha256');
    for await (const { _id, name, picture } of collection().find({}, { promoteBuffers: true }).sort({ _id: 1 })) {
      hash.update(`${_id}/${name}/`).update(picture);
    }
    return hash.digest('hex');
  }

  async function backUp() {
    parts.clock.now = new Date(parts.clock.now.getTime() + 1_000);
    const job = parts.job({ engine: 'mongodb', databaseName });
    await openBackup(deps, job);
    await dumpDatabase(deps, job, patience());
    return job;
  }

  it('with every value as it was, by swap and in place, and is proven before', async () => {
    const was = await sum();
    const job = await backUp();
    const backup = await deps.backups.find(job.id);
    assert.equal(backup?.status, 'completed');
    assert.match(backup.objectKey ?? '', /^prod\/shop\/manual\/shop-.*\.archive\.gz$/);
    assert.deepEqual(backup.figures, { things: THINGS, 'things.$indexes': 2 });
    assert.ok((backup.sizeBytes ?? 0) > 8_000_000);
    assert.equal(
      await verifyBackup(deps, job.id, patience(), proofScratches({ begunMs: Date.now(), proof: job.id }, 1)),
      null,
    );

    await collection().deleteMany({ _id: { $gt: 5 } });
    const restore = parts.restoreJob(job.id, { engine: 'mongodb', databaseName });
    await openRestore(deps, restore);
    await restoreScratch(deps, restore, patience());
    await swapDatabases(deps, restore, patience());
    await endRestore(deps, { job: restore, problem: null }, patience());
    assert.equal(await sum(), was);
    await mongo.dumpTool.drop((await deps.restores.find(restore.id))?.keptDatabase ?? '');

    await collection().deleteMany({ _id: { $gt: 5 } });
    const inPlace = parts.restoreJob(job.id, { engine: 'mongodb', databaseName, mode: 'in-place' });
    await openRestore(deps, inPlace);
    await restoreInPlace(deps, inPlace, patience());
    assert.equal(await sum(), was);
    await assert.rejects(collection().insertOne({ _id: -1, name: 'ding Ω 語 7', picture: Buffer.alloc(0) }), {
      code: 11_000,
    });
  });

  it('and one that was restored with other figures stays out of its place', async () => {
    const job = await backUp();
    await deps.backups.change(job.id, 'completed', { figures: { things: THINGS + 1, 'things.$indexes': 2 } });
    const found = await verifyBackup(
      deps,
      job.id,
      patience(),
      proofScratches({ begunMs: Date.now(), proof: job.id }, 1),
    );
    assert.deepEqual(
      [found?.code, /things has 2000 instead of 2001/.test(found?.message ?? '')],
      ['RESTORED_COUNTS_DIFFER', true],
    );
    const was = await sum();
    const restore = parts.restoreJob(job.id, { engine: 'mongodb', databaseName });
    await openRestore(deps, restore);
    await assert.rejects(restoreScratch(deps, restore, patience()), { code: 'RESTORE_FAILED' });
    await endRestore(deps, { job: restore, problem: { code: 'RESTORE_FAILED', message: 'differs' } }, patience());
    assert.equal(await sum(), was);
  });

  it('and is failed, with nothing in the bucket, when the tool ends on the way', async () => {
    const dying: BackupsActivityDeps = {
      ...deps,
      tools: { mongodb: mongo.at('mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200').dumpTool },
    };
    parts.clock.now = new Date(parts.clock.now.getTime() + 1_000);
    const job = parts.job({ engine: 'mongodb', databaseName });
    await openBackup(dying, job);
    await assert.rejects(dumpDatabase(dying, job, patience()), { code: 'UNAVAILABLE' });
    await failBackup(deps, { job, problem: { code: 'UNAVAILABLE', message: 'away' } });
    assert.equal((await deps.backups.find(job.id))?.status, 'failed');
    const stamp = job.startedAt.replaceAll(/[:.]/g, '-');
    for await (const { key } of archives.list('')) assert.ok(!key.includes(stamp), key);
  });
});
