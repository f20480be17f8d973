import assert from 'node:assert/strict';
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
import { createPostgresDumpTool } from '../../../adapters/dump-tools/postgres-dump-tool.ts';
import { createS3ObjectStore } from '../../../adapters/s3/object-store.ts';
import { databaseUsers } from '../../../domain/databases/database-name.ts';
import type { ObjectStore } from '../../../domain/objects/ports.ts';
import { type BackupsParts, createBackupsParts } from '../../support/in-memory/backups-parts.ts';
import { startPostgres, type TestPostgres } from '../../support/start-postgres.ts';
import { startS3, type TestS3 } from '../../support/start-s3.ts';

const DATABASE = 'shop_prod';
const LOGIN = { user: databaseUsers(DATABASE)[0], password: 'of the service' };
const CHECKSUM =
  "SELECT md5(string_agg(id || name || coalesce(picture::text, ''), ',' ORDER BY id)) AS sum FROM things";
const patience = () => AbortSignal.timeout(120_000);

/** A real PostgreSQL and a real object store; the records are in memory. */
describe('a database goes into the object store and comes back', { timeout: 240_000 }, () => {
  let postgres: TestPostgres;
  let s3: TestS3;
  let archives: ObjectStore;
  let parts: BackupsParts;
  let deps: BackupsActivityDeps;
  before(async () => {
    [postgres, s3] = await Promise.all([startPostgres(), startS3('minio')]);
    archives = createS3ObjectStore(s3.settings('db-backups'));
    parts = await createBackupsParts();
    const tool = createPostgresDumpTool({ adminUri: postgres.adminUri, env: { PATH: process.env.PATH ?? '' } });
    deps = { ...parts.deps, tools: { postgres: tool }, archives };
    await postgres.server.ensure(DATABASE, LOGIN, patience());
    // 24 MiB that do not compress, so that the upload has several parts, beside text of other scripts.
    await postgres.query(
      `SET ROLE ${DATABASE}; CREATE EXTENSION IF NOT EXISTS pgcrypto;
       CREATE TABLE things (id serial PRIMARY KEY, name text NOT NULL, picture bytea, kind jsonb DEFAULT '{"a": [1, null]}');
       CREATE INDEX ON things (lower(name));
       INSERT INTO things (name, picture) SELECT 'ding Ω 語 ' || i, gen_random_bytes(1024) FROM generate_series(1, 24000) i;
       CREATE VIEW names AS SELECT name FROM things;`,
      DATABASE,
    );
  });
  after(async () => {
    await Promise.all([postgres.stop(), s3.stop()]);
  });

  const sumOf = async (): Promise<unknown> => (await postgres.query(CHECKSUM, DATABASE))[0]?.sum;

  async function backUp() {
    parts.clock.now = new Date(parts.clock.now.getTime() + 1_000);
    const job = parts.job();
    await openBackup(deps, job);
    await dumpDatabase(deps, job, patience());
    return job;
  }

  it('with every value as it was, by swap and in place, and is proven before', async () => {
    const sum = await sumOf();
    const job = await backUp();
    const backup = await deps.backups.find(job.id);
    assert.equal(backup?.status, 'completed');
    assert.deepEqual(backup.figures, { 'public.things': 24_000 });
    assert.ok((backup.sizeBytes ?? 0) > 20 * 1024 ** 2, 'it has several parts');
    assert.equal(
      await verifyBackup(deps, job.id, patience(), proofScratches({ begunMs: Date.now(), proof: job.id }, 1)),
      null,
    );
    assert.notEqual((await deps.backups.find(job.id))?.verification, null);

    await postgres.query('DELETE FROM things WHERE id > 5', DATABASE);
    const restore = parts.restoreJob(job.id);
    await openRestore(deps, restore);
    await restoreScratch(deps, restore, patience());
    await swapDatabases(deps, restore, patience());
    await endRestore(deps, { job: restore, problem: null }, patience());
    assert.equal(await sumOf(), sum);
    const workload = await postgres.connect(DATABASE, LOGIN);
    await workload.write('the service writes on');
    await workload.close();

    await postgres.query('DELETE FROM things WHERE id > 5', DATABASE);
    const inPlace = parts.restoreJob(job.id, { mode: 'in-place' });
    await openRestore(deps, inPlace);
    await restoreInPlace(deps, inPlace, patience());
    assert.equal(await sumOf(), sum);
  });

  it('and is not restored, nor proven, from another archive that the tool itself takes, however much stands behind it', async () => {
    const job = await backUp();
    const objectKey = (await deps.backups.find(job.id))?.objectKey ?? assert.fail();
    const padded = concat(await archives.get(objectKey), Buffer.alloc(1024 ** 2));
    await archives.put('padded', padded);
    await archives.put(objectKey, await archives.get('padded'));
    const problem = await verifyBackup(
      deps,
      job.id,
      patience(),
      proofScratches({ begunMs: Date.now(), proof: job.id }, 1),
    );
    assert.equal(problem?.code, 'NOT_RESTORABLE');
    const restore = parts.restoreJob(job.id);
    await openRestore(deps, restore);
    await assert.rejects(restoreScratch(deps, restore, patience()), { code: 'NOT_RESTORABLE' });
    await endRestore(deps, { job: restore, problem: { code: 'NOT_RESTORABLE', message: 'other' } }, patience());
  });

  it('and is failed, with nothing in the bucket, when the object store goes away on the way', async () => {
    const tool = deps.tools.postgres;
    if (tool === undefined) throw new Error('no tool');
    const dying: BackupsActivityDeps = {
      ...deps,
      tools: {
        postgres: {
          ...tool,
          dump: (name, store, options) =>
            tool.dump(name, (archive) => store(killedAfter(archive, 10 * 1024 ** 2, () => s3.kill())), options),
        },
      },
    };
    parts.clock.now = new Date(parts.clock.now.getTime() + 1_000);
    const job = parts.job();
    await openBackup(dying, job);
    await assert.rejects(dumpDatabase(dying, job, patience()), { code: 'OBJECT_STORE_UNREACHABLE' });
    await s3.restart();
    await failBackup(deps, { job, problem: { code: 'OBJECT_STORE_UNREACHABLE', message: 'away' } });
    assert.equal((await deps.backups.find(job.id))?.status, 'failed');
    const stamp = job.startedAt.replaceAll(/[:.]/g, '-');
    for await (const { key } of archives.list('')) assert.ok(!key.includes(stamp), key);
    assert.deepEqual(
      await postgres.query("SELECT FROM pg_stat_activity WHERE application_name = 'fairlead-backup'"),
      [],
    );
    await backUp();
  });
});

async function* concat(archive: AsyncIterable<Uint8Array>, padding: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* archive;
  yield padding;
}

async function* killedAfter(
  archive: AsyncIterable<Uint8Array>,
  bytes: number,
  kill: () => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let passed = 0;
  for await (const chunk of archive) {
    passed += chunk.byteLength;
    if (passed >= bytes) {
      passed = Number.NEGATIVE_INFINITY;
      await kill();
    }
    yield chunk;
  }
}
