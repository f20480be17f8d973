import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dumpDatabase, openBackup } from '../../../activities/backups/make-backup.ts';
import { problemOf } from '../../../activities/backups/problem-of.ts';
import {
  endRestore,
  openRestore,
  restoreInPlace,
  restoreScratch,
} from '../../../activities/backups/restore-database.ts';
import { createPostgresDumpTool } from '../../../adapters/dump-tools/postgres-dump-tool.ts';
import { createPostgresServer } from '../../../adapters/postgres/database-server.ts';
import { withClient } from '../../../adapters/postgres/with-client.ts';
import { type RestoreMode, scratchName } from '../../../domain/backups/restore.ts';
import { databaseUsers } from '../../../domain/databases/database-name.ts';
import { PART_ROWS } from '../../../infra/dev/parts.ts';
import { partVariables } from '../../../infra/dev/stack-parts.ts';
import { runPart } from '../../infra/parts/run-part.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

/** What became of a restore, and what the server has after it. */
export interface FullDiskRestore {
  readonly code: string;
  readonly message: string;
  readonly status: string | undefined;
  /** Of the content, before and after. */
  readonly sums: readonly [unknown, unknown];
  /** Databases and roles that the restore had made. */
  readonly left: readonly string[];
}

export interface FullDatabaseDisk {
  readonly full: Readonly<Record<RestoreMode, FullDiskRestore>>;
  /** Once there is room. */
  readonly withRoom: Readonly<Record<RestoreMode, FullDiskRestore>>;
  /** Of the content when it was backed up. */
  readonly sum: unknown;
}

const [disk = ''] = process.argv.slice(2);
const DATABASE = 'shop_prod';
/** Less than a restore needs, and more than an empty database. */
const FREE_BYTES = 12 * 1024 ** 2;
const CONTENT = `SET ROLE "${DATABASE}"; CREATE EXTENSION IF NOT EXISTS pgcrypto;
  CREATE TABLE things (id serial PRIMARY KEY, picture bytea NOT NULL);
  INSERT INTO things (picture) SELECT gen_random_bytes(1024) FROM generate_series(1, 16384)`;
const SUM = "SELECT md5(string_agg(id || ':' || md5(picture), ',' ORDER BY id)) AS sum FROM things";
const LEFT = `SELECT datname AS name FROM pg_database WHERE datname LIKE 'fairlead!_restore!_%' ESCAPE '!'
  UNION SELECT rolname FROM pg_roles WHERE rolname LIKE 'fairlead!_%' ESCAPE '!'`;
const patience = () => AbortSignal.timeout(120_000);

const part = await runPart('postgres');
// What databases hold is on the small disk. What the server needs to go on is not: a log that is full stops it.
await part.restart(async () => {
  const data = join(part.context.dataDir, 'postgres', 'data');
  execFileSync('cp', ['-a', join(data, 'base'), disk]);
  rmSync(join(data, 'base'), { recursive: true });
  symlinkSync(join(disk, 'base'), join(data, 'base'));
});
const rows = PART_ROWS.filter(({ name }) => name === 'postgres');
const { worker } = await partVariables(rows, { ...part.context, env: {} });
const adminUri = worker.DB_POSTGRES_ADMIN_URI ?? '';

async function query(text: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> {
  const uri = new URL(adminUri);
  uri.pathname = `/${database}`;
  return await withClient(uri.href, patience(), async (client) => {
    await client.query('SET search_path = public');
    return (await client.query<Record<string, unknown>>(text)).rows;
  });
}

const sumOf = async (): Promise<unknown> => (await query(SUM, DATABASE))[0]?.sum;

const parts = await createBackupsParts();
const tool = createPostgresDumpTool({ adminUri, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } });
const deps = { ...parts.deps, tools: { postgres: tool } };
await createPostgresServer({ adminUri }).ensure(
  DATABASE,
  { user: databaseUsers(DATABASE)[0], password: 'p' },
  patience(),
);
await query(CONTENT, DATABASE);
const sum = await sumOf();
const backup = parts.job();
await openBackup(deps, backup);
await dumpDatabase(deps, backup, patience());
await query('DELETE FROM things WHERE id % 7 = 0', DATABASE);

async function restore(mode: RestoreMode): Promise<FullDiskRestore> {
  const before = await sumOf();
  const job = parts.restoreJob(backup.id, { mode });
  await openRestore(deps, job);
  const problem = await (mode === 'swap' ? restoreScratch : restoreInPlace)(deps, job, patience()).then(
    () => null,
    problemOf,
  );
  const given = problem ?? { code: 'done', message: '' };
  if (mode === 'in-place' || problem !== null) await endRestore(deps, { job, problem }, patience());
  else await tool.drop(scratchName('restore', job.id));
  const { status } = (await deps.restores.find(job.id)) ?? {};
  const left = (await query(LEFT)).map(({ name }) => String(name));
  return { ...given, status, sums: [before, await sumOf()], left };
}

const ballast = join(disk, 'ballast');
const { bavail, bsize } = statfsSync(disk);
writeFileSync(ballast, Buffer.alloc(bavail * bsize - FREE_BYTES));
const full = { swap: await restore('swap'), 'in-place': await restore('in-place') };
rmSync(ballast);
const withRoom = { swap: await restore('swap'), 'in-place': await restore('in-place') };
await part.stop();
const outcome: FullDatabaseDisk = { full, withRoom, sum };
process.stdout.write(JSON.stringify(outcome));
process.exit(0);
