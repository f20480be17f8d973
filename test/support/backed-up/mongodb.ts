import { createHash, randomBytes } from 'node:crypto';
import { createMongodbServer } from '../../../adapters/mongodb-server/database-server.ts';
import { scratchesOf, swapsOf } from '../../../adapters/mongodb-server/own-databases.ts';
import { scratchName } from '../../../domain/backups/restore.ts';
import { databaseUsers, parseDatabaseName } from '../../../domain/databases/database-name.ts';
import { startMongoCutter } from '../mongo-cutter.ts';
import { type ServiceMongo, startServiceMongo } from '../start-service-mongo.ts';
import type { BackedUpServer } from './server.ts';

const KIB = 1_024;
/** Of a document, so that many of them are in a batch of the tools. */
const PICTURE_KIB = 16;
const TOOLS = ['mongodump', 'mongorestore'];
/** A tool is cut when so much of a database has passed between it and the server. */
const CUT_AFTER_BYTES = 2 * KIB ** 2;
/** How long a tool that was cut looks for the server, which it does not find. */
const SELECTION_SECONDS = 2;

interface Thing {
  readonly _id: number;
  readonly picture: Buffer;
}

/**
 * A MongoDB whose databases are backed up, with the real tools: the one that a person named, else a stand-in of its own. What
 * is backed up goes by a cutter.
 */
export async function startBackedUpMongodb(): Promise<BackedUpServer & { readonly mongo: ServiceMongo }> {
  const mongo = await startServiceMongo({ isAlone: true });
  const cutter = await startMongoCutter(mongo.adminUri);
  const { client } = mongo;
  const server = createMongodbServer({ adminUri: mongo.adminUri });
  const things = (database: string) => client.db(database).collection<Thing>('things');
  const made: string[] = [];
  return {
    mongo,
    engine: 'mongodb',
    title: mongo.title,
    variables: { DB_MONGODB_ADMIN_URI: cutter.uri, MONGO_TOOLS_DIR: mongo.toolsDir },
    dumpTool: mongo.at(cutter.uri, { selectionSeconds: SELECTION_SECONDS }).dumpTool,
    rollsBack: false,
    async create(name) {
      const databaseName = mongo.fresh(name);
      made.push(databaseName);
      const login = { user: databaseUsers(databaseName)[0], password: 'of the service' };
      if (mongo.hasUsers) await server.ensure(databaseName, login, AbortSignal.timeout(60_000));
      return { service: parseDatabaseName(databaseName)?.service ?? name, databaseName };
    },
    async fill(database, mebibytes) {
      const count = (mebibytes * KIB) / PICTURE_KIB;
      const picture = () => randomBytes(PICTURE_KIB * KIB);
      await things(database).insertMany(Array.from({ length: count }, (_, _id) => ({ _id, picture: picture() })));
    },
    async sumOf(database) {
      const hash = createHash('sha256');
      for await (const { _id, picture } of things(database).find({}, { promoteBuffers: true }).sort({ _id: 1 }))
        hash.update(`${_id}:`).update(picture);
      return hash.digest('hex');
    },
    async change(database) {
      await things(database).updateMany({ _id: { $lt: 10 } }, { $set: { picture: randomBytes(KIB) } });
    },
    toolCut: {
      arm: () => cutter.cutClients(TOOLS, CUT_AFTER_BYTES),
      cut: async () => undefined,
      disarm: () => cutter.cutClients([], 0),
    },
    async holdSwap(database) {
      const held = cutter.hold('dropDatabase', database);
      return { came: () => held.came, letGo: async () => held.letGo() };
    },
    async left(ids) {
      const purposes = ['restore', 'verify', 'kept'] as const;
      const names = new Set(ids.flatMap((id) => purposes.map((purpose) => scratchName(purpose, id))));
      const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
      const begun = await swapsOf(client)
        .find({ live: { $in: made }, phase: { $ne: 'done' } })
        .toArray();
      const scratches = await scratchesOf(client)
        .find({ from: { $in: made } })
        .toArray();
      return [
        ...databases.map(({ name }) => name).filter((name) => names.has(name)),
        ...begun.map(({ _id }) => `the swap of ${_id}`),
        ...scratches.map(({ _id }) => `the scratch ${_id}`),
        ...cutter.clients().flatMap((name) => (TOOLS.includes(name) ? [`${name} at work`] : [])),
      ].sort();
    },
    async stop() {
      await cutter.stop();
      if (mongo.hasUsers) for (const database of made) await server.drop(database, AbortSignal.timeout(60_000));
      await mongo.stop();
    },
  };
}
