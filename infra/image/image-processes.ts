import {
  GENERATED_SECRETS,
  INTERNAL_KEY,
  SERVICE_ROWS,
  type ServiceName,
  type ServiceRow,
  serviceRow,
} from '../../domain/services.ts';
import { PLATFORM_PROGRAMS, type PlatformProgram } from '../platform-programs.ts';

/** One process of the platform as a container runs it; what chooses it is its name, the argument of the image. */
export interface ImageProcess {
  readonly name: string;
  /** As in "the audit ledger". */
  readonly title: string;
  readonly program: PlatformProgram;
  readonly args: readonly string[];
  /** Where `GET /health` tells whether it is ready, and `GET /health/live` whether it is alive. */
  readonly health: { readonly port: number; readonly variable: string };
  /** By which it is told at which port a scraper reads its metrics; null where it has none. */
  readonly metricsVariable: string | null;
  /** Where it takes requests, by variable; a process of which nobody asks anything has none. */
  readonly ports: Readonly<Record<string, number>>;
  /** Keys of an installation that it is given, by variable: those that it reads and no others. */
  readonly secrets: readonly string[];
  /** What it reads or writes below DATA_DIR, of which every other process has to see the same. */
  readonly sharedFolders: readonly string[];
  /** What it keeps below DATA_DIR for itself. */
  readonly ownFolders: readonly string[];
  /** How many of it may run; null for any number. See docs/operate.md. */
  readonly mostReplicas: 1 | null;
}

interface Files {
  readonly shared?: readonly string[];
  readonly own?: readonly string[];
}

/** What lies on a disk yet, by process. A service that is not named here keeps everything in its database. */
const FILES: Readonly<Partial<Record<ServiceName | 'worker' | 'edge', Files>>> = {
  idp: { own: ['first-admin-link'] },
  builder: { shared: ['archives', 'logs', 'routes', 'service-logs'], own: ['audit-outbox'] },
  monitor: { shared: ['status-page'] },
  worker: {
    shared: ['archives', 'routes', 'service-logs'],
    own: ['audit-outbox', 'docker-client', 'monitor-results', 'workspaces'],
  },
  edge: { shared: ['routes', 'status-page'] },
};

/** Besides those of its own row: the keys of another that it has to know. */
const SECRETS_OF_OTHERS: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  // It makes the builder's client.
  idp: ['BUILDER_CLIENT_SECRET'],
};

/** What seals people's sessions and accounts at one service: the worker reads neither. */
const OF_PEOPLE = ['CONSOLE_ENCRYPTION_KEY', 'IDP_ENCRYPTION_KEY'];

const WORKER_HEALTH = 3_020;
const EDGE = { http: 8_000, https: 8_443, health: 3_021 } as const;

/** Every process of the platform: a service of the table each, the worker and the router. */
export const IMAGE_PROCESSES: readonly ImageProcess[] = [
  ...SERVICE_ROWS.map(
    ({ name, title, defaultPort, portVariable }): ImageProcess => ({
      ...{ name, title, program: PLATFORM_PROGRAMS.api, args: ['--only', name] },
      health: { port: defaultPort, variable: portVariable },
      metricsVariable: 'METRICS_PORT',
      ports: { [portVariable]: defaultPort },
      secrets: secretsOf(name),
      ...filesOf(name),
    }),
  ),
  {
    ...{ name: 'worker', title: 'worker', program: PLATFORM_PROGRAMS.worker, args: [] },
    health: { port: WORKER_HEALTH, variable: 'WORKER_HEALTH_PORT' },
    metricsVariable: 'WORKER_METRICS_PORT',
    ports: {},
    // It seals and opens for every module.
    secrets: GENERATED_SECRETS.map(({ variable }) => variable).filter((variable) => !OF_PEOPLE.includes(variable)),
    ...filesOf('worker'),
  },
  {
    ...{ name: 'edge', title: 'public router', program: PLATFORM_PROGRAMS.edge, args: [] },
    health: { port: EDGE.health, variable: 'EDGE_HEALTH_PORT' },
    metricsVariable: null,
    ports: { EDGE_PORT: EDGE.http, EDGE_TLS_PORT: EDGE.https },
    // It reads bytes of anybody and anything.
    secrets: [],
    ...filesOf('edge'),
  },
];

/** @throws RangeError where there is none */
export function imageProcess(name: string): ImageProcess {
  const found = IMAGE_PROCESSES.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new RangeError(`no process is called ${name}; there is ${IMAGE_PROCESSES.map((one) => one.name).join(', ')}`);
}

function secretsOf(name: ServiceName): readonly string[] {
  const { secrets, holdsNoKey }: ServiceRow = serviceRow(name);
  const own = secrets.filter(({ heldBy }) => heldBy === 'every process').map(({ variable }) => variable);
  const key = holdsNoKey === true ? [] : [INTERNAL_KEY.variable];
  return [...key, ...own, ...(SECRETS_OF_OTHERS[name] ?? [])];
}

/** What shares a folder with another process runs once: nothing orders what two of one kind do there on several machines. */
function filesOf(
  name: ServiceName | 'worker' | 'edge',
): Pick<ImageProcess, 'sharedFolders' | 'ownFolders' | 'mostReplicas'> {
  const { shared = [], own = [] } = FILES[name] ?? {};
  return { sharedFolders: shared, ownFolders: own, mostReplicas: shared.length > 0 ? 1 : null };
}
