import { createHash, randomBytes } from 'node:crypto';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MongoClient } from 'mongodb';
import { dumpDatabase, failBackup, openBackup } from '../../../activities/backups/make-backup.ts';
import { problemOf } from '../../../activities/backups/problem-of.ts';
import {
  endRestore,
  openRestore,
  restoreInPlace,
  restoreScratch,
  swapDatabases,
} from '../../../activities/backups/restore-database.ts';
import { createMongoDumpTool } from '../../../adapters/dump-tools/mongo-dump-tool.ts';
import { withoutDatabase } from '../../../adapters/mongodb-server/address.ts';
import type { RestoreMode } from '../../../domain/backups/restore.ts';
import { type StandInProcess, startStandIn } from '../../../infra/dev/stand-in-process.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';
import { toolPath } from '../../support/tool-path.ts';
import type { FullDiskRestore } from './full-database-disk-child.ts';

export interface FullMongodbDisk {
  readonly full: Readonly<Record<RestoreMode, FullDiskRestore>>;
  /** Once there is room. */
  readonly withRoom: Readonly<Record<RestoreMode, FullDiskRestore>>;
  /** Of a backup whose server dies meanwhile, and how many archives there are then. */
  readonly backup: { readonly status: string | undefined; readonly objects: number };
  /** Of the content when it was backed up. */
  readonly sum: string;
}

interface Thing {
  readonly _id: number;
  readonly picture: Buffer;
}

const [disk = ''] = process.argv.slice(2);
const DATABASE = 'shop_prod';
const THINGS = 2_000;
/** Less than a restore needs. */
const FREE_BYTES = 4 * 1024 ** 2;
const patience = () => AbortSignal.timeout(60_000);
const program = await toolPath('mongo-stand-in');
const toolsDir = dirname(await toolPath('mongo-tools'));

/** The server ends when it cannot write: each round has one that was started anew, on the same data. */
async function start() {
  const server: StandInProcess = await startStandIn(program, join(disk, 'data.mv'));
  const adminUri = withoutDatabase(server.address);
  const client = new MongoClient(adminUri, { writeConcern: { w: 'majority' }, serverSelectionTimeoutMS: 2_000 });
  const tool = createMongoDumpTool({ adminUri, toolsDir, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } });
  const stop = async (): Promise<void> => {
    await client.close();
    await server.kill('SIGKILL');
  };
  return { server, client, things: client.db(DATABASE).collection<Thing>('things'), tool, stop };
}

let mongo = await start();
const parts = await createBackupsParts();
const depsOf = () => ({ ...parts.deps, tools: { mongodb: mongo.tool } });

async function sumOf(): Promise<string> {
  const hash = createHash('sha256');
  for await (const { _id, picture } of mongo.things.find({}, { promoteBuffers: true }).sort({ _id: 1 })) {
    hash.update(`${_id}/`).update(picture);
  }
  return hash.digest('hex');
}

async function restart(): Promise<void> {
  await mongo.stop();
  mongo = await start();
}

async function leftOver(): Promise<readonly string[]> {
  const { databases } = await mongo.client.db('admin').admin().listDatabases({ nameOnly: true });
  return databases.map(({ name }) => name).filter((name) => name.startsWith('fairlead_restore_'));
}

const content = Array.from({ length: THINGS }, (_, _id) => ({ _id, picture: randomBytes(4_096) }));
await mongo.things.insertMany(content);
const sum = await sumOf();
const backup = parts.job({ engine: 'mongodb', databaseName: DATABASE });
await openBackup(depsOf(), backup);
await dumpDatabase(depsOf(), backup, patience());
await mongo.things.deleteMany({ _id: { $mod: [7, 0] } });

async function restore(mode: RestoreMode, makeRoom: () => void): Promise<FullDiskRestore> {
  const before = await sumOf();
  const job = parts.restoreJob(backup.id, { engine: 'mongodb', databaseName: DATABASE, mode });
  await openRestore(depsOf(), job);
  const work = async (): Promise<void> => {
    if (mode === 'in-place') return await restoreInPlace(depsOf(), job, patience());
    await restoreScratch(depsOf(), job, patience());
    await swapDatabases(depsOf(), job, patience());
  };
  const problem = await work().then(() => null, problemOf);
  makeRoom();
  await restart();
  await endRestore(depsOf(), { job, problem }, patience());
  const { status, keptDatabase } = (await parts.deps.restores.find(job.id)) ?? {};
  if (keptDatabase != null) await mongo.tool.drop(keptDatabase);
  const { code, message } = problem ?? { code: 'done', message: '' };
  return { code, message, status, sums: [before, await sumOf()], left: await leftOver() };
}

const ballast = join(disk, 'ballast');
function fill(): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - FREE_BYTES)));
}
const makeRoom = (): void => rmSync(ballast, { force: true });

async function restoreFull(mode: RestoreMode): Promise<FullDiskRestore> {
  fill();
  return await restore(mode, makeRoom);
}

/** The archive is read while the server dies: what came until then is no backup. */
async function backUpOfDying(): Promise<FullMongodbDisk['backup']> {
  parts.clock.now = new Date(parts.clock.now.getTime() + 1_000);
  const job = parts.job({ engine: 'mongodb', databaseName: DATABASE });
  await openBackup(depsOf(), job);
  const { archives } = parts.deps;
  const dying = {
    ...depsOf(),
    archives: {
      ...archives,
      put: (async (key, body, options) => {
        await mongo.server.kill('SIGKILL');
        return await archives.put(key, body, options);
      }) satisfies typeof archives.put,
    },
  };
  const problem = await dumpDatabase(dying, job, patience()).then(() => null, problemOf);
  await restart();
  if (problem !== null) await failBackup(depsOf(), { job, problem });
  let objects = 0;
  for await (const _ of archives.list('')) objects += 1;
  return { status: (await parts.deps.backups.find(job.id))?.status, objects };
}

const full = { swap: await restoreFull('swap'), 'in-place': await restoreFull('in-place') };
const withRoom = {
  swap: await restore('swap', () => undefined),
  'in-place': await restore('in-place', () => undefined),
};
const outcome: FullMongodbDisk = { full, withRoom, backup: await backUpOfDying(), sum };
await mongo.stop();
process.stdout.write(JSON.stringify(outcome));
process.exit(0);
