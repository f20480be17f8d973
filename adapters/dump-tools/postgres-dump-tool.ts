import { type Client, escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import type { DumpTool } from '../../domain/backups/ports.ts';
import { isScratch } from '../../domain/backups/restore.ts';
import { FairleadError } from '../../domain/errors.ts';
import { shareWithGroups } from '../postgres/consumers.ts';
import { isSuperuser, ownerOf } from '../postgres/roles.ts';
import { withClient } from '../postgres/with-client.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { findProgram, loginOf, type PostgresLogin, toolEnv, withDatabase } from './postgres-connection.ts';
import { countRows, holdTables } from './postgres-figures.ts';
import { swapDatabases } from './postgres-swap.ts';
import {
  createRestorer,
  dropLeftRestorers,
  dropRestorer,
  handOver,
  requireOrdinaryOwner,
  roleOver,
} from './restorer-role.ts';
import { readTool, runTool } from './tool-output.ts';

export interface PostgresDumpOptions {
  /** Of a superuser: DB_POSTGRES_ADMIN_URI. */
  readonly adminUri: string;
  /** What the tools see of the environment besides. */
  readonly env: ProcessEnv;
  /** Awaited before each call: the embedded server starts on first need. */
  readonly whenNeeded?: () => Promise<void>;
}

const OWN_LINE = /^pg_\w+: (?:error|detail): (?!Command was)(.*)$/;
const RESTORE_ARGS = ['--exit-on-error', '--single-transaction', '--no-owner', '--no-password'] as const;
/**
 * What only a superuser, or a member of the roles that the archive names, may restore. The owner of the database gets all
 * of it anyway.
 */
const NOT_RESTORED = ['--no-privileges', '--no-publications', '--no-subscriptions', '--no-security-labels'] as const;

/**
 * `pg_dump -Fc` and `pg_restore` (spec 2, "Database backups"). The dump and its counts are of one moment: a transaction
 * exports its snapshot to the tool. Archives are restored by a role without any power over other databases
 * (`restorer-role.ts`), so that one that was tampered with changes nothing else.
 */
export function createPostgresDumpTool(options: PostgresDumpOptions): DumpTool {
  const { adminUri, env, whenNeeded } = options;
  const admin = loginOf(adminUri);
  const asAdmin = async <T>(
    signal: AbortSignal,
    work: (client: Client) => Promise<T>,
    database: string | null = null,
  ): Promise<T> => {
    await whenNeeded?.();
    return await withClient(database === null ? adminUri : withDatabase(adminUri, database), signal, work);
  };
  /** What a restored database is made of lets nobody in but its owner. */
  const share = (client: Client, live: string, database: string): Promise<void> =>
    shareWithGroups(client, live, (work) => asAdmin(AbortSignal.timeout(120_000), work, database));
  const restore = async (
    to: { readonly database: string; readonly login: PostgresLogin; readonly args: readonly string[] },
    archive: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> => {
    const program = await findProgram('pg_restore', await asAdmin(signal, majorOf));
    await runTool({
      program,
      args: [...RESTORE_ARGS, ...to.args, `--dbname=dbname=${quoted(to.database)}`],
      options: { env: { ...env, ...toolEnv(adminUri, to.database, to.login) }, signal, input: archive },
      secrets: [to.login.password],
      code: 'RESTORE_FAILED',
      ownLine: OWN_LINE,
    });
  };
  return {
    dump: (databaseName, store, { signal }) =>
      asAdmin(
        signal,
        async (client) => {
          const program = await findProgram('pg_dump', await majorOf(client));
          await beginReading(client);
          const tables = await holdTables(client);
          const snapshot = await exportSnapshot(client);
          const { result: stored } = await readTool(
            {
              program,
              args: ['--format=custom', '--no-password', `--snapshot=${snapshot}`],
              options: { env: { ...env, ...toolEnv(adminUri, databaseName, admin) }, signal },
              secrets: [admin.password],
              code: 'DUMP_FAILED',
              ownLine: OWN_LINE,
            },
            store,
          );
          return { stored, figures: await countRows(client, tables) };
        },
        databaseName,
      ),
    async restoreInto({ from, scratch }, archive, { signal }) {
      requireScratch(scratch);
      const login = await asAdmin(signal, (client) => makeScratch(client, from, scratch));
      await restore({ database: scratch, login, args: NOT_RESTORED }, archive, signal);
      const owner = await asAdmin(signal, (client) => ordinaryOwner(client, from));
      await asAdmin(signal, (client) => handOver(client, scratch, owner), scratch);
      await asAdmin(signal, (client) => dropRestorer(client, scratch));
    },
    async restoreInPlace(databaseName, archive, { signal }) {
      const role = roleOver(databaseName);
      const owner = await asAdmin(signal, (client) => requireOrdinaryOwner(client, databaseName));
      await asAdmin(signal, (client) => dropLeftRestorers(client, databaseName, owner), databaseName);
      const login = await asAdmin(signal, async (client) => {
        const made = await createRestorer(client, role);
        await client.query(`GRANT ${name(owner)} TO ${name(role)}`);
        return made;
      });
      try {
        const args = ['--clean', '--if-exists', `--role=${owner}`];
        await restore({ database: databaseName, login, args }, archive, signal);
      } finally {
        const always = AbortSignal.timeout(60_000);
        await asAdmin(always, (client) => handOver(client, role, owner), databaseName);
        await asAdmin(always, (client) => dropRestorer(client, role));
      }
      await asAdmin(signal, (client) => share(client, databaseName, databaseName));
    },
    figures: (databaseName, signal) =>
      asAdmin(
        signal,
        async (client) => {
          await beginReading(client);
          return await countRows(client, await holdTables(client));
        },
        databaseName,
      ),
    reopen: (databaseName) =>
      asAdmin(AbortSignal.timeout(120_000), async (client) => {
        if ((await ownerOf(client, databaseName)) === null) return;
        await client.query(`ALTER DATABASE ${name(databaseName)} ALLOW_CONNECTIONS true`);
      }),
    swap: (names) =>
      asAdmin(AbortSignal.timeout(120_000), async (client) => {
        // Before: who else uses the database does so from the first moment on.
        if ((await ownerOf(client, names.scratch)) !== null) await share(client, names.live, names.scratch);
        await swapDatabases(client, names);
      }),
    async drop(scratch) {
      requireScratch(scratch);
      await asAdmin(AbortSignal.timeout(120_000), (client) => dropScratch(client, scratch));
    },
  };
}

/** One moment, however long it is read. */
async function beginReading(client: Client): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query('SET LOCAL statement_timeout = 0');
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
}

async function exportSnapshot(client: Client): Promise<string> {
  const { rows } = await client.query<{ snapshot: string }>('SELECT pg_catalog.pg_export_snapshot() AS snapshot');
  return rows[0]?.snapshot ?? '';
}

async function majorOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  return Math.floor(Number(rows[0]?.server_version_num) / 10_000);
}

/** An empty database with the character set of another one. Its owner has its name, and nothing besides. */
async function makeScratch(client: Client, from: string, scratch: string): Promise<PostgresLogin> {
  await dropScratch(client, scratch);
  const login = await createRestorer(client, scratch);
  const text = `SELECT pg_encoding_to_char(encoding) AS encoding, datcollate, datctype FROM pg_database WHERE datname = $1`;
  const { rows } = await client.query<{ encoding: string; datcollate: string; datctype: string }>(text, [from]);
  const [like] = rows;
  const characters =
    like === undefined
      ? "ENCODING 'UTF8'"
      : `ENCODING ${literal(like.encoding)} LC_COLLATE ${literal(like.datcollate)} LC_CTYPE ${literal(like.datctype)}`;
  await client.query(`CREATE DATABASE ${name(scratch)} OWNER ${name(scratch)} TEMPLATE template0 ${characters}`);
  await client.query(`REVOKE ALL ON DATABASE ${name(scratch)} FROM PUBLIC`);
  return login;
}

async function dropScratch(client: Client, scratch: string): Promise<void> {
  await client.query(`DROP DATABASE IF EXISTS ${name(scratch)} WITH (FORCE)`);
  await dropRestorer(client, scratch);
}

/** Who shall own what was restored: the owner of the database that it is of; null for the administrator. */
async function ordinaryOwner(client: Client, database: string): Promise<string | null> {
  const owner = await ownerOf(client, database);
  return owner === null || (await isSuperuser(client, owner)) ? null : owner;
}

function requireScratch(database: string): void {
  if (isScratch(database)) return;
  throw new FairleadError(
    'VALIDATION_FAILED',
    `${database} was not made by backups: they neither overwrite nor drop it`,
  );
}

/** A value in a connection string of libpq. */
function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
