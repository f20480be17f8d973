import { randomBytes } from 'node:crypto';
import type { MongoClient } from 'mongodb';
import { isConsumerUser } from '../../domain/databases/consumer.ts';
import type { ConsumerLogins } from '../../domain/databases/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { exclusively } from './gate.ts';
import { dropUser, ensureUser, isOurUser } from './own-users.ts';
import { endSessions, ensureConsumerRole, hasServiceRole } from './service-role.ts';

const ALWAYS = async (): Promise<boolean> => true;

export interface ConsumersDeps {
  readonly asAdmin: <T>(signal: AbortSignal, work: (client: MongoClient) => Promise<T>) => Promise<T>;
  /** How long a call that says nothing keeps others out; see {@link exclusively}. */
  readonly patienceMs?: number | undefined;
}

/**
 * Logins of services to the databases of other ones: users of that database, so that they log in there, with its role
 * `fairlead_reader` or `fairlead_writer` alone. The roles stay until the database is dropped; restores close and open them.
 */
export function createConsumerLogins({ asAdmin, patienceMs }: ConsumersDeps): ConsumerLogins {
  return {
    async admit(database, login, access, signal, isMeant = ALWAYS) {
      requireConsumer(database, login.user);
      await asAdmin(signal, (client) => {
        const db = client.db(database);
        return exclusively(db, { signal, patienceMs }, async (gate) => {
          if (!(await isMeant())) return;
          if (!(await hasServiceRole(db))) {
            const text = `The database ${database} is not there: nobody is let in.`;
            throw new FairleadError('UNAVAILABLE', text, { system: 'mongodb', retryable: true });
          }
          await ensureUser(db, login, [await ensureConsumerRole(db, access), gate]);
        });
      });
    },
    async dismiss(database, users, signal, isMeant = ALWAYS) {
      for (const user of users) requireConsumer(database, user);
      await asAdmin(signal, (client) => {
        const db = client.db(database);
        return exclusively(db, { signal, patienceMs }, async (gate) => {
          if (!(await isMeant())) return;
          for (const user of users) {
            if (!(await isOurUser(db, user))) continue;
            // Before it goes, as this is refused when the turn is over.
            await ensureUser(db, { user, password: randomBytes(24).toString('base64url') }, [gate]);
            await dropUser(db, user);
          }
          await endSessions(client, database, users);
        });
      });
    },
  };
}

function requireConsumer(database: string, user: string): void {
  if (!isConsumerUser(database, user)) throw new RangeError(`${user} is no user of another service in ${database}`);
}
