import assert from 'node:assert/strict';
import { startBackupsPlatform } from '../support/backups-platform.ts';
import { timed } from './parts/bare-postgres-tools.ts';
import { CONTENT_SUM, mixedContent } from './parts/mixed-content.ts';
import { mostResidentMib, residentMib } from './parts/resident-memory.ts';

/**
 * A database of 1 GB (SIZE_MB) of mixed data goes into the object store and comes back, by swap and in place, through the
 * real worker: every value is as it was, by a checksum of the content, and the worker's resident memory grows by less than
 * 128 MiB. The figure is that growth.
 */
export const needsStack = false;

const SIZE_MB = Number(process.env.SIZE_MB ?? 1_000);
const MOST_MS = 1_800_000;

const platform = await startBackupsPlatform();
try {
  await roundTrip();
} finally {
  await platform.stop();
}
process.exit();

async function roundTrip(): Promise<void> {
  const { postgres } = platform;
  const database = await platform.createDatabase('trip', mixedContent(SIZE_MB));
  const ask = async (text: string) => (await postgres.query(text, database.databaseName))[0];
  const sum = async () => (await ask(CONTENT_SUM))?.sum;
  const before = await sum();
  const bytes = Number((await ask('SELECT pg_database_size(current_database()) AS bytes'))?.bytes);
  await platform.startWorker();
  const { pid } = platform.worker();
  const idle = await residentMib(pid);
  const told: string[] = [`content: ${(bytes / 1e6).toFixed(0)} MB`];
  const growth: number[] = [];
  const stage = async (name: string, work: () => Promise<void>): Promise<void> => {
    const ms = await timed(async () => {
      growth.push((await mostResidentMib(pid, work)) - idle);
    });
    told.push(`${name}: ${(ms / 1e3).toFixed(1)} s, worker +${growth.at(-1)?.toFixed(0)} MiB`);
  };
  let backupId = '';
  await stage('backup', async () => {
    const backup = await platform.endOfBackup(await platform.backUp(database), MOST_MS);
    assert.equal(backup.status, 'completed', backup.problem?.message);
    backupId = backup.id;
    told.push(`archive: ${((backup.sizeBytes ?? 0) / 1e6).toFixed(0)} MB`);
  });
  for (const mode of ['swap', 'in-place'] as const) {
    await ask('UPDATE orders SET note = NULL WHERE id % 3 = 0');
    await ask('DELETE FROM pictures WHERE id % 2 = 0');
    assert.notEqual(await sum(), before);
    await stage(`restore, ${mode}`, async () => {
      const restore = await platform.endOfRestore(await platform.restore(database, backupId, mode), MOST_MS);
      assert.equal(restore.status, 'completed', restore.problem?.message);
    });
    assert.equal(await sum(), before, `${mode}: the content is as it was`);
  }
  for (const line of told) console.log(line);
  console.log('checksums of the content: equal');
  console.log(`backup-round-trip: ${Math.max(...growth).toFixed(0)} MiB`);
}
