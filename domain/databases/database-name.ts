import { ENVIRONMENTS, type Environment } from '../environment.ts';

/** Whose database it is: each service has one of an engine in each environment. */
export interface DatabaseTarget {
  readonly service: string;
  readonly environment: Environment;
}

/** Names of services have no underscore, so the last one parts the two, and no two targets have the same name. */
const SEPARATOR = '_';

/** PostgreSQL keeps roles that begin with `pg_` to itself. Names of services end with no dash, so that one more tells them apart. */
const RESERVED: ReadonlySet<string> = new Set(['pg']);
const ASIDE = '-';

/**
 * The name of a service's database in an environment, `web-shop_prod`: at most 48 characters, and with what is added for
 * its users at most 50. PostgreSQL allows 63 bytes, MongoDB 63, Redis any number. Of a service called `pg` it is `pg-_prod`.
 */
export function databaseName({ service, environment }: DatabaseTarget): string {
  return `${service}${RESERVED.has(service) ? ASIDE : ''}${SEPARATOR}${environment}`;
}

/** The opposite of {@link databaseName}; null for any other name, such as that of a database made by hand. */
export function parseDatabaseName(name: string): DatabaseTarget | null {
  const at = name.lastIndexOf(SEPARATOR);
  const environment = ENVIRONMENTS.find((one) => one === name.slice(at + 1));
  const written = name.slice(0, Math.max(at, 0));
  if (environment === undefined || !/^[a-z0-9-]+$/.test(written)) return null;
  const service = written.endsWith(ASIDE) ? written.slice(0, -ASIDE.length) : written;
  return databaseName({ service, environment }) === name ? { service, environment } : null;
}

/** Users take turns, so that the next one is valid before the last one is withdrawn. */
const TURNS = ['a', 'b'] as const;

/** Every user that a database may have. */
export function databaseUsers(database: string): readonly [string, string] {
  return [`${database}${SEPARATOR}${TURNS[0]}`, `${database}${SEPARATOR}${TURNS[1]}`];
}

/** The user whose turn it is after another; the first one after none. */
export function nextUser(database: string, user: string | null): string {
  const [first, second] = databaseUsers(database);
  return user === first ? second : first;
}
