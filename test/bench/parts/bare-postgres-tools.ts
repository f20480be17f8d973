import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findProgram, loginOf, toolEnv } from '../../../adapters/dump-tools/postgres-connection.ts';
import type { BackupsPlatform } from '../../support/backups-platform.ts';

const TRANSFERS = fileURLToPath(new URL('./aws-cli-transfers.ts', import.meta.url));

/** The tools of PostgreSQL piped to and from the object store, as an operator without the platform would do it. */
export async function barePostgresTools({ postgres, store }: Pick<BackupsPlatform, 'postgres' | 'store'>) {
  const [row] = await postgres.query('SHOW server_version_num');
  const major = Math.floor(Number(row?.server_version_num) / 10_000);
  const [dump, restore] = [await findProgram('pg_dump', major), await findProgram('pg_restore', major)];
  const run = async (script: string, database: string, args: readonly string[]): Promise<void> => {
    const child = spawn('bash', ['-ceu', '-o', 'pipefail', script, 'bare', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env.PATH,
        NODE: process.execPath,
        ...toolEnv(postgres.adminUri, database, loginOf(postgres.adminUri)),
        ...{ AWS_ACCESS_KEY_ID: store.accessKey, AWS_SECRET_ACCESS_KEY: store.secretKey, NODE_NO_WARNINGS: '1' },
      },
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${script} ended with ${code}`);
  };
  const transfer = (action: 'put' | 'get', key: string) => [TRANSFERS, action, store.endpoint, store.bucket, key];
  return {
    backUp: (database: string, key: string) =>
      run('program=$1; shift; "$program" --format=custom | "$NODE" "$@"', database, [dump, ...transfer('put', key)]),
    /** Into an empty database, which is there. */
    restore: (database: string, key: string) =>
      run(
        'program=$1; shift; "$NODE" "$@" | "$program" --exit-on-error --single-transaction --no-owner --dbname="$PGDATABASE"',
        database,
        [restore, ...transfer('get', key)],
      ),
  };
}

/** How many ms something takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
