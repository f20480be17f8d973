import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseName, databaseUsers, nextUser } from '../../domain/databases/database-name.ts';
import type { DatabaseLogin, DatabaseServer } from '../../domain/databases/ports.ts';

/** One connection of a workload. */
export interface WorkloadConnection {
  write(value: string): Promise<void>;
  /** Everything written so far, in order. */
  read(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A server under test, and the way of a workload to it. */
export interface DatabaseServerUnderTest {
  readonly server: DatabaseServer;
  /** Connects to a database as a workload does. @throws where the server refuses */
  connect(database: string, login: DatabaseLogin): Promise<WorkloadConnection>;
  /** Databases of the server itself, which no workload may open. */
  readonly ownDatabases: readonly string[];
}

let made = 0;
const signal = new AbortController().signal;

/** Names that no other test of the file has. */
function freshDatabase(): { database: string; first: DatabaseLogin; second: DatabaseLogin } {
  made += 1;
  const database = databaseName({ service: `suite-${made}-${process.pid}`, environment: 'uat' });
  const user = nextUser(database, null);
  return {
    database,
    first: { user, password: `first/${made}:'"?@%\\é` },
    second: { user: nextUser(database, user), password: `second-${made}` },
  };
}

/** What every {@link DatabaseServer} guarantees. */
export function databaseServerSuite(
  title: string,
  use: () => DatabaseServerUnderTest,
  { hasConsumers = true }: { readonly hasConsumers?: boolean } = {},
): void {
  describe(`DatabaseServer: ${title}`, () => {
    const written = async (database: string, login: DatabaseLogin, value?: string): Promise<readonly string[]> => {
      const connection = await use().connect(database, login);
      try {
        if (value !== undefined) await connection.write(value);
        return await connection.read();
      } finally {
        await connection.close();
      }
    };
    const isRefused = (database: string, login: DatabaseLogin) =>
      assert.rejects(written(database, login), `${login.user} must not read ${database}`);

    it('the login reads and writes its database, and keeps what is there when it is made sure of again', async () => {
      const { server } = use();
      const { database, first } = freshDatabase();
      assert.deepEqual(await server.ensure(database, first, signal), []);
      assert.deepEqual(await written(database, first, 'kept'), ['kept']);
      assert.deepEqual(await server.ensure(database, first, signal), []);
      assert.deepEqual(await written(database, first), ['kept']);
    });

    it('another password, another database and those of the server are refused', async () => {
      const { server, ownDatabases } = use();
      const [own, other] = [freshDatabase(), freshDatabase()];
      await server.ensure(own.database, own.first, signal);
      await server.ensure(other.database, other.first, signal);
      await written(other.database, other.first, 'private');
      await isRefused(own.database, { ...own.first, password: 'guessed' });
      await isRefused(own.database, { ...own.first, password: '' });
      for (const database of [other.database, ...ownDatabases]) await isRefused(database, own.first);
      assert.deepEqual(await written(other.database, other.first), ['private']);
    });

    it('two logins of a database are valid at once, and each works with what the other made', async () => {
      const { server } = use();
      const { database, first, second } = freshDatabase();
      await server.ensure(database, first, signal);
      await written(database, first, 'by the first');
      await server.ensure(database, second, signal);
      assert.deepEqual(await written(database, second, 'by the second'), ['by the first', 'by the second']);
      assert.deepEqual(await written(database, first, 'again'), ['by the first', 'by the second', 'again']);
    });

    it('a user that is withdrawn is refused and its connections end; the other one and the data stay', async () => {
      const { server } = use();
      const { database, first, second } = freshDatabase();
      await server.ensure(database, first, signal);
      await server.ensure(database, second, signal);
      const open = await use().connect(database, first);
      await open.write('before');
      await server.withdraw(database, first.user, signal);
      await assert.rejects(open.read());
      await open.close();
      await isRefused(database, first);
      assert.deepEqual(await written(database, second, 'after'), ['before', 'after']);
      await server.withdraw(database, first.user, signal);
      // Its turn comes again.
      await server.ensure(database, { ...first, password: 'third' }, signal);
      await isRefused(database, first);
      assert.deepEqual(await written(database, { ...first, password: 'third' }), ['before', 'after']);
    });

    it('a user that was never made, of a database that was never made, is withdrawn without an error', async () => {
      const { database, first } = freshDatabase();
      await use().server.withdraw(database, first.user, signal);
    });

    it('eight at once, for one database and for several, all succeed', async () => {
      const { server } = use();
      const same = freshDatabase();
      const several = Array.from({ length: 4 }, freshDatabase);
      const calls = [...Array.from({ length: 4 }, () => same), ...several];
      await Promise.all(calls.map(({ database, first }) => retried(() => server.ensure(database, first, signal))));
      for (const { database, first } of [same, ...several]) {
        assert.deepEqual(await written(database, first, 'there'), ['there']);
      }
    });

    it('a dropped database is gone with its users; one of its name that is made later is empty', async () => {
      const { server } = use();
      const { database, first } = freshDatabase();
      await server.ensure(database, first, signal);
      await written(database, first, 'old');
      const open = await use().connect(database, first);
      await server.drop(database, signal);
      await assert.rejects(open.read());
      await open.close();
      await isRefused(database, first);
      await server.drop(database, signal);
      await server.ensure(database, { ...first, password: 'new' }, signal);
      await isRefused(database, first);
      assert.deepEqual(await written(database, { ...first, password: 'new' }), []);
    });

    it('drops nothing that is not meant any more', async () => {
      const { server } = use();
      const { database, first } = freshDatabase();
      await server.ensure(database, first, signal);
      await written(database, first, 'kept');
      await server.drop(database, signal, async () => false);
      assert.deepEqual(await written(database, first), ['kept']);
      await server.drop(database, signal, async () => true);
      await isRefused(database, first);
    });

    it('lists what was made with its service and environment, and nothing of the server itself', async () => {
      const { server, ownDatabases } = use();
      const { database, first } = freshDatabase();
      await server.ensure(database, first, signal);
      await written(database, first, 'some bytes');
      const listed = await server.list(signal);
      const found = listed.find((one) => one.database === database);
      assert.deepEqual(found?.target, { service: database.slice(0, -'_uat'.length), environment: 'uat' });
      assert.ok(found !== undefined && (found.bytes === null || found.bytes > 0));
      assert.deepEqual(
        listed.filter((one) => ownDatabases.includes(one.database)),
        [],
      );
      await server.drop(database, signal);
      assert.ok(!(await server.list(signal)).some((one) => one.database === database));
    });

    it('a user of another database is a fault of the caller', async () => {
      const { server } = use();
      const { database, first } = freshDatabase();
      await assert.rejects(server.ensure(database, { ...first, user: 'admin' }, signal), RangeError);
      await assert.rejects(server.withdraw(database, 'admin', signal), RangeError);
      assert.ok(databaseUsers(database).includes(first.user));
    });

    it('an aborted call ends with the reason', async () => {
      const { database, first } = freshDatabase();
      const reason = new Error('cancelled');
      await assert.rejects(
        use().server.ensure(database, first, AbortSignal.abort(reason)),
        (error) => error === reason,
      );
    });

    if (!hasConsumers) return;

    describe('users of other services', () => {
      /** A database that holds a value, and one user of another service. */
      const shared = async (access: 'read' | 'write', key = 'aaaaaaaaaa') => {
        const { server } = use();
        const { database, first, second } = freshDatabase();
        await server.ensure(database, first, signal);
        await written(database, first, 'before');
        const other = { user: `${database}_${key}_a`, password: `other-${access}` };
        await server.consumers?.admit(database, other, access, signal);
        return { server, database, first, second, other };
      };
      it('read what is there and what comes later, and write nothing', async () => {
        const { database, first, other } = await shared('read');
        assert.deepEqual(await written(database, other), ['before']);
        await written(database, first, 'after');
        assert.deepEqual(await written(database, other), ['before', 'after']);
        await assert.rejects(written(database, other, 'forged'));
        assert.deepEqual(await written(database, first), ['before', 'after']);
      });

      it('write where they may, and the owner reads it', async () => {
        const { database, first, other } = await shared('write');
        await written(database, other, 'from beside');
        assert.deepEqual(await written(database, first), ['before', 'from beside']);
      });

      it('open no other database, and no longer once they are dismissed or withdrawn', async () => {
        const { server, database, first, other } = await shared('read');
        const elsewhere = await shared('read', 'bbbbbbbbbb');
        await isRefused(elsewhere.database, other);
        await isRefused(database, { ...other, password: 'guessed' });
        const open = await use().connect(database, other);
        await server.consumers?.dismiss(database, [other.user], signal);
        await assert.rejects(open.read(), 'its connection is ended');
        await open.close().catch(() => undefined);
        await isRefused(database, other);
        await server.consumers?.dismiss(database, [other.user], signal);
        assert.deepEqual(await written(database, first), ['before']);
        await server.consumers?.admit(database, other, 'read', signal);
        assert.deepEqual(await written(database, other), ['before']);
        await server.withdraw(database, other.user, signal);
        await isRefused(database, other);
      });

      it('have names of their own: no user of the owner, of another database or of the server is touched', async () => {
        const { server, database, first } = await shared('read');
        const names = [
          first.user,
          'postgres',
          database,
          `${database}_read`,
          `${database}_aaaaaaaaaa`,
          'x_aaaaaaaaaa_a',
        ];
        for (const user of names) {
          const login = { user, password: 'stolen' };
          await assert.rejects(async () => server.consumers?.admit(database, login, 'write', signal), RangeError, user);
          await assert.rejects(async () => server.consumers?.dismiss(database, [user], signal), RangeError, user);
        }
        assert.deepEqual(await written(database, first), ['before']);
      });

      it('go with the database, which is dropped although they are there', async () => {
        const { server, database, first, other } = await shared('write');
        await server.drop(database, signal);
        await isRefused(database, other);
        await assert.rejects(async () => server.consumers?.admit(database, other, 'read', signal));
        await server.ensure(database, first, signal);
        await isRefused(database, other);
      });
    });
  });
}

/** Repeats what failed for a moment, as a workflow does. */
async function retried(call: () => Promise<unknown>): Promise<void> {
  for (let left = 10; ; left -= 1) {
    try {
      await call();
      return;
    } catch (error) {
      if (left === 0 || (error as { retryable?: boolean }).retryable !== true) throw error;
    }
  }
}
