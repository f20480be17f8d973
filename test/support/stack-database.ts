import { serviceRow } from '../../domain/services.ts';
import { mongoUri } from '../../infra/dev/mongo-uri.ts';
import { MONGO_PASSWORD } from '../../infra/dev/parts/mongo.ts';
import { readSecrets } from '../../infra/dev/stack-secrets.ts';

/** The builder's database of a stack, with the password that its data folder keeps. @param address as people see it */
export async function stackDatabaseUri(dataDir: string, address = ''): Promise<string> {
  const { secret } = await readSecrets(dataDir);
  return mongoUri(Number(new URL(address).port), secret(MONGO_PASSWORD), serviceRow('builder').database);
}
