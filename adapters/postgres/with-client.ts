import { Client } from 'pg';
import { postgresError } from './postgres-error.ts';

const CONNECT_MS = 10_000;
/** Of one statement. It waits for other callers, and what drops a database waits for the disk. */
const STATEMENT_MS = 5 * 60_000;

/**
 * What a statement names is PostgreSQL's own. The owner of a database may set a `search_path` for all of its connections
 * (`ALTER DATABASE … SET`), on which functions of its own come first: the administrator would run them.
 */
const OWN_NAMES = 'SET search_path = pg_catalog';

/**
 * A host that dies says no farewell: its connection is the server's, with the locks that it has, until the server asks for it. By
 * what Linux does unless it is told otherwise that is after two hours; so it asks within half a minute.
 */
const NOTICE_DEATH = 'SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3';

/** Runs statements on a connection of their own, which is cut when the signal aborts. @throws as `DatabaseServer` */
export async function withClient<T>(
  uri: string,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = new Client({
    connectionString: uri,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    application_name: 'fairlead',
  });
  let lost: unknown = null;
  // Without a listener the end of a connection would end the process.
  client.on('error', (error) => {
    lost = error;
  });
  const cut = (): void => void client.connection.stream.destroy();
  signal.addEventListener('abort', cut, { once: true });
  try {
    await client.connect();
    await client.query(`${OWN_NAMES}; ${NOTICE_DEATH}`);
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    throw postgresError(lost ?? error);
  } finally {
    signal.removeEventListener('abort', cut);
    // What the server does to a connection that is closed anyway changes nothing.
    await client.end().catch(() => undefined);
  }
}
