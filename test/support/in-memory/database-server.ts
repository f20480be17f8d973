import { isConsumerUser } from '../../../domain/databases/consumer.ts';
import { databaseUsers, parseDatabaseName } from '../../../domain/databases/database-name.ts';
import type { DatabaseEngine } from '../../../domain/databases/engines.ts';
import type { DatabaseLogin, DatabaseServer } from '../../../domain/databases/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DatabaseServerUnderTest } from '../../ports/database-server.ts';

interface HeldDatabase {
  readonly values: string[];
  readonly passwords: Map<string, string>;
  /** Users of other services that only read. */
  readonly readers: Set<string>;
}

/** A server of databases in this process. */
export function createInMemoryDatabaseServer(engine: DatabaseEngine = 'postgres'): DatabaseServerUnderTest & {
  readonly held: ReadonlyMap<string, HeldDatabase>;
} {
  const held = new Map<string, HeldDatabase>();
  const requireUser = (database: string, user: string): void => {
    if (!databaseUsers(database).includes(user) && !isConsumerUser(database, user))
      throw new RangeError(`${user} is no user of ${database}`);
  };
  const server: DatabaseServer = {
    engine,
    async ensure(database, { user, password }, signal) {
      signal.throwIfAborted();
      requireUser(database, user);
      const one = held.get(database) ?? { values: [], passwords: new Map(), readers: new Set<string>() };
      one.passwords.set(user, password);
      held.set(database, one);
      return [];
    },
    async withdraw(database, user, signal) {
      signal.throwIfAborted();
      requireUser(database, user);
      held.get(database)?.passwords.delete(user);
    },
    consumers: {
      async admit(database, { user, password }, access, signal, isMeant = async () => true) {
        signal.throwIfAborted();
        if (!(await isMeant())) return;
        const one = held.get(database);
        if (one === undefined) throw new FairleadError('UNAVAILABLE', `${database} is not there`, { retryable: true });
        if (!isConsumerUser(database, user)) throw new RangeError(`${user} is no user of another service`);
        one.passwords.set(user, password);
        if (access === 'read') one.readers.add(user);
      },
      async dismiss(database, users, signal, isMeant = async () => true) {
        signal.throwIfAborted();
        if (!(await isMeant())) return;
        for (const user of users) {
          if (!isConsumerUser(database, user)) throw new RangeError(`${user} is no user of another service`);
          held.get(database)?.passwords.delete(user);
          held.get(database)?.readers.delete(user);
        }
      },
    },
    async drop(database, signal, isMeant = async () => true) {
      signal.throwIfAborted();
      if (await isMeant()) held.delete(database);
    },
    async list(signal) {
      signal.throwIfAborted();
      return [...held].map(([database, { values }]) => {
        return { database, target: parseDatabaseName(database), bytes: 1 + values.join('').length };
      });
    },
  };
  const open = (database: string, { user, password }: DatabaseLogin): HeldDatabase => {
    const one = held.get(database);
    if (one === undefined || one.passwords.get(user) !== password) throw new Error('refused');
    return one;
  };
  return {
    held,
    server,
    ownDatabases: ['postgres'],
    async connect(database, login) {
      open(database, login);
      return {
        async write(value) {
          const one = open(database, login);
          if (one.readers.has(login.user)) throw new Error('refused');
          one.values.push(value);
        },
        read: async () => [...open(database, login).values],
        close: async () => undefined,
      };
    },
  };
}
