import { type Client, escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import type { DumpTool } from '../../domain/backups/ports.ts';
import { isScratch } from '../../domain/backups/restore.ts';
import { FairleadError } from '../../domain/errors.ts';
import { shareWithGroups } from '../postgres/consumers.ts';
import type { Within } from '../postgres/remove-role.ts';
import { isSuperuser, ownerOf } from '../postgres/roles.ts';
import { withClient } from '../postgres/with-client.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { giveBack, keepToRestorer } from './give-back.ts';
import { ALWAYS, notMeant } from './is-meant.ts';
import { findProgram, loginOf, type PostgresLogin, toolEnv, withDatabase } from './postgres-connection.ts';
import { countRows, holdTables } from './postgres-figures.ts';
import { endSwap, swapDatabases } from './postgres-swap.ts';
import { readToEnd } from './read-to-end.ts';
import {
  createRestorer,
  dropLeftRestorers,
  dropRestorer,
  endRestorer,
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
  /** Where the programs are installed, each major version in a folder; where Debian has them by default. */
  readonly installed?: string;
  /** How long a dump waits for whoever keeps a table to himself, in milliseconds. */
  readonly lockMs?: number;
}

/** Of a swap, in which the owner is given each table of what was restored. */
const SWAP_MS = 10 * 60_000;
/**
 * So long at most `pg_dump` waits for a table that is held for it already: whoever changes that waits for the dump, and would make
 * it wait in turn, and everybody behind him.
 */
const TOOL_LOCK_MS = 10_000;
/** What it says then: it has no other timeout. */
const BUSY = /canceling statement due to (?:statement|lock) timeout/;
const OWN_LINE = /^pg_\w+: (?:error|detail): (?!(?:Command|Query) was)(.*)$/;
const DUMP_ARGS = ['--format=custom', '--no-password', `--lock-wait-timeout=${TOOL_LOCK_MS}`] as const;
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
  const { adminUri, env, whenNeeded, lockMs, installed } = options;
  const admin = loginOf(adminUri);
  const asAdmin = async <T>(
    signal: AbortSignal,
    work: (client: Client) => Promise<T>,
    database: string | null = null,
  ): Promise<T> => {
    await whenNeeded?.();
    return await withClient(database === null ? adminUri : withDatabase(adminUri, database), signal, work);
  };
  const within: Within = (database, work) => asAdmin(AbortSignal.timeout(SWAP_MS), work, database);
  /** What a restored database is made of lets nobody in but its owner. */
  const share = (client: Client, live: string, to: string): Promise<void> =>
    shareWithGroups(client, { database: live, to }, (work) => asAdmin(AbortSignal.timeout(120_000), work, to));
  const restore = async (
    to: { readonly database: string; readonly login: PostgresLogin; readonly args: readonly string[] },
    archive: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> => {
    const program = await findProgram('pg_restore', await asAdmin(signal, majorOf), installed);
    await readToEnd(archive, (input) =>
      runTool({
        program,
        args: [...RESTORE_ARGS, ...to.args, `--dbname=dbname=${quoted(to.database)}`],
        options: { env: { ...env, ...toolEnv(adminUri, to.database, to.login) }, signal, input },
        secrets: [to.login.password],
        code: 'RESTORE_FAILED',
        ownLine: OWN_LINE,
      }),
    );
  };
  return {
    dump: (databaseName, store, { signal }) =>
      asAdmin(
        signal,
        async (client) => {
          const program = await findProgram('pg_dump', await majorOf(client), installed);
          await beginReading(client);
          const tables = await holdTables(client, lockMs);
          const snapshot = await exportSnapshot(client);
          const { result: stored } = await readTool(
            {
              program,
              args: [...DUMP_ARGS, `--snapshot=${snapshot}`],
              options: { env: { ...env, ...toolEnv(adminUri, databaseName, admin) }, signal },
              secrets: [admin.password],
              code: 'DUMP_FAILED',
              ownLine: OWN_LINE,
            },
            store,
          ).catch(asBusy);
          return { stored, figures: await countRows(client, tables) };
        },
        databaseName,
      ),
    async restoreInto({ from, scratch }, archive, { signal }) {
      requireScratch(scratch);
      const login = await asAdmin(signal, (client) => makeScratch(client, within, { from, scratch }));
      await restore({ database: scratch, login, args: NOT_RESTORED }, archive, signal);
      await asAdmin(signal, (client) => keepToRestorer(client, scratch));
    },
    async restoreInPlace(databaseName, archive, { signal, isMeant = ALWAYS }) {
      const role = roleOver(databaseName);
      const owner = await asAdmin(signal, (client) => requireOrdinaryOwner(client, databaseName));
      const left = { database: databaseName, to: owner };
      await asAdmin(signal, (client) => dropLeftRestorers(client, within, left), databaseName);
      const login = await asAdmin(signal, async (client) => {
        const made = await createRestorer(client, within, role);
        await client.query(`GRANT ${name(owner)} TO ${name(role)}`);
        return made;
      });
      try {
        // From here on who ends it finds the role: who did so before has said so.
        if (!(await isMeant())) throw notMeant(databaseName);
        const args = ['--clean', '--if-exists', `--role=${owner}`];
        await restore({ database: databaseName, login, args }, archive, signal);
      } finally {
        const always = AbortSignal.timeout(60_000);
        await asAdmin(always, (client) => endRestorer(client, within, { role, to: owner }), databaseName);
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
    async reopen(databaseName) {
      const asLong = () => AbortSignal.timeout(120_000);
      const owner = await asAdmin(asLong(), (client) => openToAll(client, databaseName));
      if (owner === null) return;
      const left = { database: databaseName, to: owner };
      // A restore in place whose worker was killed may go on by itself, or lie between its end and what follows it.
      await asAdmin(asLong(), (client) => dropLeftRestorers(client, within, left), databaseName);
      await asAdmin(asLong(), (client) => share(client, databaseName, databaseName));
    },
    size: (databaseName, signal) =>
      asAdmin(signal, async (client) => {
        const text = 'SELECT pg_database_size(oid)::text AS bytes FROM pg_database WHERE datname = $1';
        const { rows } = await client.query<{ bytes: string }>(text, [databaseName]);
        return rows[0] === undefined ? null : { bytes: Number(rows[0].bytes) };
      }),
    swap: (names) =>
      asAdmin(AbortSignal.timeout(SWAP_MS), async (client) => {
        await swapDatabases(client, names, async () => {
          await giveBack(client, within, names);
          await share(client, names.live, names.scratch);
        });
      }),
    async endSwap(names) {
      const { scratch } = names;
      requireScratch(scratch);
      return await asAdmin(AbortSignal.timeout(120_000), (client) =>
        endSwap(client, names, () => dropScratch(client, within, scratch)),
      );
    },
    async drop(scratch) {
      requireScratch(scratch);
      await asAdmin(AbortSignal.timeout(120_000), (client) => dropScratch(client, within, scratch));
    },
  };
}

/** @throws UNAVAILABLE (retryable) for a dump that met somebody who changes a table; any other error as it is */
function asBusy(error: unknown): never {
  const isBusy = error instanceof FairleadError && error.code === 'DUMP_FAILED' && BUSY.test(error.message);
  if (!isBusy) throw error;
  const text = 'Somebody changes a table of the database, and so it could not be dumped.';
  throw new FairleadError('UNAVAILABLE', text, { system: 'postgres', retryable: true, cause: error });
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
async function makeScratch(
  client: Client,
  within: Within,
  { from, scratch }: { readonly from: string; readonly scratch: string },
): Promise<PostgresLogin> {
  await dropScratch(client, within, scratch);
  const login = await createRestorer(client, within, scratch);
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

/** @returns its owner; null where it is not there, and where a superuser owns it, over whose database nothing is restored in place */
async function openToAll(client: Client, database: string): Promise<string | null> {
  const owner = await ownerOf(client, database);
  if (owner === null) return null;
  await client.query(`ALTER DATABASE ${name(database)} ALLOW_CONNECTIONS true`);
  return (await isSuperuser(client, owner)) ? null : owner;
}

async function dropScratch(client: Client, within: Within, scratch: string): Promise<void> {
  await client.query(`DROP DATABASE IF EXISTS ${name(scratch)} WITH (FORCE)`);
  await dropRestorer(client, within, scratch);
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
