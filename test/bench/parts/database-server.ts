import { type Db, MongoClient } from 'mongodb';
import { z } from 'zod';

const buildInfo = z.object({ version: z.string(), gitVersion: z.string().optional() });

/** The database server of a bench, to be printed: a `mongod` with its version, or the stand-in, which answers as one. */
export async function databaseServer(db: Db): Promise<string> {
  const { version, gitVersion } = buildInfo.parse(await db.admin().command({ buildInfo: 1 }));
  return gitVersion === undefined ? `the MongoDB stand-in, which answers as ${version}` : `mongod ${version}`;
}

/** The same of the server at an address. */
export async function databaseServerAt(uri: string): Promise<string> {
  const client = await MongoClient.connect(uri);
  try {
    return await databaseServer(client.db());
  } finally {
    await client.close();
  }
}
