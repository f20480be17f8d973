import { createClient } from '@redis/client';
import { createRedisServer } from '../../adapters/redis/database-server.ts';
import { keyPrefix } from '../../domain/databases/engines.ts';
import type { DatabaseLogin } from '../../domain/databases/ports.ts';
import { PART_ROWS } from '../../infra/dev/parts.ts';
import { partVariables } from '../../infra/dev/stack-parts.ts';
import { runPart, type TestPart } from '../infra/parts/run-part.ts';
import type { DatabaseServerUnderTest, WorkloadConnection } from '../ports/database-server.ts';

export interface TestRedis extends DatabaseServerUnderTest {
  readonly part: TestPart;
  /** By the port; the platform itself goes by the socket. */
  readonly adminUrl: string;
  readonly port: number;
  /** Runs a command, as the administrator or as somebody else. */
  command(args: readonly string[], login?: DatabaseLogin): Promise<unknown>;
  stop(): Promise<void>;
}

/** The embedded Redis in a folder of its own. */
export async function startRedis(): Promise<TestRedis> {
  const part = await runPart('redis');
  const rows = PART_ROWS.filter(({ name }) => name === 'redis');
  const { worker } = await partVariables(rows, { ...part.context, env: {} });
  const port = part.context.ports.redis ?? 0;
  const admin = { user: 'fairlead', password: part.context.secret('REDIS_PASSWORD') };
  const adminUrl = `redis://${admin.user}:${admin.password}@127.0.0.1:${port}/0`;
  return {
    part,
    adminUrl,
    port,
    async command(args, login = admin) {
      const client = await openRedis(port, login);
      try {
        return await client.sendCommand([...args]);
      } finally {
        client.destroy();
      }
    },
    server: createRedisServer({ adminUrl: worker.DB_REDIS_ADMIN_URL ?? '' }),
    ownDatabases: ['fairlead'],
    connect: (database, login) => connectWorkload(port, database, login),
    stop: part.stop,
  };
}

/** A connection as a workload makes it. */
export async function openRedis(port: number, { user: username, password }: DatabaseLogin) {
  const client = createClient({ username, password, socket: { port, host: '127.0.0.1', reconnectStrategy: false } });
  // Ended by the server: what is asked next fails.
  client.on('error', () => undefined);
  return await client.connect();
}

async function connectWorkload(port: number, database: string, login: DatabaseLogin): Promise<WorkloadConnection> {
  const client = await openRedis(port, login);
  const list = `${keyPrefix(database, null)}notes`;
  return {
    write: async (value) => void (await client.rPush(list, value)),
    read: () => client.lRange(list, 0, -1),
    close: async () => {
      if (client.isOpen) client.destroy();
    },
  };
}
