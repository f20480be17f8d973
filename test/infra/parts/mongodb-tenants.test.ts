import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PART_ROWS } from '../../../infra/dev/parts.ts';
import { partVariables } from '../../../infra/dev/stack-parts.ts';
import { fixedPorts } from '../../../infra/dev/stack-ports.ts';
import { readSecrets } from '../../../infra/dev/stack-secrets.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';

const rows = PART_ROWS.filter(({ name }) => name === 'mongodb-tenants');

async function variables(t: { after(end: () => Promise<void>): void }, mongod: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-tenants-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const { secret } = await readSecrets(dataDir);
  const program = join(dataDir, 'mongod');
  await writeFile(program, `#!/bin/sh\n${mongod}\n`, { mode: 0o755 });
  const env = { ...process.env, FAIRLEAD_MONGOD: program, DB_MONGODB_ADMIN_URI: undefined };
  const context = { dataDir, ports: await fixedPorts({}, []), secret, env, report: silentReporter };
  return { secret, ...(await partVariables(rows, context)) };
}

test('where there is a mongod, the worker alone is told the administrator’s address, of a server apart from the platform’s', async (t) => {
  const { everyProcess, worker, secret } = await variables(t, 'echo "db version v7.0.24"');
  const { host, password, pathname } = new URL(worker.DB_MONGODB_ADMIN_URI ?? '');
  assert.deepEqual([host, password, pathname], ['127.0.0.1:27217', secret('TENANTS_MONGODB_PASSWORD'), '/']);
  assert.notEqual(password, secret('MONGO_PASSWORD'));
  assert.deepEqual(everyProcess, { DB_MONGODB_HOST: '127.0.0.1', DB_MONGODB_PORT: '27217' });
});

test('where there is none, nobody is told of a server: deploys go on without the database', async (t) => {
  const { worker } = await variables(t, 'exit 1');
  assert.deepEqual(worker, {});
});

test('only a mongod serves: the stand-in would open the databases of all services to each', () => {
  assert.deepEqual(
    rows.flatMap(({ tools }) => tools.map(({ name }) => name)),
    ['mongod'],
  );
});
