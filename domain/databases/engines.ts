/** Kinds of database that a service may have. */
export const DATABASE_ENGINES = ['mongodb', 'postgres', 'redis', 'neo4j'] as const;

export type DatabaseEngine = (typeof DATABASE_ENGINES)[number];

/** All that a workload needs to open its database. */
export interface DatabaseAccess {
  /** As the workload sees it. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** As in the record of the database. */
  readonly generation: string | null;
  readonly user: string;
  readonly password: string;
  /** Parameters of the URI, such as `sslmode`. */
  readonly options: Readonly<Record<string, string>>;
}

/** What is known of one engine. */
export interface EngineRow {
  readonly title: string;
  /** Where its servers listen by default. */
  readonly port: number;
  /** Names the server, with the administrator's credentials (spec 2, "Environment variables"). */
  readonly adminVariable: string;
  /** Says where workloads find the server. */
  readonly hostVariable: string;
  /** The variables that a workload is given; nobody else may set them. */
  readonly variables: (access: DatabaseAccess) => Readonly<Record<string, string>>;
  /** Why its databases are not backed up; null where they are. */
  readonly notBackedUp: string | null;
  /** What to know where no server is configured; `''` for nothing. */
  readonly withoutServer: string;
  /** Whether one server has one space of keys for all: then each database that is made has a prefix that none had before. */
  readonly sharesKeys: boolean;
  /** Given as well, unless the service sets a variable of that name itself. */
  readonly usual: (access: DatabaseAccess) => Readonly<Record<string, string>>;
}

/** The one table of engines (spec 2, "Configuration variables and secrets", 5, and the DB_ variables). */
export const ENGINES: Readonly<Record<DatabaseEngine, EngineRow>> = {
  mongodb: {
    title: 'MongoDB',
    port: 27_017,
    adminVariable: 'DB_MONGODB_ADMIN_URI',
    hostVariable: 'DB_MONGODB_HOST',
    notBackedUp: null,
    sharesKeys: false,
    withoutServer:
      'A stack that runs the MongoDB stand-in has none: that knows one user, who would open the databases of all services.',
    variables: (access) => ({ MONGODB_URI: databaseUri('mongodb', access) }),
    usual: () => ({}),
  },
  postgres: {
    title: 'PostgreSQL',
    port: 5432,
    adminVariable: 'DB_POSTGRES_ADMIN_URI',
    hostVariable: 'DB_POSTGRES_HOST',
    notBackedUp: null,
    sharesKeys: false,
    withoutServer: '',
    variables: (access) => ({ POSTGRES_URI: databaseUri('postgresql', access) }),
    // The name that most frameworks read; services set it for databases elsewhere as well.
    usual: (access) => ({ DATABASE_URL: databaseUri('postgresql', access) }),
  },
  redis: {
    title: 'Redis',
    port: 6379,
    adminVariable: 'DB_REDIS_ADMIN_URL',
    hostVariable: 'DB_REDIS_HOST',
    notBackedUp: 'Redis is a cache: its databases are not backed up',
    sharesKeys: true,
    withoutServer: '',
    variables: (access) => ({
      REDIS_URL: databaseUri(access.options.tls === 'true' ? 'rediss' : 'redis', {
        ...access,
        database: '0',
        options: {},
      }),
      // The user reaches no other keys and channels.
      REDIS_KEY_PREFIX: keyPrefix(access.database, access.generation),
    }),
    usual: () => ({}),
  },
  neo4j: {
    title: 'Neo4j',
    port: 7687,
    adminVariable: 'DB_NEO4J_ADMIN_URI',
    hostVariable: 'DB_NEO4J_HOST',
    notBackedUp: 'the platform has no tool that copies a Neo4j database: back it up on its server',
    sharesKeys: false,
    withoutServer: '',
    variables: ({ host, port, database, user, password, options }) => ({
      NEO4J_URI: `${options.scheme ?? 'neo4j'}://${host}:${port}`,
      NEO4J_USERNAME: user,
      NEO4J_PASSWORD: password,
      NEO4J_DATABASE: graphName(database),
    }),
    usual: () => ({}),
  },
};

const ANY: DatabaseAccess = {
  ...{ host: '', port: 0, database: '', generation: null, user: '', password: '', options: {} },
};

/** Names of the variables that a service of the engine is given unless it sets them itself. */
export function usualVariables(engine: DatabaseEngine): readonly string[] {
  return Object.keys(ENGINES[engine].usual(ANY));
}

/** Names of the variables of a workload that is given a database of the engine. */
export function databaseVariables(engine: DatabaseEngine): readonly string[] {
  return [...Object.keys(ENGINES[engine].variables(ANY)), ...usualVariables(engine)];
}

/** The engine whose databases give the variable, which nobody else may set; null for none. */
export function engineOfVariable(name: string): DatabaseEngine | null {
  return DATABASE_ENGINES.find((engine) => Object.hasOwn(ENGINES[engine].variables(ANY), name)) ?? null;
}

/**
 * What the keys of a database begin with, where one server has one space of keys for all: `shop_prod.1f0c9a3b77de:`. Keys of a
 * dropped database that an old snapshot brings back begin with another generation than those of the next one of its name.
 */
export function keyPrefix(database: string, generation: string | null): string {
  return generation === null ? `${database}:` : `${database}.${generation}:`;
}

/**
 * The name of a service's database in Neo4j, `service-shop-prod`: there names have no underscore, begin with a letter and not
 * with `system`.
 */
export function graphName(database: string): string {
  return `service-${database.replace('_', '-')}`;
}

function databaseUri(scheme: string, { host, port, database, user, password, options }: DatabaseAccess): string {
  const query = new URLSearchParams(options).toString();
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return `${scheme}://${login}@${host}:${port}/${database}${query === '' ? '' : `?${query}`}`;
}
