import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { relayedAddress } from '../adapters/docker/relay/database-routes.ts';
import type { databasesSection } from '../adapters/env/databases.ts';
import type { configSection } from '../adapters/env/deploys.ts';
import type { platformSocketSection } from '../adapters/env/platform.ts';
import type { ReadSection } from '../adapters/env.ts';
import type { MongoConnection } from '../adapters/mongo/connect.ts';
import { createDatabaseRecords } from '../adapters/mongo/databases/records.ts';
import { createPostgresServer } from '../adapters/postgres/database-server.ts';
import { createEnsurePart } from '../adapters/process/embedded-parts.ts';
import { createDatabaseCommands } from '../adapters/temporal/database-commands.ts';
import type { DatabaseEngine } from '../domain/databases/engines.ts';
import type { DatabaseServer } from '../domain/databases/ports.ts';
import {
  createServiceDatabases,
  type EngineSetup,
  type ServiceDatabases,
} from '../domain/databases/service-databases.ts';

/** What databases read. */
export type DatabasesEnv = ReadSection<typeof databasesSection> &
  ReadSection<typeof configSection> &
  ReadSection<typeof platformSocketSection>;

/** The configured servers, each with the way of workloads to it. */
export function composeEngines(env: DatabasesEnv): Readonly<Partial<Record<DatabaseEngine, EngineSetup>>> {
  const { DB_POSTGRES_ADMIN_URI: adminUri, DB_POSTGRES_SSLMODE: sslmode } = env;
  if (adminUri === undefined) return {};
  const options = sslmode === undefined ? {} : { sslmode };
  const direct = { host: env.DB_POSTGRES_HOST, port: env.DB_POSTGRES_PORT };
  // Where there is a socket of the platform, the relay beside a workload is its only way.
  const isRelayed = env.PLATFORM_SOCKET !== undefined;
  return {
    postgres: {
      server: onNeed(createPostgresServer({ adminUri }), createEnsurePart(env.PARTS_ON_NEED)),
      address: (ownPort) => ({ ...(isRelayed ? relayedAddress('postgres', ownPort) : direct), options }),
    },
  };
}

/** Null without the keys of stored secrets: then no password can be kept. */
export function composeServiceDatabases(
  env: DatabasesEnv,
  db: MongoConnection['db'],
  client: Client,
): ServiceDatabases | null {
  if (env.CONFIG_ENCRYPTION_KEY === undefined) return null;
  return createServiceDatabases({
    records: createDatabaseRecords({ db }),
    cipher: createSecretCipher(env.CONFIG_ENCRYPTION_KEY),
    newPassword: () => randomBytes(24).toString('base64url'),
    now: () => new Date(),
    engines: composeEngines(env),
    commands: createDatabaseCommands(client),
    graceDays: env.DATABASE_GRACE_DAYS,
  });
}

/** Starts the part of an embedded stack before its server is asked for anything. */
function onNeed(server: DatabaseServer, ensurePart: (part: string) => Promise<void>): DatabaseServer {
  const { engine } = server;
  const first = async <T>(call: () => Promise<T>): Promise<T> => {
    await ensurePart(engine);
    return await call();
  };
  return {
    engine,
    ensure: (...given) => first(() => server.ensure(...given)),
    withdraw: (...given) => first(() => server.withdraw(...given)),
    drop: (...given) => first(() => server.drop(...given)),
    list: (...given) => first(() => server.list(...given)),
  };
}
