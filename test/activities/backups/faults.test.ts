import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, afterEach, before, describe, it } from 'node:test';
import type { BackupsActivityDeps } from '../../../activities/backups/deps.ts';
import { dumpDatabase, failBackup, openBackup } from '../../../activities/backups/make-backup.ts';
import {
  endRestore,
  openRestore,
  restoreInPlace,
  restoreScratch,
} from '../../../activities/backups/restore-database.ts';
import { verifyBackup } from '../../../activities/backups/verify-backup.ts';
import { createPostgresDumpTool } from '../../../adapters/dump-tools/postgres-dump-tool.ts';
import { createS3ObjectStore } from '../../../adapters/s3/object-store.ts';
import type { Backup } from '../../../domain/backups/backup.ts';
import type { RestoreMode } from '../../../domain/backups/restore.ts';
import { databaseUsers } from '../../../domain/databases/database-name.ts';
import type { ObjectStore } from '../../../domain/objects/ports.ts';
import { type BackupsParts, createBackupsParts } from '../../support/in-memory/backups-parts.ts';
import { type S3Fault, type S3Proxy, startS3Proxy } from '../../support/s3-proxy.ts';
import { startPostgres, type TestPostgres } from '../../support/start-postgres.ts';
import { startS3, type TestS3 } from '../../support/start-s3.ts';
import { waitUntil } from '../../support/wait-until.ts';

const DATABASE = 'shop_prod';
const BUCKET = 'db-backups';
const SUM = "SELECT md5(string_agg(id || ':' || md5(picture), ',' ORDER BY id)) AS sum FROM things";
const TOOLS = "FROM pg_stat_activity WHERE application_name = 'fairlead-backup'";
const CUT = `SELECT pg_terminate_backend(pid) ${TOOLS}`;
const patience = () => AbortSignal.timeout(60_000);
const CANCELLED = new Error('cancelled');

/** What a fault may do once the first part of the archive is on its way. */
interface Midway {
  readonly cancel: () => void;
}

/** A fault in the middle of a backup or a restore, and the error that it ends with. */
interface Fault {
  readonly name: string;
  /** Of calls to the object store. */
  readonly calls?: readonly [operation: string, fault: S3Fault, then?: S3Fault];
  readonly midway?: (midway: Midway) => unknown;
  /** The reason of the signal, for a cancellation. */
  readonly ends: string | typeof CANCELLED;
}

const query = (text: string) => postgres.query(text);
const cutTool = () => waitUntil('the tool is cut', async () => (await query(CUT)).length > 0);

const BACKUP_FAULTS: readonly Fault[] = [
  {
    name: 'the object store is down',
    calls: ['CreateMultipartUpload', { cutRequestAfter: 0 }],
    ends: 'OBJECT_STORE_UNREACHABLE',
  },
  {
    name: 'the object store is busy',
    calls: ['UploadPart', { status: 503, code: 'SlowDown' }],
    ends: 'OBJECT_STORE_UNREACHABLE',
  },
  { name: 'the object store never answers', calls: ['UploadPart', 'hang'], ends: 'OBJECT_STORE_UNREACHABLE' },
  {
    name: 'the bucket is at its quota',
    calls: ['UploadPart', { status: 507, code: 'XMinioStorageFull' }],
    ends: 'OBJECT_STORE_FULL',
  },
  { name: 'a part is lost', calls: ['UploadPart', 'lose'], ends: 'OBJECT_DAMAGED' },
  {
    name: 'the store says another etag at the end',
    calls: ['CompleteMultipartUpload', 'wrong etag'],
    ends: 'OBJECT_DAMAGED',
  },
  { name: 'the database ends the connection of the dump', midway: cutTool, ends: 'DUMP_FAILED' },
  { name: 'it is cancelled', midway: ({ cancel }) => cancel(), ends: CANCELLED },
];

const RESTORE_FAULTS: readonly Fault[] = [
  { name: 'the object store is down', calls: ['GetObject', { cutRequestAfter: 0 }], ends: 'OBJECT_STORE_UNREACHABLE' },
  {
    name: 'the object store stops in the middle',
    calls: ['GetObject', { holdAnswerAfter: 2 * 1024 ** 2 }, 'hang'],
    ends: 'OBJECT_STORE_UNREACHABLE',
  },
  { name: 'the database ends the connection of the restore', midway: cutTool, ends: 'RESTORE_FAILED' },
  { name: 'it is cancelled', midway: ({ cancel }) => cancel(), ends: CANCELLED },
];

/** What somebody, or a disk, did to the archive in the bucket. */
const DAMAGE: readonly (readonly [name: string, change: (archive: Buffer) => Buffer | null, ends: string])[] = [
  ['was cut off', (archive) => archive.subarray(0, archive.length - 1_000), 'RESTORE_FAILED'],
  ['was cut off by a byte', (archive) => archive.subarray(0, -1), 'NOT_RESTORABLE'],
  [
    'has another byte in it',
    (archive) => Buffer.from(archive.map((byte, at) => (at === archive.length - 50_000 ? byte ^ 1 : byte))),
    'NOT_RESTORABLE',
  ],
  ['is empty', () => Buffer.alloc(0), 'NOT_RESTORABLE'],
  ['is gone', () => null, 'OBJECT_NOT_FOUND'],
];

let postgres: TestPostgres;

/** A real PostgreSQL and its tools, and a real object store behind a proxy; the records are in memory. */
describe('a fault', { timeout: 300_000 }, () => {
  let s3: TestS3;
  let proxy: S3Proxy;
  let direct: ObjectStore;
  let throughProxy: ObjectStore;
  let parts: BackupsParts;
  let deps: BackupsActivityDeps;
  let good: Backup;
  before(async () => {
    [postgres, s3] = await Promise.all([startPostgres(), startS3('minio')]);
    proxy = await startS3Proxy(s3.endpoint);
    direct = createS3ObjectStore(s3.settings(BUCKET));
    const impatient = { ...s3.settings(BUCKET), endpoint: proxy.endpoint, attempts: 2, idleMs: 2_000 };
    throughProxy = createS3ObjectStore(impatient);
    parts = await createBackupsParts();
    const tool = createPostgresDumpTool({ adminUri: postgres.adminUri, env: { PATH: process.env.PATH ?? '' } });
    deps = { ...parts.deps, tools: { postgres: tool }, archives: direct };
    const login = { user: databaseUsers(DATABASE)[0], password: 'of the service' };
    await postgres.server.ensure(DATABASE, login, patience());
    await postgres.query(
      `SET ROLE ${DATABASE}; CREATE EXTENSION IF NOT EXISTS pgcrypto;
       CREATE TABLE things (id serial PRIMARY KEY, picture bytea NOT NULL);
       INSERT INTO things (picture) SELECT gen_random_bytes(1024) FROM generate_series(1, 12000)`,
      DATABASE,
    );
    good = await backUp();
  });
  after(async () => {
    await Promise.all([postgres?.stop(), s3?.stop(), proxy?.stop()]);
  });
  afterEach(() => proxy.fail(() => null));

  const sumOf = async (): Promise<unknown> => (await postgres.query(SUM, DATABASE))[0]?.sum;
  const keys = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { key } of direct.list('')) found.push(key);
    return found.sort();
  };

  function newJob() {
    parts.clock.now = new Date(parts.clock.now.getTime() + 1_000);
    return parts.job();
  }

  async function backUp(): Promise<Backup> {
    const job = newJob();
    await openBackup(deps, job);
    await dumpDatabase(deps, job, patience());
    const backup = await deps.backups.find(job.id);
    assert.equal(backup?.status, 'completed');
    return backup;
  }

  /** The dependencies under a fault. @param read which reading of the archive has the fault: in place it is read twice */
  function under({ calls, midway }: Fault, cancel: () => void, read = 1): BackupsActivityDeps {
    if (calls !== undefined) {
      const [operation, first, then = first] = calls;
      let seen = 0;
      proxy.fail((call) => (call.operation !== operation ? null : seen++ === 0 ? first : then));
    }
    if (midway === undefined) return { ...deps, archives: throughProxy };
    const { archives } = deps;
    let reads = 0;
    const passing = (body: AsyncIterable<Uint8Array>) =>
      onceIn(body, 9 * 1024 ** 2, async () => void (await midway({ cancel })));
    return {
      ...deps,
      archives: {
        ...archives,
        put: (key, body, options) => archives.put(key, passing(body), options),
        get: async (key, options) => {
          const archive = await archives.get(key, options);
          reads += 1;
          return reads === read ? passing(archive) : archive;
        },
      },
    };
  }

  const endsWith = ({ ends }: Fault) =>
    ends === CANCELLED ? (error: unknown) => error === CANCELLED : { code: ends as string };
  const problemOf = ({ ends }: Fault) => ({ code: ends === CANCELLED ? 'CANCELLED' : String(ends), message: 'why' });

  /** No program is at work, and no database or role is left. */
  async function leavesNothing(): Promise<void> {
    await waitUntil('no tool is connected', async () => (await query(`SELECT pid ${TOOLS}`)).length === 0);
    assert.deepEqual(await query("SELECT datname FROM pg_database WHERE datname LIKE 'fairlead!_%' ESCAPE '!'"), []);
    assert.deepEqual(await query("SELECT rolname FROM pg_roles WHERE rolname LIKE 'fairlead!_%' ESCAPE '!'"), []);
  }

  describe('in a backup leaves nothing in the bucket, and the next one is made:', () => {
    for (const fault of BACKUP_FAULTS) {
      it(fault.name, async () => {
        const [before, sum] = [await keys(), await sumOf()];
        const cancelling = new AbortController();
        const job = newJob();
        await openBackup(deps, job);
        const broken = under(fault, () => cancelling.abort(CANCELLED));
        await assert.rejects(
          dumpDatabase(broken, job, AbortSignal.any([cancelling.signal, patience()])),
          endsWith(fault),
        );
        assert.equal((await deps.backups.find(job.id))?.status, 'running', 'nothing half-made is taken for a backup');
        proxy.fail(() => null);
        await failBackup(deps, { job, problem: problemOf(fault) });
        const { status, objectKey, problem } = (await deps.backups.find(job.id)) ?? {};
        assert.deepEqual([status, objectKey, problem?.code], ['failed', null, problemOf(fault).code]);
        assert.deepEqual(await keys(), before);
        assert.equal(await sumOf(), sum);
        await leavesNothing();
        const next = await backUp();
        await direct.delete(next.objectKey ?? '');
      });
    }

    it('a disk of the object store that is really full', async (t) => {
      const full = await startS3('minio', { diskMib: 64 });
      t.after(full.stop);
      const small: BackupsActivityDeps = { ...deps, archives: createS3ObjectStore(full.settings(BUCKET)) };
      const ends: string[] = [];
      // The first ones have room.
      for (let attempt = 0; attempt < 8 && ends.at(-1) !== 'OBJECT_STORE_FULL'; attempt += 1) {
        const job = newJob();
        await openBackup(small, job);
        const end = await dumpDatabase(small, job, patience()).then(
          () => 'completed',
          (error: { code?: string }) => error.code ?? 'no code',
        );
        ends.push(end);
        if (end === 'completed') continue;
        await failBackup(small, { job, problem: { code: end, message: 'why' } });
        for await (const { key } of small.archives.list(''))
          assert.ok(!key.includes(job.startedAt.replaceAll(/[:.]/g, '-')), key);
      }
      assert.equal(ends.at(-1), 'OBJECT_STORE_FULL', ends.join());
    });
  });

  const MODES: readonly (readonly [RestoreMode, typeof restoreScratch])[] = [
    ['swap', restoreScratch],
    ['in-place', restoreInPlace],
  ];
  for (const [mode, restore] of MODES) {
    describe(`in a restore (${mode}) leaves the database as it is, and the next one succeeds:`, () => {
      for (const fault of RESTORE_FAULTS) {
        it(fault.name, async () => {
          await postgres.query('UPDATE things SET picture = picture || picture WHERE id < 10', DATABASE);
          const sum = await sumOf();
          const cancelling = new AbortController();
          const job = parts.restoreJob(good.id, { mode });
          await openRestore(deps, job);
          const broken = under(fault, () => cancelling.abort(CANCELLED), mode === 'swap' ? 1 : 2);
          await assert.rejects(restore(broken, job, AbortSignal.any([cancelling.signal, patience()])), endsWith(fault));
          proxy.fail(() => null);
          await endRestore(deps, { job, problem: problemOf(fault) }, patience());
          assert.equal((await deps.restores.find(job.id))?.status, 'failed');
          assert.equal(await sumOf(), sum);
          await leavesNothing();
        });
      }
    });
  }

  for (const [name, change, ends] of DAMAGE) {
    it(`an archive that ${name} is neither proven nor restored`, async () => {
      const { objectKey } = good;
      assert.ok(objectKey !== null);
      const archive = await buffer(await direct.get(objectKey));
      const changed = change(archive);
      if (changed === null) await direct.delete(objectKey);
      else await direct.put(objectKey, Readable.from([changed]));
      try {
        const sum = await sumOf();
        assert.notEqual(await verifyBackup(deps, good.id, patience()), null);
        const job = parts.restoreJob(good.id, { mode: 'in-place' });
        await openRestore(deps, job);
        await assert.rejects(restoreInPlace(deps, job, patience()), ({ code }: { code?: string }) => {
          assert.ok(code === ends || code === 'NOT_RESTORABLE' || code === 'RESTORE_FAILED', code);
          return true;
        });
        await endRestore(deps, { job, problem: { code: ends, message: 'why' } }, patience());
        assert.equal(await sumOf(), sum);
        await leavesNothing();
      } finally {
        await direct.put(objectKey, Readable.from([archive]));
      }
    });
  }

  it('of all these, none keeps the same archive from being restored at last', async () => {
    const before = await postgres.query('SELECT count(*)::int AS count FROM things', DATABASE);
    assert.equal(await verifyBackup(deps, good.id, patience()), null);
    const job = parts.restoreJob(good.id, { mode: 'in-place' });
    await openRestore(deps, job);
    await restoreInPlace(deps, job, patience());
    assert.deepEqual(await postgres.query('SELECT count(*)::int AS count FROM things', DATABASE), before);
  });

  it('a link that has expired downloads nothing', async () => {
    const link = { ttlSeconds: 1, fileName: 'shop.pgdump' };
    const url = await direct.downloadUrl(good.objectKey ?? '', link);
    const refused = await waitUntil('the link has expired', async () => {
      const response = await fetch(url);
      await response.body?.cancel();
      return response.status === 200 ? null : response.status;
    });
    assert.equal(refused, 403);
  });
});

/** What passes, with something done once so many bytes have. */
async function* onceIn(
  body: AsyncIterable<Uint8Array>,
  bytes: number,
  act: () => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes;
  for await (const chunk of body) {
    left -= chunk.byteLength;
    if (left <= 0) {
      left = Number.POSITIVE_INFINITY;
      await act();
    }
    yield chunk;
  }
}
