import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { PART_ROWS } from '../../../infra/dev/parts.ts';
import { partVariables } from '../../../infra/dev/stack-parts.ts';
import { runPart, type TestPart } from './run-part.ts';

const run = promisify(execFile);

let part: TestPart;
before(async () => {
  part = await runPart('mongo-tools');
});
after(() => part.stop());

test('the worker finds both programs in the folder that it is told, and no other process is told', async () => {
  const rows = PART_ROWS.filter(({ name }) => name === 'mongo-tools');
  const { everyProcess, worker } = await partVariables(rows, { ...part.context, env: {} });
  assert.deepEqual(everyProcess, {});
  const folder = worker.MONGO_TOOLS_DIR ?? '';
  assert.equal(folder, join(part.context.dataDir, 'mongo-tools'));
  for (const name of ['mongodump', 'mongorestore']) {
    const { stdout } = await run(join(folder, name), ['--version']);
    assert.match(stdout, new RegExp(`^${name} version: \\d+\\.\\d+`));
  }
});

test('a program that moved is found again at the next start', async () => {
  const [mongoTools] = PART_ROWS.filter(({ name }) => name === 'mongo-tools');
  const link = join(part.context.dataDir, 'mongo-tools', 'mongodump');
  const before = await readlink(link);
  const [tool] = mongoTools?.tools ?? [];
  assert.ok(tool);
  const described = { name: tool.name, version: tool.version, how: 'test' };
  await mongoTools?.children({ ...described, path: process.execPath }, part.context);
  assert.equal(await readlink(link), process.execPath);
  await mongoTools?.children({ ...described, path: before }, part.context);
  assert.equal(await readlink(link), before);
});
