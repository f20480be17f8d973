import { timed } from './parts/bare-tools.ts';
import { startBenchPlatform } from './parts/bench-platform.ts';
import { median } from './parts/median.ts';
import { mostResidentMib, residentMib } from './parts/resident-memory.ts';

/**
 * MB of a database that a backup workflow brings into the object store in a second (real worker, Temporal, PostgreSQL and
 * MinIO; verified and counted as always), against `pg_dump -Fc` piped to the same store by an upload like that of the AWS
 * command line. In turns, each first as often as second; the figure is the median of the rounds' own ratios, to be 0.9 at
 * least. Beside it what the worker's resident memory grows by in its first backup, to be below 128 MiB. SIZE_MB is the size
 * of the content, half of which does not compress. Its first argument names the engine: `npm run bench -- backup-throughput
 * mongodb` measures `mongodump --archive --gzip`, on the MongoDB that FAIRLEAD_TEST_MONGODB_URI names, else on the stand-in.
 */
export const needsStack = false;

const SIZE_MB = Number(process.env.SIZE_MB ?? 512);
const ROUNDS = 5;

const platform = await startBenchPlatform();
try {
  await measure();
} finally {
  await platform.stop();
}
process.exit();

async function measure(): Promise<void> {
  const { server, archives } = platform;
  await archives.ensureBucket();
  const database = await platform.createDatabase('bench');
  await server.fillMixed(database.databaseName, SIZE_MB);
  await platform.startWorker();
  const bare = await server.bareTools(platform.store);
  const bytes = await server.bytesOf(database.databaseName);
  let archiveBytes = 0;
  const ours = async (): Promise<void> => {
    const { status, problem, objectKey, sizeBytes } = await platform.endOfBackup(
      await platform.backUp(database),
      900_000,
    );
    if (status !== 'completed' || objectKey === null) throw new Error(problem?.message);
    archiveBytes = sizeBytes ?? 0;
    await archives.delete(objectKey);
  };
  const theirs = async (): Promise<void> => {
    await bare.backUp(database.databaseName, 'bare.archive');
    await archives.delete('bare.archive');
  };
  const idle = await residentMib(platform.worker().pid);
  const most = await mostResidentMib(platform.worker().pid, ours);
  await theirs();
  const rounds: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % 2 === 0 ? await timed(ours) : null;
    const second = await timed(theirs);
    rounds.push({ ours: first ?? (await timed(ours)), bare: second });
  }
  const rate = (ms: number): string => (bytes / 1e6 / (ms / 1e3)).toFixed(1);
  console.log(`content: ${(bytes / 1e6).toFixed(0)} MB, archive: ${(archiveBytes / 1e6).toFixed(0)} MB`);
  console.log(`backup workflow: ${rounds.map((round) => rate(round.ours)).join(' ')} MB/s`);
  console.log(`the tool piped to the store: ${rounds.map((round) => rate(round.bare)).join(' ')} MB/s`);
  console.log(`worker: ${idle.toFixed(0)} MiB idle, ${most.toFixed(0)} MiB at most in its first backup`);
  console.log(`backup-worker-growth: ${(most - idle).toFixed(0)} MiB`);
  console.log(`backup-throughput: ${median(rounds.map((round) => round.bare / round.ours)).toFixed(2)}`);
}
