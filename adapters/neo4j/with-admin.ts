import type { Driver } from 'neo4j-driver-lite';
import { failure, isCode, neo4jError } from './neo4j-error.ts';

export interface Neo4jAdmin {
  /** `neo4j://`, `bolt://`, or one of these with `+s`. */
  readonly uri: string;
  readonly user: string;
  readonly password: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Runs one statement on the database `system`. */
export type Ask = (text: string, parameters?: Row) => Promise<readonly Row[]>;

const CONNECT_MS = 10_000;
const NOBODY = { scheme: 'none', principal: '', credentials: '' };

/** Runs statements as the administrator on a connection of their own, which is cut when the signal aborts. @throws as `DatabaseServer` */
export async function withAdmin<T>(
  { uri, user, password }: Neo4jAdmin,
  { signal, answerMs }: { readonly signal: AbortSignal; readonly answerMs: number },
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  // The driver takes 25 MB: a worker without Neo4j goes without it.
  const { default: neo4j } = await import('neo4j-driver-lite');
  const patience = AbortSignal.timeout(answerMs);
  const over = AbortSignal.any([signal, patience]);
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  const onEnd = () => ended.reject(over.reason);
  over.addEventListener('abort', onEnd, { once: true });
  const patienceMs = Math.min(CONNECT_MS, answerMs);
  const options = {
    connectionTimeout: patienceMs,
    connectionAcquisitionTimeout: patienceMs,
    maxTransactionRetryTime: 0,
    userAgent: 'fairlead',
  };
  const drivers: Driver[] = [];
  const open = (...given: Parameters<typeof neo4j.driver>): Driver => {
    const driver = neo4j.driver(...given);
    drivers.push(driver);
    return driver;
  };
  try {
    const admin = open(uri, { scheme: 'basic', principal: user, credentials: password }, options);
    const ask = askOf(admin);
    const all = async (): Promise<T> => {
      await requirePasswords(open(uri, NOBODY, options));
      return work(ask);
    };
    return await Promise.race([all(), ended.promise]);
  } catch (error) {
    signal.throwIfAborted();
    if (patience.aborted) throw failure('UNAVAILABLE', 'does not answer in time', true, error);
    throw neo4jError(error);
  } finally {
    over.removeEventListener('abort', onEnd);
    // Nothing waits for a server that says nothing.
    for (const driver of drivers) driver.close().catch(() => undefined);
  }
}

function askOf(driver: Driver): Ask {
  return async (text, parameters = {}) => {
    const session = driver.session({ database: 'system' });
    try {
      return (await session.run(text, parameters)).records.map((record) => record.toObject());
    } finally {
      // A statement that failed has said why.
      await session.close().catch(() => undefined);
    }
  };
}

/**
 * A server that asks nobody for a password opens every graph to every service.
 * @throws UNAVAILABLE for such a server
 */
async function requirePasswords(driver: Driver): Promise<void> {
  try {
    await driver.verifyConnectivity({ database: 'system' });
  } catch (error) {
    if (isCode(error, /Security\./)) return;
    throw error;
  }
  const remedy = 'set dbms.security.auth_enabled=true, or name another one in DB_NEO4J_ADMIN_URI';
  throw failure('UNAVAILABLE', `lets everybody in: ${remedy}`);
}
