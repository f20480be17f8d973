import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import neo4j from 'neo4j-driver-lite';
import { createNeo4jServer } from '../../../adapters/neo4j/database-server.ts';
import { databaseOfGraph, roleName } from '../../../adapters/neo4j/names.ts';
import type { Neo4jAdmin } from '../../../adapters/neo4j/with-admin.ts';
import { databaseName } from '../../../domain/databases/database-name.ts';
import { graphName } from '../../../domain/databases/engines.ts';
import type { DatabaseLogin } from '../../../domain/databases/ports.ts';
import { databaseServerSuite, type WorkloadConnection } from '../../ports/database-server.ts';
import { type Neo4jStandIn, startNeo4jStandIn } from '../../support/neo4j-stand-in.ts';
import { ADMIN } from '../../support/neo4j-state.ts';

const signal = new AbortController().signal;
const LOGIN = { user: 'shop_prod_a', password: 'canary-of-a-password' };

async function connectWorkload(
  uri: string,
  database: string,
  { user, password }: DatabaseLogin,
): Promise<WorkloadConnection> {
  const driver = neo4j.driver(
    uri,
    { scheme: 'basic', principal: user, credentials: password },
    {
      maxTransactionRetryTime: 0,
      maxConnectionPoolSize: 1,
    },
  );
  const asked = async (text: string, parameters = {}) => {
    const session = driver.session({ database: graphName(database) });
    try {
      return (await session.run(text, parameters)).records.map((record) => String(record.get('value')));
    } finally {
      await session.close().catch(() => undefined);
    }
  };
  const read = () => asked('MATCH (note:Note) RETURN note.value AS value ORDER BY elementId(note)');
  try {
    await read();
  } catch (error) {
    await driver.close();
    throw error;
  }
  return {
    read,
    write: async (value) => void (await asked('CREATE (:Note {value: $value})', { value })),
    close: () => driver.close(),
  };
}

/** What every server of databases guarantees, on a server that the variables name. */
const REAL = process.env.FAIRLEAD_TEST_NEO4J_URI;
describe('databases on a real Neo4j', { skip: REAL === undefined }, () => {
  const uri = REAL ?? '';
  const password = process.env.FAIRLEAD_TEST_NEO4J_PASSWORD ?? '';
  databaseServerSuite(
    'Neo4j',
    () => ({
      server: createNeo4jServer({ uri, user: process.env.FAIRLEAD_TEST_NEO4J_USER ?? 'neo4j', password }),
      connect: (database, login) => connectWorkload(uri, database, login),
      ownDatabases: [],
    }),
    { hasConsumers: false },
  );
});

describe('databases on the stand-in of Neo4j', () => {
  let standIn: Neo4jStandIn;
  before(async () => {
    standIn = await startNeo4jStandIn();
  });
  after(() => standIn.stop());
  const admin = (changes: Partial<Neo4jAdmin> & { answerMs?: number } = {}) =>
    createNeo4jServer({ uri: standIn.uri, ...ADMIN, ...changes });

  databaseServerSuite(
    'Neo4j, the stand-in',
    () => ({
      server: admin(),
      connect: (database, login) => connectWorkload(standIn.uri, database, login),
      ownDatabases: ['neo4j'],
    }),
    { hasConsumers: false },
  );

  test('the password stands in no statement, and a user reads its own graph alone', async () => {
    await admin().ensure('shop_prod', LOGIN, signal);
    await admin().ensure('other_prod', { user: 'other_prod_a', password: 'another' }, signal);
    assert.equal(
      standIn.state.statements.some((text) => text.includes(LOGIN.password)),
      false,
    );
    for (const graph of ['other_prod', 'system_prod', 'neo4j_prod']) {
      await assert.rejects(connectWorkload(standIn.uri, graph, LOGIN), { code: /DatabaseNotFound/ });
    }
    await assert.rejects(admin({ user: LOGIN.user, password: LOGIN.password }).list(signal), {
      ...{ code: 'UNAVAILABLE', retryable: false, message: /needs the role admin/ },
    });
  });

  test('a user or a graph of that name that the platform did not make is neither changed nor dropped', async () => {
    const { users, graphs } = standIn.state;
    const theirs = { password: 'theirs', home: null, roles: new Set<string>() };
    users.set('by-hand_prod_a', theirs);
    graphs.set('service-grown-prod', ['theirs']);
    const login = { user: 'by-hand_prod_a', password: 'ours' };
    await assert.rejects(admin().ensure('by-hand_prod', login, signal), {
      code: 'CONFLICT',
      message: /a user by-hand_prod_a/,
    });
    await assert.rejects(admin().withdraw('by-hand_prod', login.user, signal), { code: 'CONFLICT' });
    const grown = { user: 'grown_prod_a', password: 'ours' };
    await assert.rejects(admin().ensure('grown_prod', grown, signal), {
      code: 'CONFLICT',
      message: /service-grown-prod/,
    });
    await admin().drop('grown_prod', signal);
    assert.deepEqual([users.get('by-hand_prod_a'), graphs.get('service-grown-prod')], [theirs, ['theirs']]);
    graphs.delete('service-grown-prod');
  });

  test('a member that is late or fails is told, and the call is repeated until all are ready', async () => {
    const { members, status } = standIn.state;
    const login = { user: 'waits_prod_a', password: 'secret' };
    const ensure = () => admin().ensure('waits_prod', login, signal);
    const isLate = (message: RegExp) => ({ code: 'UNAVAILABLE', retryable: true, message });
    for (const state of ['Incomplete', 'Failed']) {
      members.set('other:7687', state);
      await assert.rejects(ensure(), isLate(new RegExp(`other:7687 ${state}`)));
    }
    members.clear();
    status.current = 'starting';
    await assert.rejects(ensure(), isLate(/not opened a database yet \(starting\)/));
    status.current = 'online';
    await ensure();
    members.set('localhost:7687', 'Failed');
    await assert.rejects(admin().drop('waits_prod', signal), isLate(/localhost:7687 Failed/));
    members.set('localhost:7687', 'CaughtUp');
    await admin().drop('waits_prod', signal);
    assert.ok(!standIn.state.graphs.has('service-waits-prod'));
  });

  test('a worker that was paused while it dropped takes no graph of the next owner of the name', async () => {
    await admin().ensure('paused_prod', { user: 'paused_prod_a', password: 'secret' }, signal);
    const answers = [true, false];
    await admin().drop('paused_prod', signal, async () => answers.shift() ?? false);
    assert.deepEqual([answers, standIn.state.graphs.has('service-paused-prod')], [[], true]);
    await admin().drop('paused_prod', signal);
    assert.ok(!standIn.state.graphs.has('service-paused-prod'));
  });

  test('a server of the Community Edition, or one that asks nobody for a password, makes no database', async () => {
    const rows = [
      [{ edition: 'community' }, /of the Community Edition, which has one graph for all/],
      [{ asksForPasswords: false }, /lets everybody in: set dbms\.security\.auth_enabled=true/],
    ] as const;
    for (const [options, message] of rows) {
      const other = await startNeo4jStandIn(options);
      const server = createNeo4jServer({ uri: other.uri, ...ADMIN });
      await assert.rejects(server.ensure('shop_prod', LOGIN, signal), {
        code: 'UNAVAILABLE',
        retryable: false,
        message,
      });
      assert.deepEqual([...other.state.users.keys()], [ADMIN.user]);
      await other.stop();
    }
  });

  test('a server that is away, hangs up, says nothing, or refuses the administrator is told apart', async () => {
    const isAway = { code: 'UNAVAILABLE', retryable: true };
    await assert.rejects(admin({ uri: 'bolt://127.0.0.1:1' }).list(signal), isAway);
    const deaf = await listening((socket) => socket.destroy());
    await assert.rejects(admin({ uri: deaf.uri }).list(signal), isAway);
    const silent = await listening(() => undefined);
    await assert.rejects(admin({ uri: silent.uri, answerMs: 300 }).list(signal), { ...isAway, message: /in time/ });
    const cancel = new AbortController();
    const reason = new Error('cancelled');
    const call = admin({ uri: silent.uri, answerMs: 2_000 }).list(cancel.signal);
    cancel.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    await assert.rejects(admin({ password: 'guessed' }).list(signal), {
      ...{ code: 'UNAVAILABLE', retryable: false, message: /refuses DB_NEO4J_ADMIN_USER/ },
    });
    for (const one of [deaf, silent]) await one.stop();
  });
});

test('names are those that Neo4j takes, each of one database', () => {
  for (const service of ['shop', 'web-shop', 'pg', 'system', '0-day', 'neo4j']) {
    const database = databaseName({ service, environment: 'prod' });
    assert.match(graphName(database), /^service-[a-z0-9-]+$/);
    assert.match(roleName(database), /^[a-z0-9_]+$/);
    assert.equal(databaseOfGraph(graphName(database)), database);
  }
  for (const graph of ['neo4j', 'system', 'service-x', 'service-shop-elsewhere', 'shop-prod']) {
    assert.equal(databaseOfGraph(graph), null);
  }
});

async function listening(onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    uri: `bolt://127.0.0.1:${port}`,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
