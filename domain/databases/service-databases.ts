import type { Environment } from '../environment.ts';
import { type ClaimDeps, claimDatabase, type DatabaseOwner } from './claim-database.ts';
import { consumeDatabase } from './consume-database.ts';
import { type ConsumedDatabase, consumedVariable, consumerId } from './consumer.ts';
import { databaseName } from './database-name.ts';
import { endConsumer, endConsumersOf, endUnused } from './end-consumer.ts';
import { type DatabaseAccess, type DatabaseEngine, ENGINES } from './engines.ts';
import { letIn } from './let-in.ts';
import { openLogin } from './login.ts';
import type { DatabaseCommands, DatabaseServer, MayConsume } from './ports.ts';
import { withdrawStaleUsers } from './reconcile-users.ts';
import { type DatabaseRecord, databaseId } from './record.ts';
import { settleUser } from './settle-user.ts';

/** Where workloads find the server of an engine. */
export type DatabaseAddress = Pick<DatabaseAccess, 'host' | 'port' | 'options'>;

/** What a deploy made sure of. */
export interface ProvisionedDatabase {
  readonly database: string;
  /** Worth a warning on the build. */
  readonly warnings: readonly string[];
}

/** What a workload is given of its databases. */
export interface DatabaseVariables {
  /** Nobody else sets them. */
  readonly reserved: Readonly<Record<string, string>>;
  /** Given where the service sets no variable of that name. */
  readonly usual: Readonly<Record<string, string>>;
}

/** Databases as deploys use them. */
export interface ServiceDatabases {
  /** @returns null where no server of the engine is configured. @throws as `DatabaseServer.ensure` and `claimDatabase` */
  provision(engine: DatabaseEngine, owner: DatabaseOwner, signal: AbortSignal): Promise<ProvisionedDatabase | null>;
  /**
   * Lets a service use the database of another one, by a login of its own, where it may.
   * @returns null where it may not, or the other service has no such database. @throws as `consumeDatabase`
   */
  consume(
    consumed: { readonly from: ConsumedDatabase; readonly by: DatabaseOwner },
    signal: AbortSignal,
  ): Promise<{ readonly database: string } | null>;
  /**
   * Ends the logins of a service in an environment to databases of others that it may not use any more, and those that
   * nothing uses. Idempotent.
   * @param used asked after the logins are read; null while that is not known, and then unused ones stay. One that somebody
   *   is given meanwhile stays
   */
  endConsumed(
    by: { readonly serviceId: string; readonly environment: Environment },
    used: () => Promise<readonly ConsumedDatabase[] | null>,
  ): Promise<void>;
  /**
   * With the logins that the service has now; nothing of a database that it does not have, or may not use any more, whatever
   * its release has. Those that are given are no unused ones.
   * @param ownPort at which the workload listens: nobody else can listen there in its network
   * @throws INTERNAL for a password that cannot be opened
   */
  variables(
    owner: Omit<DatabaseOwner, 'org'>,
    databases: { readonly own: readonly DatabaseEngine[]; readonly consumed: readonly ConsumedDatabase[] },
    ownPort: number,
  ): Promise<DatabaseVariables>;
  /** Those of the engines of which there is a server. */
  configured(engines: readonly DatabaseEngine[]): readonly DatabaseEngine[];
  /** Where a workload that listens at that port finds the servers; none that is not configured. */
  addresses(
    engines: readonly DatabaseEngine[],
    ownPort: number,
  ): readonly ({ readonly engine: DatabaseEngine } & DatabaseAddress)[];
  /** Every password of the service, which no log may show; those that no key opens are left out. */
  passwords(serviceId: string): Promise<readonly string[]>;
  /**
   * Notes that the service is removed: its databases are kept for a time, then dropped. Logins that others have to them,
   * and its own to those of others, end now. Idempotent.
   */
  keep(serviceId: string): Promise<void>;
}

/** One configured engine. */
export interface EngineSetup {
  readonly server: DatabaseServer;
  readonly address: (ownPort: number) => DatabaseAddress;
}

export interface ServiceDatabasesDeps extends ClaimDeps {
  readonly engines: Readonly<Partial<Record<DatabaseEngine, EngineSetup>>>;
  readonly commands: Pick<DatabaseCommands, 'dropLater'>;
  readonly mayConsume: MayConsume;
  /** How long the database of a removed service is kept. */
  readonly graceDays: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function createServiceDatabases(deps: ServiceDatabasesDeps): ServiceDatabases {
  const { records, engines } = deps;
  return {
    async provision(engine, owner, signal) {
      const server = engines[engine]?.server;
      if (server === undefined) return null;
      const { record, login, notes } = await claimDatabase(deps, engine, owner);
      const open = await letIn(deps, server, record, record.login, signal);
      await settleUser(deps, server, record, { user: login.user, login: record.login });
      await withdrawStaleUsers(deps, server, record.database, signal);
      return { database: record.database, warnings: [...notes, ...open] };
    },
    async consume({ from, by }, signal) {
      const server = engines[from.engine]?.server;
      return server === undefined ? null : await consumeDatabase(deps, server, { from, by }, signal);
    },
    async endConsumed({ serviceId, environment }, used) {
      const consumers = (await records.ofService(serviceId)).filter((record) => {
        return record.consumes !== null && record.environment === environment;
      });
      if (consumers.length === 0) return;
      const inUse = await used();
      for (const record of consumers) {
        if (!(await deps.mayConsume(record))) await endConsumer(deps, record);
        else if (inUse !== null && !inUse.some((one) => isOf(one, record))) await endUnused(deps, record);
      }
    },
    async variables(owner, { own, consumed }, ownPort) {
      const given = await Promise.all(own.map((engine) => accessTo(deps, engine, owner, ownPort)));
      const used = await Promise.all(consumed.map((one) => consumedAddress(deps, one, owner, ownPort)));
      const all = given.flatMap((one) => one ?? []);
      return {
        reserved: Object.assign({}, ...all.map(({ engine, access }) => ENGINES[engine].variables(access)), ...used),
        usual: Object.assign({}, ...all.map(({ engine, access }) => ENGINES[engine].usual(access))),
      };
    },
    configured: (wanted) => wanted.filter((engine) => engines[engine] !== undefined),
    addresses: (wanted, ownPort) =>
      wanted.flatMap((engine) => {
        const address = engines[engine]?.address(ownPort);
        return address === undefined ? [] : [{ engine, ...address }];
      }),
    async passwords(serviceId) {
      return (await records.ofService(serviceId)).flatMap((record) => {
        return [record.login, record.next, record.retired].flatMap((login) => {
          if (login === null) return [];
          try {
            return [openLogin(deps.cipher, record, login).password];
          } catch {
            // No key opens it: nobody can print it either.
            return [];
          }
        });
      });
    },
    async keep(serviceId) {
      await endConsumersOf(deps, serviceId);
      for (const record of await records.ofService(serviceId)) {
        const { id, state, dropAfter } = record;
        if (record.consumes !== null) {
          await endConsumer(deps, record);
          continue;
        }
        const until = dropAfter ?? new Date(deps.now().getTime() + deps.graceDays * DAY_MS);
        if (state === 'active') await records.keep(id, serviceId, until);
        await deps.commands.dropLater({ id, dropAfter: until });
      }
    },
  };
}

function isOf({ engine, serviceId, access }: ConsumedDatabase, { consumes, ...record }: DatabaseRecord): boolean {
  return record.engine === engine && consumes?.serviceId === serviceId && consumes.access === access;
}

/** Null for a database that the service does not have, or whose server is not configured any more. */
async function accessTo(
  { records, engines, cipher }: ServiceDatabasesDeps,
  engine: DatabaseEngine,
  owner: Omit<DatabaseOwner, 'org'>,
  ownPort: number,
): Promise<{ readonly engine: DatabaseEngine; readonly access: DatabaseAccess } | null> {
  const record = await records.find(databaseId(engine, databaseName(owner)));
  const setup = engines[engine];
  if (setup === undefined || record?.state !== 'active' || record.serviceId !== owner.serviceId) return null;
  const login = openLogin(cipher, record, record.login);
  const { database, generation } = record;
  return { engine, access: { ...setup.address(ownPort), ...login, database, generation } };
}

/** The address of another service's database under its variable; nothing once the login has ended, or may not be there. */
async function consumedAddress(
  { records, engines, cipher, mayConsume }: ServiceDatabasesDeps,
  from: ConsumedDatabase,
  by: Omit<DatabaseOwner, 'org'>,
  ownPort: number,
): Promise<Readonly<Record<string, string>>> {
  const { engine, service, access } = from;
  const database = databaseName({ service, environment: by.environment });
  const setup = engines[engine];
  if (setup === undefined) return {};
  const record = await records.give(consumerId(engine, database, { serviceId: by.serviceId, access }));
  if (record?.serviceId !== by.serviceId || record.consumes?.serviceId !== from.serviceId) return {};
  if (!(await mayConsume(record))) return {};
  const login = openLogin(cipher, record, record.login);
  const opened = { ...setup.address(ownPort), ...login, database, generation: record.generation };
  const [uri = ''] = Object.values(ENGINES[engine].variables(opened));
  return { [consumedVariable(from)]: uri };
}
