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
  /** Database on the server of MONGODB_URI, unless `databaseUriVariable` names another. */
  readonly database: string;
  /** Address of a database of its own: server and name. */
  readonly databaseUriVariable: string | null;
  readonly secrets: readonly GeneratedSecret[];
  /** OAuth client of the service: the audience of tokens for it. Null: it takes no tokens of the provider as others do. */
  readonly platformClient: string | null;
  /** Public OAuth client by which people sign in to its pages, at `<base URL>/api/auth/callback`. */
  readonly pagesClient: string | null;
  /** The variable by which workloads get its base URL; null: they don't. */
  readonly injectedAs: string | null;
  /** Whether the platform's socket for workloads lets requests to it through. */
  readonly reachableFromWorkloads: boolean;
  readonly modules: readonly string[];
}

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
    secrets: [{ variable: 'CONFIG_ENCRYPTION_KEY', ...KEY }],
    platformClient: 'builder',
    pagesClient: null,
    injectedAs: null,
    reachableFromWorkloads: false,
    modules: ['catalog', 'deploys'],
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
] as const satisfies readonly ServiceRow[];

export type ServiceName = (typeof SERVICES)[number]['name'];

/** The rows in one shape, for what loops over them. */
export const SERVICE_ROWS: readonly (ServiceRow & { readonly name: ServiceName })[] = SERVICES;

export const SERVICE_NAMES: readonly ServiceName[] = SERVICES.map(({ name }) => name);

/** The row of one service. */
export function serviceRow(name: ServiceName): ServiceRow {
  const row = SERVICE_ROWS.find((candidate) => candidate.name === name);
  if (row === undefined) throw new RangeError(`no service is called ${name}`);
  return row;
}

/** Where a service answers on this machine when nothing names its address. */
export function defaultServiceUrl({ defaultPort }: Pick<ServiceRow, 'defaultPort'>): string {
  return `http://localhost:${defaultPort}`;
}

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

/** Services of the contract that run elsewhere: their addresses are given to workloads where the operator names them. */
const SERVICES_ELSEWHERE = ['REGISTRY_URL', 'GATEWAY_URL', 'WALLET_SERVICE_URL'] as const;

/** Addresses of the platform that workloads get as variables (spec 2, "Variables injected into every pod"). */
export const INJECTED_VARIABLES: readonly string[] = [
  ...SERVICE_ROWS.flatMap(({ injectedAs }) => injectedAs ?? []),
  ...SERVICES_ELSEWHERE,
];
