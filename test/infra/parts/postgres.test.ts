import assert from 'node:assert/strict';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { runPart, type TestPart } from './run-part.ts';

let part: TestPart;
before(async () => {
  // What a start left that was killed while it made the data.
  part = await runPart('postgres', async ({ dataDir }) => {
    await mkdir(join(dataDir, 'postgres', 'data.partial'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'data.partial', 'PG_VERSION'), 'half');
  });
});
after(() => part.stop());

async function asked(connection: { user: string; password?: string; database?: string }, text: string) {
  const client = new Client({
    ...{ host: '127.0.0.1', port: part.context.ports.postgres, database: 'postgres', ...connection },
  });
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const admin = () => ({ user: 'fairlead', password: part.context.secret('POSTGRES_PASSWORD') });

test('it keeps its data over a restart, which open connections do not hold up', async () => {
  const open = new Client({ host: '127.0.0.1', port: part.context.ports.postgres, database: 'postgres', ...admin() });
  open.on('error', () => undefined);
  await open.connect();
  await open.query('CREATE TABLE kept (value text)');
  await part.restart();
  assert.deepEqual(await asked(admin(), 'SELECT count(*)::int AS count FROM kept'), [{ count: 0 }]);
  await open.end().catch(() => undefined);
});

test('without the password it says nothing, and the password is in no command line', async () => {
  const { password } = admin();
  for (const refused of [
    { user: 'fairlead' },
    { user: 'fairlead', password: 'guessed' },
    { user: 'postgres', password },
  ]) {
    await assert.rejects(asked(refused, 'SELECT 1'));
  }
  assert.ok(!part.commandLine.includes(password));
});

test('a user that is no member of a database’s role is refused, also where anybody may connect', async () => {
  await asked(admin(), 'CREATE DATABASE open');
  await asked(admin(), "CREATE ROLE guest LOGIN PASSWORD 'guest'");
  await assert.rejects(asked({ user: 'guest', password: 'guest', database: 'open' }, 'SELECT 1'), { code: '28000' });
});

test('its data is in a folder for its owner alone, and the file with the password is gone', async () => {
  const home = join(part.context.dataDir, 'postgres');
  assert.equal((await stat(home)).mode & 0o777, 0o700);
  await assert.rejects(stat(join(home, 'password')), { code: 'ENOENT' });
});
