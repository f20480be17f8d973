import { databaseUsers, parseDatabaseName } from '../../domain/databases/database-name.ts';
import { graphName } from '../../domain/databases/engines.ts';
import type { DatabaseLogin, DatabaseServer } from '../../domain/databases/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { databaseOfGraph, quoted, requirePlain, requireUser, roleName } from './names.ts';
import { COMMUNITY, failure, isCode } from './neo4j-error.ts';
import { type Ask, type Neo4jAdmin, withAdmin } from './with-admin.ts';

const ALWAYS = async (): Promise<boolean> => true;
const ANSWER_MS = 180_000;
const WAIT = 'WAIT 60 SECONDS';

/**
 * Databases on a Neo4j server of the Enterprise Edition: a graph each, and a role that reaches this one alone. Users of it have the
 * role and the graph as their home, by which they are known as the platform's.
 * @param options an administrator's login; answerMs is how long one call may take
 */
export function createNeo4jServer(options: Neo4jAdmin & { readonly answerMs?: number }): DatabaseServer {
  const { answerMs = ANSWER_MS } = options;
  const asAdmin = <T>(signal: AbortSignal, work: (ask: Ask) => Promise<T>) =>
    withAdmin(options, { signal, answerMs }, async (ask) => {
      await requireEnterprise(ask);
      return work(ask);
    });
  return {
    engine: 'neo4j',
    async ensure(database, login, signal) {
      requireUser(database, login.user);
      return asAdmin(signal, async (ask) => {
        await isOurUser(ask, database, login.user);
        await ensureGraph(ask, database);
        const warnings = await ensureRights(ask, database);
        await ensureUser(ask, database, login);
        return warnings;
      });
    },
    async withdraw(database, user, signal) {
      requireUser(database, user);
      await asAdmin(signal, (ask) => dropUser(ask, database, user));
    },
    async drop(database, signal, isMeant = ALWAYS) {
      requirePlain(database);
      await asAdmin(signal, async (ask) => {
        if (!(await isMeant()) || !(await hasRole(ask, database))) return;
        for (const user of databaseUsers(database)) await dropUser(ask, database, user);
        // By a worker that was paused the name is another service's by now, whose users come back.
        if (!(await isMeant())) return;
        requireCaughtUp(await ask(`DROP DATABASE ${quoted(graphName(database))} IF EXISTS DESTROY DATA ${WAIT}`));
        // Last: by it a call goes on that was killed in between.
        await ask(`DROP ROLE ${quoted(roleName(database))} IF EXISTS`);
      });
    },
    list: (signal) =>
      asAdmin(signal, async (ask) => {
        const graphs = await ask('SHOW DATABASES YIELD name');
        const names = [...new Set(graphs.flatMap(({ name }) => databaseOfGraph(String(name)) ?? []))].sort();
        return names.map((database) => ({ database, target: parseDatabaseName(database), bytes: null }));
      }),
  };
}

/** @throws UNAVAILABLE for a server with one graph for all */
async function requireEnterprise(ask: Ask): Promise<void> {
  const parts = await ask('CALL dbms.components() YIELD edition');
  if (!parts.some(({ edition }) => edition === 'enterprise')) throw failure('UNAVAILABLE', COMMUNITY);
}

/** The role first: a graph of that name without it is somebody else's. */
async function ensureGraph(ask: Ask, database: string): Promise<void> {
  const graph = graphName(database);
  if (!(await hasRole(ask, database))) {
    if ((await ask('SHOW DATABASES YIELD name')).some(({ name }) => name === graph)) throw notOurs('database', graph);
    await ask(`CREATE ROLE ${quoted(roleName(database))} IF NOT EXISTS`);
  }
  const waited = await ask(`CREATE DATABASE ${quoted(graph)} IF NOT EXISTS ${WAIT}`);
  requireCaughtUp(waited);
  // From 2025.01 on a server whose language is Cypher 25 answers without rows.
  if (waited.length > 0) return;
  const graphs = await ask('SHOW DATABASES YIELD name, currentStatus');
  const states = graphs.filter(({ name }) => name === graph).map(({ currentStatus }) => String(currentStatus));
  if (states.length > 0 && states.every((state) => state === 'online')) return;
  throw failure('UNAVAILABLE', `has not opened a database yet (${states.join(', ') || 'not there'})`, true);
}

/**
 * What each member of a cluster came to within the time that a statement waits: `CaughtUp`, `Incomplete` or `Failed`.
 * @throws UNAVAILABLE (retryable) unless all caught up
 */
function requireCaughtUp(rows: Awaited<ReturnType<Ask>>): void {
  const late = rows.filter(({ state, success }) => state !== 'CaughtUp' || success === false);
  if (late.length === 0) return;
  const states = late.map(({ address, state }) => `${String(address)} ${String(state)}`);
  throw failure('UNAVAILABLE', `was told, and not every member of it is ready (${states.join(', ')})`, true);
}

/** @returns what is open and should not be */
async function ensureRights(ask: Ask, database: string): Promise<string[]> {
  const [graph, role] = [quoted(graphName(database)), quoted(roleName(database))];
  await ask(`GRANT ACCESS ON DATABASE ${graph} TO ${role}`);
  await ask(`GRANT MATCH {*} ON GRAPH ${graph} TO ${role}`);
  await ask(`GRANT WRITE ON GRAPH ${graph} TO ${role}`);
  for (const what of ['NAME', 'INDEX', 'CONSTRAINT'])
    await ask(`GRANT ${what} MANAGEMENT ON DATABASE ${graph} TO ${role}`);
  try {
    await ask(`DENY LOAD ON ALL DATA TO ${role}`);
    return [];
  } catch (error) {
    if (!isCode(error, /Statement\.SyntaxError$/)) throw error;
    return ['The Neo4j server is older than 5.13: services read files and addresses from it by LOAD CSV.'];
  }
}

async function ensureUser(ask: Ask, database: string, { user, password }: DatabaseLogin): Promise<void> {
  const home = `SET HOME DATABASE ${quoted(graphName(database))}`;
  const login = 'SET PLAINTEXT PASSWORD $password SET PASSWORD CHANGE NOT REQUIRED';
  await ask(`CREATE USER ${quoted(user)} IF NOT EXISTS ${login} ${home}`, { password });
  await ask(`ALTER USER ${quoted(user)} SET STATUS ACTIVE ${home}`);
  await ask(`ALTER USER ${quoted(user)} ${login}`, { password }).catch((error) => {
    // It has this one already: "Old password and new password cannot be the same."
    if (!isCode(error, /Statement\.ArgumentError$/) || !/cannot be the same/.test(error.message)) throw error;
  });
  await ask(`GRANT ROLE ${quoted(roleName(database))} TO ${quoted(user)}`);
}

/** Refuses a user and ends its connections to this server. */
async function dropUser(ask: Ask, database: string, user: string): Promise<void> {
  if (await isOurUser(ask, database, user)) await ask(`DROP USER ${quoted(user)} IF EXISTS`);
  const open = await ask('CALL dbms.listConnections() YIELD connectionId, username');
  const ids = open.filter(({ username }) => username === user).map(({ connectionId }) => connectionId);
  if (ids.length > 0) await ask('CALL dbms.killConnections($ids)', { ids });
}

async function hasRole(ask: Ask, database: string): Promise<boolean> {
  return (await ask('SHOW ROLES YIELD role')).some(({ role }) => role === roleName(database));
}

/** Whether a user is there. @throws CONFLICT for one that the platform did not make */
async function isOurUser(ask: Ask, database: string, user: string): Promise<boolean> {
  const found = (await ask('SHOW USERS YIELD user, home')).find((one) => one.user === user);
  if (found === undefined) return false;
  if (found.home !== graphName(database)) throw notOurs('user', user);
  return true;
}

function notOurs(what: string, name: string): FairleadError {
  const remedy = 'rename it, or name another server in DB_NEO4J_ADMIN_URI';
  return new FairleadError(
    'CONFLICT',
    `The Neo4j server has a ${what} ${name} that the platform did not make: ${remedy}.`,
  );
}
