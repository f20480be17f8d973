import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { relayedAddress } from '../adapters/docker/relay/database-routes.ts';
import type { databasesSection } from '../adapters/env/databases.ts';
import type { configSection } from '../adapters/env/deploys.ts';
import type { platformSocketSection } from '../adapters/env/platform.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import type { MongoConnection } from '../adapters/mongo/connect.ts';
import { createDatabaseRecords } from '../adapters/mongo/databases/records.ts';
import { createGrantStore } from '../adapters/mongo/grants/grants.ts';
import { sharedOptions } from '../adapters/mongodb-server/address.ts';
import { createMongodbServer } from '../adapters/mongodb-server/database-server.ts';
import { createNeo4jServer } from '../adapters/neo4j/database-server.ts';
import { createPostgresServer } from '../adapters/postgres/database-server.ts';
import { createEnsurePart, type EnsurePart } from '../adapters/process/embedded-parts.ts';
import { createRedisServer } from '../adapters/redis/database-server.ts';
import { createDatabaseCommands } from '../adapters/temporal/database-commands.ts';
import type { DatabaseEngine } from '../domain/databases/engines.ts';
import type { DatabaseServer, MayConsume } from '../domain/databases/ports.ts';
import {
  createServiceDatabases,
  type EngineSetup,
  type ServiceDatabases,
} from '../domain/databases/service-databases.ts';
import { createMayConsume } from '../domain/grants/may-consume.ts';

/** What databases read. */
export type DatabasesEnv = ReadSection<typeof databasesSection> &
  ReadSection<typeof configSection> &
  ReadSection<typeof platformSocketSection>;

/** The configured servers, each with the way of workloads to it. */
export function composeEngines(env: DatabasesEnv): Readonly<Partial<Record<DatabaseEngine, EngineSetup>>> {
  const ensurePart = createEnsurePart(env.PARTS_ON_NEED);
  const { DB_POSTGRES_ADMIN_URI: postgresUri, DB_MONGODB_ADMIN_URI: mongodbUri, DB_REDIS_ADMIN_URL: redisUrl } = env;
  return {
    ...(postgresUri === undefined ? {} : { postgres: composePostgres(env, postgresUri, ensurePart) }),
    ...(mongodbUri === undefined ? {} : { mongodb: composeMongodb(env, mongodbUri, ensurePart) }),
    ...(redisUrl === undefined ? {} : { redis: composeRedis(env, redisUrl, ensurePart) }),
    ...(env.DB_NEO4J_ADMIN_URI === undefined ? {} : { neo4j: composeNeo4j(env, env.DB_NEO4J_ADMIN_URI) }),
  };
}

function composePostgres(env: DatabasesEnv, adminUri: string, ensurePart: EnsurePart): EngineSetup {
  const { DB_POSTGRES_SSLMODE: sslmode } = env;
  const options = sslmode === undefined ? {} : { sslmode };
  const direct = { host: env.DB_POSTGRES_HOST, port: env.DB_POSTGRES_PORT };
  return {
    server: onNeed(createPostgresServer({ adminUri }), () => ensurePart('postgres')),
    address: (ownPort) => ({ ...(isRelayed(env) ? relayedAddress('postgres', ownPort) : direct), options }),
  };
}

function composeMongodb(env: DatabasesEnv, adminUri: string, ensurePart: EnsurePart): EngineSetup {
  const direct = { host: env.DB_MONGODB_HOST, port: env.DB_MONGODB_PORT };
  return {
    server: onNeed(createMongodbServer({ adminUri }), () => ensurePart('mongodb-tenants')),
    address: (ownPort) =>
      isRelayed(env)
        ? // By the relay a driver reaches one member, and none at the address that the member says it has.
          { ...relayedAddress('mongodb', ownPort), options: { directConnection: 'true' } }
        : { ...direct, options: sharedOptions(adminUri) },
  };
}

function composeRedis(env: DatabasesEnv, adminUrl: string, ensurePart: EnsurePart): EngineSetup {
  const direct = { host: env.DB_REDIS_HOST, port: env.DB_REDIS_PORT };
  const options = adminUrl.startsWith('rediss:') ? { tls: 'true' } : {};
  return {
    server: onNeed(createRedisServer({ adminUrl }), () => ensurePart('redis')),
    address: (ownPort) => ({ ...(isRelayed(env) ? relayedAddress('redis', ownPort) : direct), options }),
  };
}

/** No embedded stack brings a server of it. */
function composeNeo4j(env: DatabasesEnv, uri: string): EngineSetup {
  const direct = { host: env.DB_NEO4J_HOST, port: env.DB_NEO4J_PORT };
  const { DB_NEO4J_ADMIN_USER: user, DB_NEO4J_ADMIN_PASSWORD: password = '' } = env;
  const [scheme = ''] = uri.split(':');
  return {
    server: createNeo4jServer({ uri, user, password }),
    // By the relay a driver reaches the one server, and none at the addresses that the server says it has.
    address: (ownPort) =>
      isRelayed(env)
        ? { ...relayedAddress('neo4j', ownPort), options: { scheme: scheme.replace('neo4j', 'bolt') } }
        : { ...direct, options: { scheme } },
  };
}

/** Where there is a socket of the platform, the relay beside a workload is its only way. */
function isRelayed({ PLATFORM_SOCKET }: DatabasesEnv): boolean {
  return PLATFORM_SOCKET !== undefined;
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
    newPassword: newDatabasePassword,
    newGeneration: () => randomBytes(6).toString('hex'),
    now: () => new Date(),
    engines: composeEngines(env),
    commands: createDatabaseCommands(client),
    mayConsume: composeMayConsume(db),
    graceDays: env.DATABASE_GRACE_DAYS,
  });
}

/** Who may use databases of other services, as the records say. */
export function composeMayConsume(db: MongoConnection['db']): MayConsume {
  const services = createServiceStore({ db, now: () => new Date() });
  return createMayConsume({ services, grants: createGrantStore({ db }) });
}

/** 192 random bits, of letters, digits, `-` and `_`. */
export function newDatabasePassword(): string {
  return randomBytes(24).toString('base64url');
}

/** Starts the part of an embedded stack before its server is asked for anything. */
function onNeed(server: DatabaseServer, ensure: () => Promise<void>): DatabaseServer {
  const first = async <T>(call: () => Promise<T>): Promise<T> => {
    await ensure();
    return await call();
  };
  const { consumers, users } = server;
  return {
    engine: server.engine,
    ...(consumers === undefined
      ? {}
      : {
          consumers: {
            admit: (...given) => first(() => consumers.admit(...given)),
            dismiss: (...given) => first(() => consumers.dismiss(...given)),
          },
        }),
    ...(users === undefined ? {} : { users: (signal: AbortSignal) => first(() => users(signal)) }),
    ensure: (...given) => first(() => server.ensure(...given)),
    withdraw: (...given) => first(() => server.withdraw(...given)),
    drop: (...given) => first(() => server.drop(...given)),
    list: (...given) => first(() => server.list(...given)),
  };
}
