import { type Client, escapeLiteral as literal, escapeIdentifier as name } from 'pg';
import { DATABASE_ACCESS, type DatabaseAccessKind } from '../../domain/catalog/catalog.ts';
import { isConsumerUser } from '../../domain/databases/consumer.ts';
import type { ConsumerLogins, DatabaseLogin } from '../../domain/databases/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { endStrangers, keepMemberships } from './memberships.ts';
import { ensureRole, inTransaction, requireOurs } from './own-roles.ts';
import { removeRole, type Within } from './remove-role.ts';
import { isSuperuser, ownerOf } from './roles.ts';
import { scramVerifier } from './scram-verifier.ts';

/** Of one user, and of those of all services beside the owner, who keeps most of the connections to a database. */
const CONNECTIONS = { one: 10, all: 20 } as const;

/** Of all users of other services: by it a server may let them in that lets nobody but members into a database. */
export const ALL_CONSUMERS = 'fairlead-consumers';

/** What a group may do with tables and sequences; it makes, changes and empties none. */
const PRIVILEGES: Readonly<Record<DatabaseAccessKind, { readonly tables: string; readonly sequences: string }>> = {
  read: { tables: 'SELECT', sequences: 'SELECT' },
  write: { tables: 'SELECT, INSERT, UPDATE, DELETE', sequences: 'SELECT, USAGE' },
};

/** Of one statement. */
const MOST_NAMES = 200;
const ALWAYS = async (): Promise<boolean> => true;

/** A connection of the administrator, with statements for one database one after the other. */
export interface ConsumersDeps {
  readonly exclusively: <T>(database: string, signal: AbortSignal, work: (client: Client) => Promise<T>) => Promise<T>;
  /** A connection to a database. */
  readonly within: <T>(database: string, signal: AbortSignal, work: (client: Client) => Promise<T>) => Promise<T>;
}

/**
 * Logins of services to the databases of other ones. Each has a role of its own, in a group of the database that reads, or
 * reads and writes: so what a group may do is settled once for all, and again after a restore. A group stays until its
 * database is dropped, as archives name it.
 */
export function createConsumerLogins({ exclusively, within }: ConsumersDeps): ConsumerLogins {
  return {
    async admit(database, login, access, signal, isMeant = ALWAYS) {
      requireConsumer(database, login.user);
      await exclusively(database, signal, async (client) => {
        if (!(await isMeant())) return;
        if ((await ownerOf(client, database)) !== database) {
          const text = `The database ${database} is not there: nobody is let in.`;
          throw new FairleadError('UNAVAILABLE', text, { system: 'postgres', retryable: true });
        }
        await inTransaction(client, () => ensureGroup(client, database, access));
        await within(database, signal, (inside) => share(inside, database, access));
        // Last: it gets in when the group has what it is to have, and no more.
        await inTransaction(client, async () => {
          await ensureMember(client, groupOf(database, access), login);
          await divideConnections(client, database);
        });
      });
    },
    async dismiss(database, users, signal, isMeant = ALWAYS) {
      for (const user of users) requireConsumer(database, user);
      await exclusively(database, signal, async (client) => {
        if (!(await isMeant())) return;
        for (const user of users)
          await dismissUser(client, (other, work) => within(other, signal, work), database, user);
        await inTransaction(client, () => divideConnections(client, database));
      });
    },
  };
}

async function ensureGroup(client: Client, database: string, access: DatabaseAccessKind): Promise<void> {
  const group = groupOf(database, access);
  await ensureRole(client, group);
  await letConnect(client, database, group);
}

async function letConnect(client: Client, database: string, group: string): Promise<void> {
  await client.query(`GRANT CONNECT ON DATABASE ${name(database)} TO ${name(group)}`);
}

async function ensureMember(client: Client, group: string, { user, password }: DatabaseLogin): Promise<void> {
  await ensureRole(client, user);
  const limits = 'NOCREATEDB NOCREATEROLE';
  await client.query(`ALTER ROLE ${name(user)} LOGIN ${limits} PASSWORD ${literal(scramVerifier(password))}`);
  await ensureRole(client, ALL_CONSUMERS);
  await client.query(`GRANT ${name(group)}, ${name(ALL_CONSUMERS)} TO ${name(user)}`);
  await keepMemberships(client, user, [group, ALL_CONSUMERS]);
}

/** However many services use a database, its owner keeps most of the connections to it. */
async function divideConnections(client: Client, database: string): Promise<void> {
  const users = await usersOf(client, database);
  // Both users of a service, while it is given the next login, count as one.
  const services = new Set(users.map((user) => user.slice(0, user.lastIndexOf('_'))));
  const each = Math.max(1, Math.min(CONNECTIONS.one, Math.floor(CONNECTIONS.all / services.size)));
  for (const user of users) await client.query(`ALTER ROLE ${name(user)} CONNECTION LIMIT ${each}`);
}

async function dismissUser(client: Client, within: Within, database: string, user: string): Promise<void> {
  if (!(await requireOurs(client, user))) return;
  await client.query(`ALTER ROLE ${name(user)} NOLOGIN PASSWORD NULL`);
  await client.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = $1', [user]);
  await keepMemberships(client, user, []);
  await endStrangers(client, database);
  await removeRole(client, within, user);
}

/**
 * Gives the groups of a database what they may do in it, or in one that is to take its place. Idempotent.
 * @param to that database; it may be the only one that is there
 */
export async function shareWithGroups(
  client: Client,
  { database, to }: { readonly database: string; readonly to: string },
  within: (work: (inside: Client) => Promise<void>) => Promise<void>,
): Promise<void> {
  const groups = await groupsOf(client, database);
  const shared = DATABASE_ACCESS.filter((access) => groups.includes(groupOf(database, access)));
  if (shared.length === 0) return;
  for (const access of shared) await letConnect(client, to, groupOf(database, access));
  await within(async (inside) => {
    for (const access of shared) await share(inside, database, access);
  });
}

/**
 * What there is in the database of this connection, and what its owner makes from now on. Nobody but the owner makes
 * anything in `public`, which versions up to 14 leave open.
 */
async function share(client: Client, owner: string, access: DatabaseAccessKind): Promise<void> {
  const group = name(groupOf(owner, access));
  const { tables, sequences } = PRIVILEGES[access];
  await inTransaction(client, async () => {
    const schemas = await namesOf(client, SCHEMAS, owner);
    if (schemas.includes('public')) await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    if (await isSuperuser(client, null)) await keepLargeObjects(client, owner);
    await grant(client, 'GRANT USAGE ON SCHEMA', schemas, group);
    await grant(client, `GRANT ${tables} ON TABLE`, await namesOf(client, relationsOf(TABLES), owner), group);
    await grant(client, `GRANT ${sequences} ON SEQUENCE`, await namesOf(client, relationsOf(['S']), owner), group);
    const later = `ALTER DEFAULT PRIVILEGES FOR ROLE ${name(owner)} GRANT`;
    await client.query(`${later} USAGE ON SCHEMAS TO ${group}`);
    await client.query(`${later} ${tables} ON TABLES TO ${group}`);
    await client.query(`${later} ${sequences} ON SEQUENCES TO ${group}`);
  });
}

/** What makes large objects, which PostgreSQL lets everybody do who connects. */
const MAKERS = ['lo_creat(integer)', 'lo_create(oid)', 'lo_from_bytea(oid, bytea)'];

/** Nobody but the owner makes large objects in the database of this connection. A superuser alone may say so. */
async function keepLargeObjects(client: Client, owner: string): Promise<void> {
  const functions = MAKERS.map((each) => `pg_catalog.${each}`).join(', ');
  await client.query(`GRANT EXECUTE ON FUNCTION ${functions} TO ${name(owner)}`);
  await client.query(`REVOKE EXECUTE ON FUNCTION ${functions} FROM PUBLIC`);
}

const SCHEMAS = `SELECT quote_ident(nspname) AS name FROM pg_namespace
  WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' AND pg_has_role($1, nspowner, 'USAGE')`;

/** Tables, also partitioned and foreign ones, and views. */
const TABLES = ['r', 'p', 'f', 'v', 'm'];

/** Those that the owner has: an extension's are its own. */
function relationsOf(kinds: readonly string[]): string {
  return `SELECT quote_ident(nspname) || '.' || quote_ident(relname) AS name
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relowner = (SELECT oid FROM pg_roles WHERE rolname = $1) AND nspname !~ '^pg_'
    AND relkind IN (${kinds.map(literal).join(', ')})`;
}

async function namesOf(client: Client, text: string, owner: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(text, [owner]);
  return rows.map((row) => row.name);
}

/** @param quoted names as the server quotes them */
async function grant(client: Client, what: string, quoted: readonly string[], group: string): Promise<void> {
  for (let at = 0; at < quoted.length; at += MOST_NAMES) {
    await client.query(`${what} ${quoted.slice(at, at + MOST_NAMES).join(', ')} TO ${group}`);
  }
}

/** Groups and users of services that use a database beside its own. */
export async function consumerRoles(client: Client, database: string): Promise<readonly string[]> {
  return [...(await usersOf(client, database)), ...(await groupsOf(client, database))];
}

/** Groups that the platform makes a user of another service a member of. */
export async function groupsOfConsumer(client: Client, database: string): Promise<readonly string[]> {
  return [...(await groupsOf(client, database)), ALL_CONSUMERS];
}

async function usersOf(client: Client, database: string): Promise<readonly string[]> {
  const text = 'SELECT rolname FROM pg_roles WHERE starts_with(rolname, $1) ORDER BY rolname';
  const { rows } = await client.query<{ rolname: string }>(text, [`${database}_`]);
  return rows.map(({ rolname }) => rolname).filter((role) => isConsumerUser(database, role));
}

async function groupsOf(client: Client, database: string): Promise<readonly string[]> {
  const there: string[] = [];
  for (const access of DATABASE_ACCESS) {
    if (await requireOurs(client, groupOf(database, access))) there.push(groupOf(database, access));
  }
  return there;
}

/** `shop_prod_read`: names of databases have one underscore, so it is none, and none of its users. */
function groupOf(database: string, access: DatabaseAccessKind): string {
  return `${database}_${access}`;
}

function requireConsumer(database: string, user: string): void {
  if (!isConsumerUser(database, user)) throw new RangeError(`${user} is no user of another service in ${database}`);
}
