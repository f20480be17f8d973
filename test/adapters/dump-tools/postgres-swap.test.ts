import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { QueryResult } from 'pg';
import { createPostgresDumpTool } from '../../../adapters/dump-tools/postgres-dump-tool.ts';
import { swapDatabases } from '../../../adapters/dump-tools/postgres-swap.ts';
import { withClient } from '../../../adapters/postgres/with-client.ts';
import type { DumpTool, SwapNames } from '../../../domain/backups/ports.ts';
import { databaseUsers } from '../../../domain/databases/database-name.ts';
import { restoreNames } from '../../ports/dump-tool.ts';
import { isPlayed } from '../../support/is-played.ts';
import { type PostgresCutter, startPostgresCutter } from '../../support/postgres-cutter.ts';
import { startPostgres, type TestPostgres } from '../../support/start-postgres.ts';

const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };
const LIVE = 'shop_prod';
const OWNER = { user: databaseUsers(LIVE)[0], password: 'of the service' };
const READER = { user: `${LIVE}_aaaaaaaaaa_a`, password: 'other' };
const patience = () => AbortSignal.timeout(60_000);

let postgres: TestPostgres;
let cutter: PostgresCutter;
let tool: DumpTool;
let cutTool: DumpTool;
before(async () => {
  postgres = await startPostgres();
  cutter = await startPostgresCutter(postgres.adminUri);
  tool = createPostgresDumpTool({ adminUri: postgres.adminUri, env });
  cutTool = createPostgresDumpTool({ adminUri: cutter.uri, env });
});
after(async () => {
  await cutter?.stop();
  await postgres?.stop();
});

/** By what no rename changes: the server's own number of a database. */
async function numberOf(database: string): Promise<number | null> {
  const [row] = await postgres.query(`SELECT oid::int AS number FROM pg_database WHERE datname = '${database}'`);
  return (row?.number as number | undefined) ?? null;
}

async function dropDatabase(database: string): Promise<void> {
  await postgres.query(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
}

/** As a restore leaves it: of a role of its own. */
async function makeScratch(scratch: string): Promise<void> {
  await postgres.query(`CREATE ROLE "${scratch}" NOLOGIN`);
  await postgres.query(`CREATE DATABASE "${scratch}" OWNER "${scratch}" TEMPLATE template0`);
  await postgres.query(`REVOKE ALL ON DATABASE "${scratch}" FROM PUBLIC`);
  const table = `CREATE TABLE notes (id serial PRIMARY KEY, value text); INSERT INTO notes (value) VALUES ('${scratch}')`;
  await postgres.query(`SET ROLE "${scratch}"; ${table}`, scratch);
}

/** The database of a service, which another one reads, unless it is lost, and one that is to take its place. */
async function prepare(isLost: boolean): Promise<SwapNames & { readonly restored: number }> {
  await postgres.server.ensure(LIVE, OWNER, patience());
  await postgres.server.consumers?.admit(LIVE, READER, 'read', patience());
  if (isLost) await dropDatabase(LIVE);
  const names = { live: LIVE, ...restoreNames() };
  await makeScratch(names.scratch);
  return { ...names, restored: (await numberOf(names.scratch)) ?? 0 };
}

/** What becomes of the databases after a worker was killed in a swap, and before anybody asks what was done. */
const SEQUELS: Readonly<Record<string, (names: SwapNames) => Promise<void>>> = {
  nothing: async () => undefined,
  'what is live is dropped': ({ live }) => dropDatabase(live),
  'what was kept is dropped': ({ kept }) => dropDatabase(kept),
  async 'both are dropped'({ live, kept }) {
    await dropDatabase(live);
    await dropDatabase(kept);
  },
  async 'what is live is dropped, and provisioned anew'({ live }) {
    await dropDatabase(live);
    await postgres.server.ensure(live, OWNER, patience());
  },
  async 'its owner writes a comment on it'({ live }) {
    if ((await numberOf(live)) !== null) await postgres.query(`COMMENT ON DATABASE "${live}" IS 'our shop'`);
  },
  async 'a later one takes its place, and is dropped'({ live }) {
    const later = { live, ...restoreNames() };
    await makeScratch(later.scratch);
    await tool.swap(later, { signal: patience() });
    await dropDatabase(live);
    await tool.drop(later.kept);
  },
};

/** Kills a worker at a statement of a swap. @returns how many there were */
async function swapUntil(names: SwapNames, statement: number | null, when: 'before' | 'after'): Promise<number> {
  const killed = new AbortController();
  cutter.cutAt(statement, when, () => killed.abort(new Error('killed')));
  await cutTool.swap(names, { signal: killed.signal }).catch(() => undefined);
  assert.equal(cutter.wasCut(), statement !== null);
  const statements = cutter.asked();
  cutter.cutAt(null, when);
  return statements;
}

async function cleanUp({ live, scratch, kept }: SwapNames): Promise<void> {
  for (const made of [scratch, kept]) await tool.drop(made);
  await dropDatabase(live);
  assert.deepEqual(await postgres.query("SELECT rolname FROM pg_roles WHERE rolname LIKE 'fairlead\\_%'"), []);
}

interface Play {
  readonly isLost: boolean;
  readonly sequel: string;
  readonly statement: number;
  readonly when: 'before' | 'after';
}

/** @returns `done` or `not done`, which is what the server shows, and what is said of it whatever happened since */
async function play({ isLost, sequel, statement, when }: Play): Promise<string> {
  const where = `killed ${when} statement ${statement}, then ${sequel}`;
  const { restored, ...names } = await prepare(isLost);
  await swapUntil(names, statement, when);
  const isDone = (await numberOf(names.live)) === restored;
  await SEQUELS[sequel]?.(names);
  const isInPlace = (await numberOf(names.live)) === restored;
  const next = await tool.swap(names, { signal: patience() }).catch((error: Error) => error.message);
  if (isDone && !isInPlace) {
    assert.equal(next, `${names.scratch} has taken the place of ${LIVE}, and that is not there any more`, where);
  } else {
    assert.equal(next, undefined, where);
    assert.equal(await numberOf(LIVE), restored, where);
    assert.equal(await numberOf(names.scratch), null, where);
    const owner = await postgres.connect(LIVE, OWNER);
    await owner.write('goes on');
    await owner.close();
    const reader = await postgres.connect(LIVE, READER);
    assert.deepEqual(await reader.read(), [names.scratch, 'goes on'], where);
    await reader.close();
  }
  assert.equal(await tool.endSwap(names, { signal: patience() }), !isDone || isInPlace, where);
  await cleanUp(names);
  return isDone ? 'done' : 'not done';
}

/** In the last statements the names are changed: there every sequel is played on either side of each. */
const LAST_STATEMENTS = 6;

/** What is played of a swap of so many statements; whatever one of three is taken, it has each sequel. */
function* playsOf(statements: number): Generator<Omit<Play, 'isLost'>> {
  const names = Object.keys(SEQUELS);
  const turned = (by: number) => names.map((_, index) => names[(index + by) % names.length] ?? '');
  for (let statement = 1; statement <= statements; statement += 1) {
    if (statement <= statements - LAST_STATEMENTS) {
      const [sequel = ''] = turned(Math.floor(statement / 3));
      yield { sequel, statement, when: statement % 2 === 0 ? 'before' : 'after' };
      continue;
    }
    for (const when of ['before', 'after'] as const) {
      for (const sequel of turned(statement + (when === 'after' ? 1 : 0))) yield { sequel, statement, when };
    }
  }
}

for (const isLost of [false, true]) {
  describe(`a swap for a PostgreSQL database that ${isLost ? 'was lost' : 'is there'}, killed at any statement,`, {
    timeout: 590_000,
  }, () => {
    it('says what was done, whatever became of the databases since', async () => {
      const whole = await prepare(isLost);
      const statements = await swapUntil(whole, null, 'before');
      await cleanUp(whole);
      const seen = new Set<string>();
      for (const [index, each] of [...playsOf(statements)].entries()) {
        if (isPlayed(index)) seen.add(await play({ isLost, ...each }));
      }
      assert.deepEqual([...seen].sort(), ['done', 'not done']);
    });
  });
}

it('a swap whose worker is paused while the database is closed is ended by the server within a minute', async () => {
  const names = await prepare(false);
  const limits: unknown[] = [];
  await withClient(postgres.adminUri, patience(), async (client) => {
    const query = client.query.bind(client) as (text: string, values?: unknown[]) => Promise<QueryResult>;
    const ask = async () => {
      const settings = ['idle_session_timeout', 'idle_in_transaction_session_timeout'];
      for (const setting of settings) limits.push((await query(`SHOW ${setting}`)).rows[0]?.[setting]);
    };
    Object.assign(client, {
      query: async (text: string, values?: unknown[]) => {
        if (text === 'BEGIN') await ask();
        return await query(text, values);
      },
    });
    await swapDatabases(client, names, async () => assert.deepEqual(limits, []));
  });
  assert.deepEqual(limits, ['1min', '1min']);
  await cleanUp(names);
});
