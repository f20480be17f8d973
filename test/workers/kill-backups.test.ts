import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Backup } from '../../domain/backups/backup.ts';
import { BACKUPS_WORKFLOWS } from '../../domain/backups/messages.ts';
import { scratchName } from '../../domain/backups/restore.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import type { BackedUpServer } from '../support/backed-up/server.ts';
import { BACKED_UP_SERVERS } from '../support/backed-up/servers.ts';
import { type BackupsPlatform, type PlatformDatabase, startBackupsPlatform } from '../support/backups-platform.ts';
import { type S3Fault, type S3Proxy, startS3Proxy } from '../support/s3-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';

/** That do not compress: two parts of an upload. */
const MEBIBYTES = 10;
const SLOW = { withinMs: 90_000, everyMs: 100 };

/** Where a worker is held and killed: at a call to the object store, the first unless it says more, or as it begins to swap. */
interface Row {
  readonly name: string;
  readonly what: 'backup' | 'verification' | 'swap' | 'in-place';
  readonly at:
    | 'the begin of the swap'
    | { readonly operation: string; readonly count?: number; readonly fault: S3Fault };
}

/** Of an archive of 10 MiB. */
const HALF = { holdAnswerAfter: 5 * 1024 ** 2 } as const;

const ROWS: readonly Row[] = [
  { name: 'dump', what: 'backup', at: { operation: 'CreateMultipartUpload', fault: 'hang' } },
  { name: 'upload', what: 'backup', at: { operation: 'UploadPart', count: 2, fault: 'hang' } },
  { name: 'stored', what: 'backup', at: { operation: 'HeadObject', fault: 'hang' } },
  { name: 'verification', what: 'verification', at: { operation: 'GetObject', fault: HALF } },
  { name: 'restore', what: 'swap', at: { operation: 'GetObject', fault: HALF } },
  { name: 'swap', what: 'swap', at: 'the begin of the swap' },
  { name: 'check', what: 'in-place', at: { operation: 'GetObject', fault: HALF } },
  { name: 'overwrite', what: 'in-place', at: { operation: 'GetObject', count: 2, fault: HALF } },
];

interface Case extends Row {
  readonly database: PlatformDatabase;
  /** Of the content when the backup was made. */
  readonly sum: unknown;
  /** The one that is verified or restored; null for a backup. */
  readonly backup: Backup | null;
  /** What is begun: a backup, or a restore. */
  id: string;
  /** Of the content when the worker is killed. */
  readonly before: unknown;
}

for (const [engine, startServer] of Object.entries(BACKED_UP_SERVERS)) {
  describe(
    `a worker that is killed at any place of a backup, its proof or its restore (${engine})`,
    {
      timeout: 300_000,
    },
    () => killedWorker(startServer),
  );
}

function killedWorker(startServer: () => Promise<BackedUpServer>): void {
  let platform: BackupsPlatform;
  let proxy: S3Proxy;
  const cases: Case[] = [];
  const held = new Map<string, number>();
  before(async () => {
    const through = async (endpoint: string): Promise<string> => {
      proxy = await startS3Proxy(endpoint);
      return proxy.endpoint;
    };
    platform = await startBackupsPlatform(startServer, { through, variables: { BACKUP_PARALLELISM: '12' } });
    await platform.startWorker();
  });
  after(async () => {
    await platform?.stop();
    await proxy?.stop();
  });

  const sumOf = ({ databaseName }: PlatformDatabase) => platform.server.sumOf(databaseName);

  /** Everything of one row that is there before the worker is held. */
  async function prepare(row: Row): Promise<void> {
    const database = await platform.createDatabase(row.name);
    await platform.server.fill(database.databaseName, MEBIBYTES);
    const sum = await sumOf(database);
    const backup = row.what === 'backup' ? null : await platform.endOfBackup(await platform.backUp(database));
    if (backup !== null) assert.equal(backup.status, 'completed', backup.problem?.message);
    if (row.what === 'swap' || row.what === 'in-place') await platform.server.change(database.databaseName);
    cases.push({ ...row, database, sum, backup, id: backup?.id ?? '', before: await sumOf(database) });
  }

  /** Holds the call of a row from now on; each row has a service, and so keys, of its own. */
  function arm(rows: readonly Row[]): void {
    const seen = new Map<string, number>();
    proxy.fail(({ operation, key }) => {
      const row = rows.find(({ name }) => new RegExp(`/${name}(-[0-9a-f]+)?/`).test(key));
      if (row === undefined || typeof row.at === 'string' || row.at.operation !== operation) return null;
      const count = (seen.get(row.name) ?? 0) + 1;
      seen.set(row.name, count);
      if (count < (row.at.count ?? 1)) return null;
      held.set(row.name, count);
      return row.at.fault;
    });
  }

  async function begin(one: Case): Promise<void> {
    const { client } = platform.temporal;
    if (one.what === 'backup') one.id = await platform.backUp(one.database);
    else if (one.what === 'verification') {
      await client.workflow.start(BACKUPS_WORKFLOWS.verifyBackups, { workflowId: 'verify', taskQueue: TASK_QUEUE });
    } else one.id = await platform.restore(one.database, one.backup?.id ?? '', one.what);
  }

  it('is followed by another one, which brings each to its end', async () => {
    // The verification takes every backup that was never restored: at first that is the one of its row.
    const [verification, ...others] = ROWS.toSorted(
      (a, b) => Number(b.what === 'verification') - Number(a.what === 'verification'),
    );
    assert.ok(verification !== undefined);
    await prepare(verification);
    arm(ROWS);
    for (const one of cases) await begin(one);
    await waitUntil('the verification is held', () => held.has(verification.name), SLOW);
    await Promise.all(others.map(prepare));
    const swapped = cases.find(({ at }) => typeof at === 'string');
    const swap = await platform.server.holdSwap(swapped?.database.databaseName ?? '');
    const rest = cases.filter(({ what }) => what !== 'verification');
    await Promise.all(rest.map(begin));
    await waitUntil('each is held', () => held.size === ROWS.filter(({ at }) => typeof at !== 'string').length, SLOW);
    await swap.came();
    await platform.killWorker();
    proxy.fail(() => null);
    for (const one of cases) await isNotDone(one);
    await swap.letGo();

    await platform.startWorker();
    await Promise.all(cases.map(isBroughtToItsEnd));
    await leavesNothingBehind();
  });

  /** Nothing half-done was taken for done, and no database has changed but one that is overwritten without a way back. */
  async function isNotDone({ name, what, id, database, sum, before: was }: Case): Promise<void> {
    const { server, backups, restores } = platform;
    const isOverwritten = name === 'overwrite' && !server.rollsBack;
    if (!isOverwritten) assert.equal(await sumOf(database), was, `${name}: the database is as it was`);
    else {
      const dumped = server.dumpTool.dump(database.databaseName, async () => null, {
        signal: AbortSignal.timeout(60_000),
      });
      await assert.rejects(
        dumped,
        { code: 'DUMP_FAILED', message: /was broken off/ },
        `${name}: half of it is no backup`,
      );
    }
    assert.equal(was === sum, what === 'backup' || what === 'verification', name);
    const record = what === 'backup' ? await backups.find(id) : await restores.find(id);
    if (what !== 'verification') assert.equal(record?.status, 'running', name);
    else assert.equal((await backups.find(id))?.verification, null);
  }

  async function isBroughtToItsEnd({ name, what, id, database, sum }: Case): Promise<void> {
    if (what === 'verification') {
      const proven = await waitUntil('the proof', async () => (await platform.backups.find(id))?.verification, SLOW);
      assert.equal(proven.problem, null, name);
    } else if (what === 'backup') {
      const { status, problem, objectKey, sha256, uploads } = await platform.endOfBackup(id);
      assert.equal(status, 'completed', `${name}: ${problem?.message}`);
      assert.equal(uploads.length, 2, `${name}: the second attempt uploaded under a key of its own`);
      const hash = createHash('sha256');
      for await (const chunk of await platform.archives.get(objectKey ?? '')) hash.update(chunk);
      assert.equal(hash.digest('hex'), sha256, name);
    } else {
      const { status, problem, keptDatabase } = await platform.endOfRestore(id);
      assert.equal(status, 'completed', `${name}: ${problem?.message}`);
      assert.equal(keptDatabase, what === 'swap' ? scratchName('kept', id) : null, name);
    }
    assert.equal(await sumOf(database), sum, `${name}: the content is that of the backup`);
  }

  /** No archive but those on record, no database but those that were kept, and no role or program of a restore. */
  async function leavesNothingBehind(): Promise<void> {
    const recorded = (await platform.backups.list({}, { cursor: null, limit: 200 })).items;
    const stored: string[] = [];
    for await (const { key } of platform.archives.list('')) stored.push(key);
    assert.deepEqual(stored.sort(), recorded.map(({ objectKey }) => objectKey).sort());
    await waitUntil(
      'the verification has ended',
      async () => {
        const { status } = await platform.temporal.client.workflow.getHandle('verify').describe();
        return status.name === 'COMPLETED';
      },
      SLOW,
    );
    const kept = cases.filter(({ what }) => what === 'swap').map(({ id }) => scratchName('kept', id));
    const ids = [...cases.map(({ id }) => id), ...recorded.map(({ id }) => id)];
    assert.deepEqual((await platform.server.left(ids)).toSorted(), kept.sort());
  }
}
