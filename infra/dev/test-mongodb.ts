import type { Env } from './project.ts';
import { TEST_MONGODB_URI } from './test-variables.ts';

const DEFAULT_PORT = '27017';

/**
 * The variables of a stack of tests whose services have their databases on the MongoDB that a person named; none where
 * nobody did: then they have them on the `mongod` of the stack, where there is one.
 */
export function mongodbOfServices(env: Env): Readonly<Record<string, string>> {
  const uri = env[TEST_MONGODB_URI];
  const [, host, port = DEFAULT_PORT] = /^mongodb:\/\/(?:[^@/]*@)?([^:/?,]+)(?::(\d+))?/.exec(uri ?? '') ?? [];
  if (!uri || host === undefined) return {};
  return { DB_MONGODB_ADMIN_URI: uri, DB_MONGODB_HOST: host, DB_MONGODB_PORT: port };
}
