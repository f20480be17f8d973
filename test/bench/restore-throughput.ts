import { scratchName } from '../../domain/backups/restore.ts';
import { timed } from './parts/bare-tools.ts';
import { startBenchPlatform } from './parts/bench-platform.ts';
import { median } from './parts/median.ts';
import { mostResidentMib, residentMib } from './parts/resident-memory.ts';

/**
 * MB of a database that a restore workflow brings back in a second (into a new database, counted, and swapped), against
 * `pg_restore` of the same archive into a new database, piped from the same store by a download like that of the AWS command
 * line. In turns, each first as often as second; the figure is the median of the rounds' own ratios, to be 0.9 at least.
 * Beside it what the worker's resident memory grows by in its first restore. SIZE_MB is the size of the content. Its first
 * argument names the engine. MongoDB renames no database, so there a swap copies two of them besides: its ratio is lower.
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
  const { server } = platform;
  const database = await platform.createDatabase('bench');
  await server.fillMixed(database.databaseName, SIZE_MB);
  await platform.startWorker();
  const bare = await server.bareTools(platform.store);
  const { id, objectKey } = await platform.endOfBackup(await platform.backUp(database), 900_000);
  if (objectKey === null) throw new Error('no backup');
  const bytes = await server.bytesOf(database.databaseName);
  const ours = async (): Promise<number> => {
    let restoreId = '';
    const ms = await timed(async () => {
      restoreId = await platform.restore(database, id, 'swap');
      const { status, problem } = await platform.endOfRestore(restoreId, 900_000);
      if (status !== 'completed') throw new Error(problem?.message);
    });
    await server.dumpTool.drop(scratchName('kept', restoreId));
    return ms;
  };
  const theirs = (): Promise<number> => bare.restore(database.databaseName, objectKey);
  const idle = await residentMib(platform.worker().pid);
  const most = await mostResidentMib(platform.worker().pid, ours);
  await theirs();
  const rounds: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % 2 === 0 ? await ours() : null;
    const second = await theirs();
    rounds.push({ ours: first ?? (await ours()), bare: second });
  }
  const rate = (ms: number): string => (bytes / 1e6 / (ms / 1e3)).toFixed(1);
  console.log(`content: ${(bytes / 1e6).toFixed(0)} MB`);
  console.log(`restore workflow: ${rounds.map((round) => rate(round.ours)).join(' ')} MB/s`);
  console.log(`the tool piped from the store: ${rounds.map((round) => rate(round.bare)).join(' ')} MB/s`);
  console.log(`worker: ${idle.toFixed(0)} MiB before, ${most.toFixed(0)} MiB at most in its first restore`);
  console.log(`restore-throughput: ${median(rounds.map((round) => round.bare / round.ours)).toFixed(2)}`);
}
