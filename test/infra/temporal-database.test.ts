import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { prepareTemporalDatabase } from '../../infra/dev/temporal-database.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-temporal-database-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** A database as a server that has come up leaves it. */
function usedDatabase(name: string): string {
  const file = join(folder, name);
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE cluster_metadata_info (id INTEGER); INSERT INTO cluster_metadata_info VALUES (1)');
  database.exec('CREATE TABLE cluster_membership (host TEXT); INSERT INTO cluster_membership VALUES (1)');
  database.close();
  return file;
}

/** Holds the database, as a server does that is about to end. */
const HOLDER = `
const { DatabaseSync } = require('node:sqlite');
const { parentPort, workerData } = require('node:worker_threads');
const database = new DatabaseSync(workerData.file);
database.exec('BEGIN EXCLUSIVE');
parentPort.postMessage('held');
setTimeout(() => { database.exec('COMMIT'); database.close(); }, workerData.heldMs);
`;

it('waits for a server that still holds the database, and forgets the addresses of its services', async () => {
  const file = usedDatabase('held.db');
  const holder = new Worker(HOLDER, { eval: true, workerData: { file, heldMs: 500 } });
  await once(holder, 'message');
  prepareTemporalDatabase(file);
  const database = new DatabaseSync(file);
  assert.deepEqual(database.prepare('SELECT * FROM cluster_membership').all(), []);
  assert.equal(database.prepare('SELECT * FROM cluster_metadata_info').all().length, 1);
  database.close();
});

it('removes a database in which no server has come up', () => {
  const file = join(folder, 'half-made.db');
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE cluster_metadata_info (id INTEGER)');
  database.close();
  prepareTemporalDatabase(file);
  assert.equal(existsSync(file), false);
});
