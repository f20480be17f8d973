import type { Client } from 'pg';
import { escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import { isConsumerUser } from '../../domain/databases/consumer.ts';
import { databaseUsers, parseDatabaseName } from '../../domain/databases/database-name.ts';
import type { DatabaseLogin, DatabaseServer, ListedDatabase } from '../../domain/databases/ports.ts';
import { consumerRoles, createConsumerLogins, groupsOfConsumer } from './consumers.ts';
import { endStrangers, keepMemberships } from './memberships.ts';
import { CONNECTIONS, openToOwner } from './open-to-owner.ts';
import { ensureRole, inTransaction, notOurs, requireOurs } from './own-roles.ts';
import { dropLeftRoles, removeRole, type Within } from './remove-role.ts';
import { isSuperuser, ownerOf } from './roles.ts';
import { scramVerifier } from './scram-verifier.ts';
import { withClient } from './with-client.ts';

/** Databases that every server has. */
const OWN_DATABASES = ['postgres', 'template0', 'template1'];
const ALWAYS = async (): Promise<boolean> => true;

/**
 * Databases on a PostgreSQL server. A database is owned by a role of its name, with which nobody connects. Its users are
 * members of that role and act as it (`SET role`), so that tables belong to the role, whichever user made them. Statements
 * for one database wait for each other by an advisory lock.
 * @param adminUri of a superuser, or of a user with CREATEDB and CREATEROLE
 */
export function createPostgresServer({ adminUri }: { readonly adminUri: string }): DatabaseServer {
  const exclusively = <T>(database: string, signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> =>
    withClient(adminUri, signal, async (client) => {
      // Ends with the connection.
      await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`fairlead ${database}`]);
      return work(client);
    });
  const within = <T>(database: string, signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> =>
    withClient(addressOf(adminUri, database), signal, work);
  return {
    engine: 'postgres',
    consumers: createConsumerLogins({ exclusively, within }),
    async ensure(database, login, signal) {
      requireUser(database, login.user);
      return exclusively(database, signal, async (client) => {
        await ensureRoles(client, database, login);
        await ensureDatabase(client, database);
        if (await isBefore15(client)) await givePublicSchema(adminUri, database, signal);
        return openElsewhere(client, database, login.user);
      });
    },
    async withdraw(database, user, signal) {
      requireUser(database, user);
      await exclusively(database, signal, async (client) => {
        if (!(await requireOurs(client, user))) return;
        await client.query(`ALTER ROLE ${name(user)} NOLOGIN PASSWORD NULL`);
        await client.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = $1', [user]);
        const isConsumer = isConsumerUser(database, user);
        const groups = isConsumer ? await groupsOfConsumer(client, database) : [database];
        if (await keepMemberships(client, user, groups)) await endStrangers(client, database);
      });
    },
    drop: (database, signal, isMeant = ALWAYS) =>
      exclusively(database, signal, async (client) => {
        if (await isMeant()) await dropDatabase(client, (other, work) => within(other, signal, work), database);
      }),
    list: (signal) => withClient(adminUri, signal, listDatabases),
  };
}

/** The owner and one user, in one transaction. */
function ensureRoles(client: Client, database: string, { user, password }: DatabaseLogin): Promise<void> {
  return inTransaction(client, async () => {
    await ensureRole(client, database);
    await ensureRole(client, user);
    const limits = `NOCREATEDB NOCREATEROLE CONNECTION LIMIT ${CONNECTIONS}`;
    await client.query(`ALTER ROLE ${name(user)} LOGIN ${limits} PASSWORD ${literal(scramVerifier(password))}`);
    await client.query(`GRANT ${name(database)} TO ${name(user)}`);
    await client.query(`ALTER ROLE ${name(user)} SET role TO ${name(database)}`);
    await keepMemberships(client, user, [database]);
    // Who is no superuser must be a member of the owner to give it a database.
    if (!(await isSuperuser(client, null))) await client.query(`GRANT ${name(database)} TO CURRENT_USER`);
  });
}

/** Closed until nobody but its owner may connect, so that there is no moment at which others could. */
async function ensureDatabase(client: Client, database: string): Promise<void> {
  const owner = await ownerOf(client, database);
  if (owner !== null && owner !== database) throw notOurs(database);
  if (owner === null) {
    const options = `OWNER ${name(database)} TEMPLATE template0 ENCODING 'UTF8' ALLOW_CONNECTIONS false`;
    await client.query(`CREATE DATABASE ${name(database)} ${options}`);
  }
  await openToOwner(client, database);
}

/** Up to version 14 the schema `public` of a database belonged to the administrator. */
async function isBefore15(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  return Number(rows[0]?.server_version_num) < 150_000;
}

async function givePublicSchema(adminUri: string, database: string, signal: AbortSignal): Promise<void> {
  const text = `ALTER SCHEMA public OWNER TO ${name(database)}`;
  await withClient(addressOf(adminUri, database), signal, (client) => client.query(text));
}

/** The address of the administrator, in a database. */
function addressOf(adminUri: string, database: string): string {
  const uri = new URL(adminUri);
  uri.pathname = `/${database}`;
  return uri.href;
}

/** Closes the databases that every server has, and names others that a user may connect to. */
async function openElsewhere(client: Client, database: string, user: string): Promise<string[]> {
  const text = `SELECT datname FROM pg_database
    WHERE datallowconn AND datname <> $1 AND has_database_privilege($2, oid, 'CONNECT') ORDER BY datname`;
  const open = async (): Promise<string[]> => {
    const { rows } = await client.query<{ datname: string }>(text, [database, user]);
    return rows.map(({ datname }) => datname);
  };
  const found = await open();
  if (found.length === 0) return [];
  for (const own of found.filter((one) => OWN_DATABASES.includes(one))) {
    await client.query(`REVOKE CONNECT, TEMPORARY ON DATABASE ${name(own)} FROM PUBLIC`);
  }
  return (await open()).map(
    (other) =>
      `The PostgreSQL server lets every user connect to its database ${other}: as its owner, REVOKE CONNECT ON DATABASE "${other}" FROM PUBLIC`,
  );
}

async function dropDatabase(client: Client, within: Within, database: string): Promise<void> {
  if (!(await requireOurs(client, database))) return;
  const owner = await ownerOf(client, database);
  if (owner !== null && owner !== database) throw notOurs(database);
  // What restores have kept of it belongs to its owner too.
  const text = 'SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = $1';
  const { rows } = await client.query<{ datname: string }>(text, [database]);
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${name(datname)} WITH (FORCE)`);
  for (const role of [...(await consumerRoles(client, database)), ...databaseUsers(database), database]) {
    if (await requireOurs(client, role)) await removeRole(client, within, role);
  }
  await dropLeftRoles(client);
}

async function listDatabases(client: Client): Promise<ListedDatabase[]> {
  const text = `SELECT datname, pg_database_size(oid)::text AS bytes FROM pg_database
    WHERE NOT datistemplate AND NOT datname = ANY($1) ORDER BY datname`;
  const { rows } = await client.query<{ datname: string; bytes: string }>(text, [OWN_DATABASES]);
  return rows.map(({ datname, bytes }) => {
    return { database: datname, target: parseDatabaseName(datname), bytes: Number(bytes) };
  });
}

function requireUser(database: string, user: string): void {
  if (databaseUsers(database).includes(user) || isConsumerUser(database, user)) return;
  throw new RangeError(`${user} is no user of ${database}`);
}
