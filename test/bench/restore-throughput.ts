import { scratchName } from '../../domain/backups/restore.ts';
import { startBackupsPlatform } from '../support/backups-platform.ts';
import { barePostgresTools, timed } from './parts/bare-postgres-tools.ts';
import { median } from './parts/median.ts';
import { mixedContent } from './parts/mixed-content.ts';
import { mostResidentMib, residentMib } from './parts/resident-memory.ts';

/**
 * MB of a database that a restore workflow brings back in a second (into a new database, counted, and swapped), against
 * `pg_restore` of the same archive into a new database, piped from the same store by a download like that of the AWS command
 * line. In turns, each first as often as second; the figure is the median of the rounds' own ratios, to be 0.9 at least.
 * Beside it what the worker's resident memory grows by in its first restore. SIZE_MB is the size of the content.
 */
export const needsStack = false;

const SIZE_MB = Number(process.env.SIZE_MB ?? 512);
const ROUNDS = 5;

const platform = await startBackupsPlatform();
try {
  await measure();
} finally {
  await platform.stop();
}
process.exit();

async function measure(): Promise<void> {
  const { postgres } = platform;
  const database = await platform.createDatabase('bench', mixedContent(SIZE_MB));
  await platform.startWorker();
  const bare = await barePostgresTools(platform);
  const { id, objectKey } = await platform.endOfBackup(await platform.backUp(database), 900_000);
  if (objectKey === null) throw new Error('no backup');
  const [row] = await postgres.query('SELECT pg_database_size(current_database()) AS bytes', database.databaseName);
  const bytes = Number(row?.bytes);
  const ours = async (): Promise<number> => {
    let restoreId = '';
    const ms = await timed(async () => {
      restoreId = await platform.restore(database, id, 'swap');
      const { status, problem } = await platform.endOfRestore(restoreId, 900_000);
      if (status !== 'completed') throw new Error(problem?.message);
    });
    await postgres.query(`DROP DATABASE "${scratchName('kept', restoreId)}"`);
    return ms;
  };
  const theirs = async (): Promise<number> => {
    const ms = await timed(async () => {
      await postgres.query('CREATE DATABASE bare TEMPLATE template0');
      await bare.restore('bare', objectKey);
    });
    await postgres.query('DROP DATABASE bare');
    return ms;
  };
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
  console.log(`pg_restore piped from the store: ${rounds.map((round) => rate(round.bare)).join(' ')} MB/s`);
  console.log(`worker: ${idle.toFixed(0)} MiB before, ${most.toFixed(0)} MiB at most in its first restore`);
  console.log(`restore-throughput: ${median(rounds.map((round) => round.bare / round.ours)).toFixed(2)}`);
}
