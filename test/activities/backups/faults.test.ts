import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, afterEach, before, describe, it } from 'node:test';
import type { BackupsActivityDeps } from '../../../activities/backups/deps.ts';
import { dumpDatabase, failBackup, openBackup } from '../../../activities/backups/make-backup.ts';
import { proofScratches } from '../../../activities/backups/proof-scratches.ts';
import {
  endRestore,
  openRestore,
  restoreInPlace,
  restoreScratch,
} from '../../../activities/backups/restore-database.ts';
import { verifyBackup } from '../../../activities/backups/verify-backup.ts';
import { createS3ObjectStore } from '../../../adapters/s3/object-store.ts';
import type { Backup } from '../../../domain/backups/backup.ts';
import type { RestoreMode } from '../../../domain/backups/restore.ts';
import type { ObjectStore } from '../../../domain/objects/ports.ts';
import type { BackedUpServer } from '../../support/backed-up/server.ts';
import { BACKED_UP_SERVERS } from '../../support/backed-up/servers.ts';
import { type BackupsParts, createBackupsParts } from '../../support/in-memory/backups-parts.ts';
import { isPlayed } from '../../support/is-played.ts';
import { type S3Fault, type S3Proxy, startS3Proxy } from '../../support/s3-proxy.ts';
import { startS3, type TestS3 } from '../../support/start-s3.ts';
import { waitUntil } from '../../support/wait-until.ts';

const BUCKET = 'db-backups';
const MIB = 1024 ** 2;
/** The least that S3 takes. */
const PART_BYTES = 5 * MIB;
/** That do not compress: two parts of an upload, and more than a tool holds when the first one is stored. */
const MEBIBYTES = 9;
/** When so much of an archive has passed, its first part is on its way. */
const MIDWAY = 5.5 * MIB;
/** How long a call waits for the next byte: one that never comes is not waited for longer. */
const IDLE_MS = { never: 400, else: 5_000 };
const patience = () => AbortSignal.timeout(60_000);
const CANCELLED = new Error('cancelled');

/** A fault in the middle of a backup or a restore, and the error that it ends with. */
interface Fault {
  readonly name: string;
  /** Of calls to the object store. */
  readonly calls?: readonly [operation: string, fault: S3Fault, then?: S3Fault];
  /** What happens once the first part of the archive is on its way. */
  readonly midway?: 'the tool is cut' | 'cancel';
  /** The reason of the signal, for a cancellation. */
  readonly ends: string | typeof CANCELLED;
}

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
  { name: 'the database ends the connection of the dump', midway: 'the tool is cut', ends: 'DUMP_FAILED' },
  { name: 'it is cancelled', midway: 'cancel', ends: CANCELLED },
];

const RESTORE_FAULTS: readonly Fault[] = [
  { name: 'the object store is down', calls: ['GetObject', { cutRequestAfter: 0 }], ends: 'OBJECT_STORE_UNREACHABLE' },
  {
    name: 'the object store stops in the middle',
    calls: ['GetObject', { holdAnswerAfter: 2 * MIB }, 'hang'],
    ends: 'OBJECT_STORE_UNREACHABLE',
  },
  { name: 'the database ends the connection of the restore', midway: 'the tool is cut', ends: 'RESTORE_FAILED' },
  { name: 'it is cancelled', midway: 'cancel', ends: CANCELLED },
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

for (const [engine, startServer] of Object.entries(BACKED_UP_SERVERS)) {
  describe(`a fault (${engine})`, { timeout: 300_000 }, () => faults(startServer, engine === 'postgres'));
}

/**
 * A real server, or what stands for one, its real tools, and a real object store behind a proxy; the records are in memory.
 * @param isFirst for what is of the object store alone, and the same for each engine
 */
function faults(startServer: () => Promise<BackedUpServer>, isFirst: boolean): void {
  let server: BackedUpServer;
  let database: string;
  let s3: TestS3;
  let proxy: S3Proxy;
  let direct: ObjectStore;
  let throughProxy: (idleMs: number) => ObjectStore;
  let parts: BackupsParts;
  let deps: BackupsActivityDeps;
  let good: Backup;
  before(async () => {
    [server, s3] = await Promise.all([startServer(), startS3('minio')]);
    proxy = await startS3Proxy(s3.endpoint);
    const store = { ...s3.settings(BUCKET), partBytes: PART_BYTES };
    direct = createS3ObjectStore(store);
    const impatient = { ...store, endpoint: proxy.endpoint, attempts: 2 };
    throughProxy = (idleMs) => createS3ObjectStore({ ...impatient, idleMs });
    parts = await createBackupsParts();
    deps = { ...parts.deps, tools: { [server.engine]: server.dumpTool }, archives: direct };
    const made = await server.create('shop');
    database = made.databaseName;
    const { id: serviceId, org } = parts.service;
    parts.add(server.engine, database, {}, { service: made.service, environment: 'prod', serviceId, org });
    await server.fill(database, MEBIBYTES);
    good = await backUp();
  });
  after(async () => {
    await Promise.all([server?.stop(), s3?.stop(), proxy?.stop()]);
  });
  afterEach(() => {
    proxy.fail(() => null);
    server.toolCut.disarm();
  });

  const sum = () => server.sumOf(database);
  const figures = () => server.dumpTool.figures(database, patience());
  const keys = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { key } of direct.list('')) found.push(key);
    return found.sort();
  };
  const ofDatabase = () => ({ engine: server.engine, databaseName: database });

  function newJob() {
    parts.clock.now = new Date(parts.clock.now.getTime() + 1_000);
    return parts.job(ofDatabase());
  }

  const newRestore = (mode: RestoreMode) => parts.restoreJob(good.id, { ...ofDatabase(), mode });

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
    if (midway === undefined) {
      const isNever = calls?.includes('hang') ?? false;
      return { ...deps, archives: throughProxy(isNever ? IDLE_MS.never : IDLE_MS.else) };
    }
    if (midway === 'the tool is cut') server.toolCut.arm();
    const { archives } = deps;
    let reads = 0;
    const passing = (body: AsyncIterable<Uint8Array>) =>
      onceIn(body, MIDWAY, async () => (midway === 'cancel' ? cancel() : await server.toolCut.cut()));
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

  /** No program is at work, and nothing that it made is left. */
  async function leavesNothing(id: string): Promise<void> {
    await waitUntil(`nothing is left of ${id}`, async () => {
      const left = await server.left([id, good.id]);
      return left.length === 0;
    });
  }

  describe('in a backup leaves nothing in the bucket, and the next one is made:', () => {
    for (const fault of played(BACKUP_FAULTS)) {
      it(fault.name, async () => {
        const [before, was] = [await keys(), await sum()];
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
        server.toolCut.disarm();
        await failBackup(deps, { job, problem: problemOf(fault) });
        const { status, objectKey, problem } = (await deps.backups.find(job.id)) ?? {};
        assert.deepEqual([status, objectKey, problem?.code], ['failed', null, problemOf(fault).code]);
        assert.deepEqual(await keys(), before);
        assert.equal(await sum(), was);
        await leavesNothing(job.id);
        const next = await backUp();
        await direct.delete(next.objectKey ?? '');
      });
    }

    if (!isFirst || !isPlayed(BACKUP_FAULTS.length)) return;

    it('a disk of the object store that is really full', async (t) => {
      const full = await startS3('minio', { diskMib: 64 });
      t.after(full.stop);
      const small: BackupsActivityDeps = { ...deps, archives: createS3ObjectStore(full.settings(BUCKET)) };
      const ends: string[] = [];
      // The first ones have room.
      for (let attempt = 0; attempt < 12 && ends.at(-1) !== 'OBJECT_STORE_FULL'; attempt += 1) {
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
  for (const [number, [mode, restore]] of MODES.entries()) {
    describe(`in a restore (${mode}) leaves the database as it is, and the next one succeeds:`, () => {
      for (const fault of played(RESTORE_FAULTS, number)) {
        it(fault.name, async () => {
          await server.change(database);
          const was = await sum();
          const cancelling = new AbortController();
          const job = newRestore(mode);
          await openRestore(deps, job);
          const broken = under(fault, () => cancelling.abort(CANCELLED), mode === 'swap' ? 1 : 2);
          await assert.rejects(restore(broken, job, AbortSignal.any([cancelling.signal, patience()])), endsWith(fault));
          proxy.fail(() => null);
          server.toolCut.disarm();
          await endRestore(deps, { job, problem: problemOf(fault) }, patience());
          assert.equal((await deps.restores.find(job.id))?.status, 'failed');
          await isAsItWas(was, mode === 'in-place' && fault.midway !== undefined);
          await leavesNothing(job.id);
        });
      }
    });
  }

  /** Where a tool rolls nothing back, what it wrote over is half another one until a backup is restored again. */
  async function isAsItWas(was: string, isHalfWritten: boolean): Promise<void> {
    if (server.rollsBack || !isHalfWritten) {
      assert.equal(await sum(), was);
      return;
    }
    assert.notEqual(await sum(), was);
    const job = newRestore('in-place');
    await openRestore(deps, job);
    await restoreInPlace(deps, job, patience());
    assert.deepEqual(await figures(), good.figures);
  }

  for (const [name, change, ends] of played(DAMAGE)) {
    it(`an archive that ${name} is neither proven nor restored`, async () => {
      const { objectKey } = good;
      assert.ok(objectKey !== null);
      const archive = await buffer(await direct.get(objectKey));
      const changed = change(archive);
      if (changed === null) await direct.delete(objectKey);
      else await direct.put(objectKey, Readable.from([changed]));
      try {
        const was = await sum();
        assert.notEqual(
          await verifyBackup(deps, good.id, patience(), proofScratches({ begunMs: Date.now(), proof: good.id }, 1)),
          null,
        );
        const job = newRestore('in-place');
        await openRestore(deps, job);
        await assert.rejects(restoreInPlace(deps, job, patience()), ({ code }: { code?: string }) => {
          assert.ok(code === ends || code === 'NOT_RESTORABLE' || code === 'RESTORE_FAILED', code);
          return true;
        });
        await endRestore(deps, { job, problem: { code: ends, message: 'why' } }, patience());
        assert.equal(await sum(), was);
        await leavesNothing(job.id);
      } finally {
        await direct.put(objectKey, Readable.from([archive]));
      }
    });
  }

  it('an archive that is replaced once it was checked restores nothing in place, whatever it is replaced by', async () => {
    const { objectKey } = good;
    assert.ok(objectKey !== null);
    const archive = await buffer(await direct.get(objectKey));
    await server.change(database);
    const other = await backUp();
    const exchanged = await buffer(await direct.get(other.objectKey ?? ''));
    await server.change(database);
    const was = await sum();
    const { archives } = deps;
    let reads = 0;
    const get: typeof archives.get = async (key, options) => {
      reads += 1;
      // What stands behind it the tool does not wait for.
      if (reads === 2) await direct.put(objectKey, Readable.from([exchanged, Buffer.alloc(8 * MIB)]));
      return await archives.get(key, options);
    };
    try {
      const job = newRestore('in-place');
      await openRestore(deps, job);
      const replaced = { ...deps, archives: { ...archives, get } };
      await assert.rejects(restoreInPlace(replaced, job, patience()), { code: 'CONFLICT', retryable: true });
      await endRestore(deps, { job, problem: { code: 'CONFLICT', message: 'why' } }, patience());
      assert.equal(await sum(), was);
      await leavesNothing(job.id);
    } finally {
      await direct.put(objectKey, Readable.from([archive]));
      await direct.delete(other.objectKey ?? '');
    }
  });

  it('of all these, none keeps the same archive from being restored at last', async () => {
    assert.equal(
      await verifyBackup(deps, good.id, patience(), proofScratches({ begunMs: Date.now(), proof: good.id }, 1)),
      null,
    );
    const job = newRestore('in-place');
    await openRestore(deps, job);
    await restoreInPlace(deps, job, patience());
    assert.deepEqual(await figures(), good.figures);
  });

  if (!isFirst) return;

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
}

/** @param shift so that tables of the same rows are played at different ones of them */
function played<T>(rows: readonly T[], shift = 0): readonly T[] {
  return rows.filter((_, row) => isPlayed(row + shift));
}

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
