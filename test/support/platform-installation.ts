import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { connectMongo } from '../../adapters/mongo/connect.ts';
import type { PlatformFolder } from '../../domain/platform-backup/parts.ts';
import { SERVICE_ROWS, type StoringServiceName } from '../../domain/services.ts';
import type { RestoreTarget } from '../../infra/dev/recovery/restore-installation.ts';
import { readMark, writeMark } from '../../infra/dev/recovery/restore-mark.ts';
import type { TestMongo } from './start-mongo.ts';

/** The databases of all services and a data folder, which nothing uses but the test. */
export interface TestInstallation extends RestoreTarget {
  readonly dataDir: string;
  /** That it was given; null before. */
  keys(): Readonly<Record<string, string>> | null;
  stop(): Promise<void>;
}

let made = 0;

export async function createInstallation({ uriOf }: TestMongo): Promise<TestInstallation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-installation-'));
  const place = made++;
  const opened = new Map<string, ReturnType<typeof connectMongo>>();
  let given: Readonly<Record<string, string>> | null = null;
  const database = async (service: StoringServiceName): Promise<Db> => {
    const connection =
      opened.get(service) ?? connectMongo(uriOf(`${place}_${service.replaceAll('-', '')}`), 'fairlead-test');
    opened.set(service, connection);
    return (await connection).db;
  };
  return {
    dataDir,
    keys: () => given,
    readMark: () => readMark(dataDir),
    writeMark: (mark) => writeMark(dataDir, mark),
    writeKeys: async (keys) => {
      given = keys;
    },
    database,
    folder: (name: PlatformFolder) => join(dataDir, name),
    async stop() {
      for (const { name, database: stores } of SERVICE_ROWS) {
        if (stores !== null) await (await database(name as StoringServiceName)).dropDatabase();
      }
      for (const connection of opened.values()) await (await connection).close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
