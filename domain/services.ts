/**
 * The one table of the platform's HTTP services. Ports, databases, variables, generated secrets, OAuth clients, what
 * workloads are given and what they may reach derive from it. Plain data: no environment, no I/O. Workflows don't import
 * it, so that a row never changes their bundle.
 */

/** A key that an installation makes once and keeps. */
export interface GeneratedSecret {
  /** The variable by which processes get it. */
  readonly variable: string;
  /** How many random bytes, and in which encoding. */
  readonly bytes: 32;
  readonly encoding: 'base64' | 'base64url';
  /** `worker`: no HTTP service ever holds it. */
  readonly heldBy: 'every process' | 'worker';
}

export interface ServiceRow {
  readonly name: string;
  /** As in "the audit ledger". */
  readonly title: string;
  /** One line for people: what it is there for. */
  readonly purpose: string;
  readonly defaultPort: number;
  readonly portVariable: string;
  /** Names the public address of the service to itself and to whoever calls it. */
  readonly baseUrlVariable: string;
  /** On the server of MONGODB_URI. Null: the service keeps nothing. */
  readonly database: string | null;
  /** Names a server and database of its own. Null: its database is the one that MONGODB_URI names. */
  readonly databaseUriVariable: string | null;
  readonly secrets: readonly GeneratedSecret[];
  /** OAuth client of the service: the audience of tokens for it. Null for the provider itself. */
  readonly platformClient: string | null;
  /** Scopes of the tokens that its platform client gets for its own calls; absent: it makes none. */
  readonly ownScopes?: readonly string[];
  /** Public OAuth client by which people sign in to its pages, at `<base URL>/api/auth/callback`. */
  readonly pagesClient: string | null;
  /** Its pages call the other services as the person before them: the tokens of its client are for all of these. */
  readonly pagesCallServices?: true;
  /** It calls nothing by the internal key, and takes no call by it: the key is not given to it. */
  readonly holdsNoKey?: true;
  /** It calls others by the internal key, and takes no call by it: its callers have tokens (spec 3, "Authentication"). */
  readonly takesNoKey?: true;
  /** The variable by which workloads get its base URL; null: they don't. */
  readonly injectedAs: string | null;
  /** Whether the platform's socket for workloads lets requests to it through. */
  readonly reachableFromWorkloads: boolean;
  readonly modules: readonly string[];
}

/** Of a token by which values are taken out of the locker; no other scope includes it (spec 2, "Authentication", 5). */
export const LOCKER_RESOLVE_SCOPE = 'locker-resolve';

/** Of a token by which the site registry is told of deploys (spec 3, "Authentication"). */
export const SITE_HOOKS_SCOPE = 'webmaster:hooks';

/** The audience of tokens for the site registry. */
export const SITE_REGISTRY_CLIENT = 'site-registry';

/** By which catalogs name it: a dependency that names no scope of it reads (spec 3, "Authentication"). */
export const SITE_REGISTRY_WORDS: readonly string[] = [SITE_REGISTRY_CLIENT, 'webmaster'];

const KEY = { bytes: 32, encoding: 'base64', heldBy: 'every process' } as const;

export const SERVICES = [
  {
    name: 'idp',
    title: 'identity provider',
    purpose: 'Tokens, sign-in pages, people and orgs',
    defaultPort: 3001,
    portVariable: 'IDP_PORT',
    baseUrlVariable: 'IDP_URL',
    database: 'identity',
    databaseUriVariable: 'IDP_MONGODB_URI',
    secrets: [{ variable: 'IDP_ENCRYPTION_KEY', ...KEY }],
    platformClient: null,
    pagesClient: null,
    injectedAs: 'IDP_URL',
    reachableFromWorkloads: true,
    modules: ['identity', 'oauth-clients', 'orgs', 'passport'],
  },
  {
    name: 'builder',
    title: 'builder',
    purpose: "The platform's API",
    defaultPort: 3002,
    portVariable: 'PORT',
    baseUrlVariable: 'BUILDER_URL',
    database: 'builder',
    databaseUriVariable: null,
    secrets: [
      { variable: 'CONFIG_ENCRYPTION_KEY', ...KEY },
      { variable: 'BUILDER_CLIENT_SECRET', ...KEY, encoding: 'base64url' },
    ],
    platformClient: 'builder',
    ownScopes: [LOCKER_RESOLVE_SCOPE, SITE_HOOKS_SCOPE],
    pagesClient: null,
    injectedAs: null,
    reachableFromWorkloads: false,
    modules: ['catalog', 'deploys'],
  },
  {
    name: 'registry',
    title: 'service registry',
    purpose: 'What is deployed: routes, bindings, changelogs',
    defaultPort: 3003,
    // REGISTRY_PORT would be taken for that of the image registry.
    portVariable: 'SERVICE_REGISTRY_PORT',
    baseUrlVariable: 'REGISTRY_URL',
    database: 'registry',
    databaseUriVariable: 'REGISTRY_MONGODB_URI',
    secrets: [],
    platformClient: 'registry',
    pagesClient: null,
    injectedAs: 'REGISTRY_URL',
    reachableFromWorkloads: true,
    modules: ['registry'],
  },
  {
    name: 'wallet',
    title: 'wallet',
    purpose: 'Gas balances of orgs, and the ledger of their tokens',
    defaultPort: 3004,
    portVariable: 'WALLET_PORT',
    // Processes of the platform know it by this variable, workloads by another (spec 2, "Variables injected into every pod").
    baseUrlVariable: 'WALLET_URL',
    database: 'wallet',
    databaseUriVariable: 'WALLET_MONGODB_URI',
    secrets: [],
    platformClient: 'wallet',
    pagesClient: null,
    injectedAs: 'WALLET_SERVICE_URL',
    reachableFromWorkloads: true,
    modules: ['wallet'],
  },
  {
    name: 'audit-ledger',
    title: 'audit ledger',
    purpose: 'Where services write what happened',
    defaultPort: 3005,
    portVariable: 'AUDIT_PORT',
    baseUrlVariable: 'AUDIT_URL',
    database: 'audit',
    databaseUriVariable: 'AUDIT_MONGODB_URI',
    secrets: [
      { variable: 'AUDIT_SIGNING_KEY', ...KEY },
      { variable: 'AUDIT_SIGNER_KEY', ...KEY, heldBy: 'worker' },
    ],
    platformClient: 'audit-ledger',
    pagesClient: 'audit-ledger-pages',
    injectedAs: 'AUDIT_URL',
    reachableFromWorkloads: true,
    modules: ['audit-ledger'],
  },
  {
    name: 'site-registry',
    title: 'site registry',
    purpose: 'Domains of the organisation, and what the search engine thinks of them',
    defaultPort: 3006,
    portVariable: 'SITE_REGISTRY_PORT',
    baseUrlVariable: 'SITE_REGISTRY_URL',
    database: 'siteregistry',
    databaseUriVariable: 'SITE_REGISTRY_MONGODB_URI',
    secrets: [],
    platformClient: SITE_REGISTRY_CLIENT,
    takesNoKey: true,
    pagesClient: null,
    // For services of the platform's org, which call it by their own tokens (spec 3, "Authentication", "Site registry").
    injectedAs: 'SITE_REGISTRY_URL',
    reachableFromWorkloads: true,
    modules: ['properties', 'search-pulls'],
  },
  {
    name: 'monitor',
    title: 'uptime monitor',
    purpose: 'Whether services answer, their incidents, and the public status page',
    defaultPort: 3007,
    portVariable: 'MONITOR_PORT',
    baseUrlVariable: 'MONITOR_URL',
    database: 'monitor',
    databaseUriVariable: 'MONITOR_MONGODB_URI',
    secrets: [{ variable: 'MONITOR_ENCRYPTION_KEY', ...KEY }],
    platformClient: 'monitor',
    pagesClient: 'monitor-pages',
    injectedAs: null,
    reachableFromWorkloads: false,
    modules: ['monitors', 'incidents', 'notifications', 'status-page'],
  },
  {
    name: 'locker',
    title: 'locker',
    purpose: 'Credentials of orgs, for the services that they are bound to',
    defaultPort: 3010,
    portVariable: 'LOCKER_PORT',
    baseUrlVariable: 'LOCKER_URL',
    database: 'locker',
    databaseUriVariable: 'LOCKER_MONGODB_URI',
    secrets: [{ variable: 'LOCKER_ENCRYPTION_KEY', ...KEY }],
    platformClient: 'locker',
    pagesClient: null,
    injectedAs: null,
    reachableFromWorkloads: false,
    modules: ['locker'],
  },
  {
    name: 'console',
    title: 'console',
    purpose: 'Pages for people: what runs, what fails, what waits for them',
    defaultPort: 3000,
    portVariable: 'CONSOLE_PORT',
    baseUrlVariable: 'CONSOLE_URL',
    database: null,
    databaseUriVariable: null,
    secrets: [{ variable: 'CONSOLE_ENCRYPTION_KEY', ...KEY }],
    platformClient: null,
    pagesClient: 'console',
    pagesCallServices: true,
    holdsNoKey: true,
    injectedAs: null,
    reachableFromWorkloads: false,
    modules: ['console'],
  },
] as const satisfies readonly ServiceRow[];

export type ServiceName = (typeof SERVICES)[number]['name'];

/** Services that have a database. */
export type StoringServiceName = Extract<(typeof SERVICES)[number], { readonly database: string }>['name'];

/** The rows in one shape, for what loops over them. */
export const SERVICE_ROWS: readonly (ServiceRow & { readonly name: ServiceName })[] = SERVICES;

export const SERVICE_NAMES: readonly ServiceName[] = SERVICES.map(({ name }) => name);

export type RowOf<Name extends ServiceName> = Extract<(typeof SERVICES)[number], { readonly name: Name }>;

/** The row of one service, with what it says of it as types. */
export function serviceRow<Name extends ServiceName>(name: Name): RowOf<Name> {
  const row = SERVICES.find((candidate): candidate is RowOf<Name> => candidate.name === name);
  if (row === undefined) throw new RangeError(`no service is called ${name}`);
  return row;
}

/** Title of its OpenAPI document. */
export function apiTitle(name: ServiceName): string {
  return `Fairlead ${serviceRow(name).title}`;
}

/** Where a service answers on this machine when nothing names its address. */
export function defaultServiceUrl({ defaultPort }: Pick<ServiceRow, 'defaultPort'>): string {
  return `http://localhost:${defaultPort}`;
}

/** Where people come back to when they have signed in to the pages of a service. */
export const SIGN_IN_CALLBACK = '/api/auth/callback';

/** The command line's OAuth client, which belongs to no service. */
export const CLI_CLIENT = 'fairlead-cli';

/** Ids of the clients every installation has; made at the first start, and changed by starts alone. */
export const PLATFORM_CLIENT_IDS: readonly string[] = [
  CLI_CLIENT,
  ...SERVICE_ROWS.flatMap(({ platformClient, pagesClient }) => [platformClient ?? [], pagesClient ?? []].flat()),
];

/** Services of later versions: who took the id of one of their clients today would be that client's owner then. */
const LATER_SERVICES = ['gateway', 'mcp-gateway', 'vault'];

/** Ids that no client of an org may have. */
export const RESERVED_CLIENT_IDS: ReadonlySet<string> = new Set([
  ...PLATFORM_CLIENT_IDS,
  ...[...SERVICE_NAMES, ...LATER_SERVICES].flatMap((name) => [name, `${name}-pages`]),
]);

/** The installation's own key, by which its processes know each other; it travels in a header. */
export const INTERNAL_KEY: GeneratedSecret = {
  variable: 'INTERNAL_SERVICE_KEY',
  bytes: 32,
  encoding: 'base64url',
  heldBy: 'every process',
};

/** Every secret that an installation generates. */
export const GENERATED_SECRETS: readonly GeneratedSecret[] = [
  INTERNAL_KEY,
  ...SERVICE_ROWS.flatMap(({ secrets }) => secrets),
];
