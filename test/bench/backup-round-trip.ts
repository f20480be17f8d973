import assert from 'node:assert/strict';
import { timed } from './parts/bare-tools.ts';
import { startBenchPlatform } from './parts/bench-platform.ts';
import { mostResidentMib, residentMib } from './parts/resident-memory.ts';

/**
 * A database of 1 GB (SIZE_MB) of mixed data goes into the object store and comes back, by swap and in place, through the
 * real worker: every value is as it was, by a checksum of the content, and the worker's resident memory grows by less than
 * 128 MiB. The figure is that growth. Its first argument names the engine: `npm run bench -- backup-round-trip mongodb`.
 */
export const needsStack = false;

const SIZE_MB = Number(process.env.SIZE_MB ?? 1_000);
/** As long as a dump may take. */
const MOST_MS = 7_200_000;

const platform = await startBenchPlatform();
try {
  await roundTrip();
} finally {
  await platform.stop();
}
process.exit();

async function roundTrip(): Promise<void> {
  const { server } = platform;
  const database = await platform.createDatabase('trip');
  await server.fillMixed(database.databaseName, SIZE_MB);
  const sum = () => server.sumOfMixed(database.databaseName);
  const before = await sum();
  const bytes = await server.bytesOf(database.databaseName);
  await platform.startWorker();
  const { pid } = platform.worker();
  const idle = await residentMib(pid);
  console.log(`content: ${(bytes / 1e6).toFixed(0)} MB`);
  const growth: number[] = [];
  const stage = async (name: string, work: () => Promise<void>): Promise<void> => {
    const ms = await timed(async () => {
      growth.push((await mostResidentMib(pid, work)) - idle);
    });
    const rate = bytes / 1e6 / (ms / 1e3);
    console.log(
      `${name}: ${(ms / 1e3).toFixed(1)} s, ${rate.toFixed(1)} MB/s, worker +${growth.at(-1)?.toFixed(0)} MiB`,
    );
  };
  let backupId = '';
  await stage('backup', async () => {
    const backup = await platform.endOfBackup(await platform.backUp(database), MOST_MS);
    assert.equal(backup.status, 'completed', backup.problem?.message);
    backupId = backup.id;
    console.log(`archive: ${((backup.sizeBytes ?? 0) / 1e6).toFixed(0)} MB`);
  });
  for (const mode of ['swap', 'in-place'] as const) {
    await server.changeMixed(database.databaseName);
    assert.notEqual(await sum(), before);
    await stage(`restore, ${mode}`, async () => {
      const restore = await platform.endOfRestore(await platform.restore(database, backupId, mode), MOST_MS);
      assert.equal(restore.status, 'completed', restore.problem?.message);
    });
    assert.equal(await sum(), before, `${mode}: the content is as it was`);
  }
  console.log('checksums of the content: equal');
  console.log(`backup-round-trip: ${Math.max(...growth).toFixed(0)} MiB`);
}
