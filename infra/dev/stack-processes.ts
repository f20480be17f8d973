import { chmodSync, mkdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { edgeSection } from '../../adapters/env/edge.ts';
import { serviceUrlsSection } from '../../adapters/env/service-urls.ts';
import { baseEnv } from '../../adapters/process/base-env.ts';
import { EVERY_ORG } from '../../domain/deploy-gate/gate.ts';
import { CONTAINER_TESTS } from '../../domain/deploys/gated-tests.ts';
import { GENERATED_SECRETS, SERVICE_ROWS, type ServiceName } from '../../domain/services.ts';
import { PLATFORM_PROGRAMS, type PlatformProgram } from '../platform-programs.ts';
import type { ChildSpec } from './child-process.ts';
import { currentCommit } from './current-commit.ts';
import { type Env, projectRoot } from './project.ts';
import { sealedKeysOf } from './recovery/recovery-file.ts';
import { residentVariables } from './runtime-variables.ts';
import type { PartVariables, StackRow } from './stack-parts.ts';
import { PORTS, type PortName, type Ports, servesTls } from './stack-ports.ts';
import type { StackSecrets } from './stack-secrets.ts';

export interface PlatformOptions {
  readonly dataDir: string;
  readonly env: Env;
  readonly ports: Ports;
  readonly secrets: StackSecrets;
  readonly bundle: string;
  /** By which the processes find the parts. */
  readonly parts: PartVariables;
  /** Names of the parts that they have to ask for. */
  readonly partsOnNeed: readonly string[];
  /** Over those that the stack sets. */
  readonly variables: Readonly<Record<string, string>>;
  /** Services with a process of their own, named as the service is; none of them is in the process of all services. */
  readonly apart: readonly ServiceName[];
}

export interface PlatformProcess {
  readonly spec: ChildSpec;
  readonly row: StackRow;
}

/** The platform's own processes in the order of their start. All HTTP services share one, but for those that run apart. */
const PROCESSES: readonly ProcessRow[] = Object.entries(PLATFORM_PROGRAMS).map(([name, program]) => ({
  name,
  ...program,
}));

/** The service whose address the process of all services goes by. */
const API: ServiceName = 'builder';

export async function platformProcesses(options: PlatformOptions): Promise<readonly PlatformProcess[]> {
  const { dataDir, env, ports, parts } = options;
  const commit = await currentCommit();
  await mkdir(join(dataDir, 'workspaces'), { recursive: true });
  const variables = { ...platformVariables(options, commit), ...options.variables };
  const recovery = { PLATFORM_RECOVERY: env.PLATFORM_RECOVERY || (await sealedKeysOf(options)) };
  const ofWorker = { ...parts.worker, ...secretsHeldBy('worker', options), ...recovery };
  // Set to nothing, since the environment of `npm start` may have them.
  const withheld = Object.fromEntries(Object.keys(ofWorker).map((variable) => [variable, '']));
  const temporal = env.TEMPORAL_ADDRESS || parts.everyProcess.TEMPORAL_ADDRESS;
  const addresses: Readonly<Record<string, string>> = {
    ...serviceAddresses(env, ports),
    worker: `task queues at ${temporal}`,
    api: `http://127.0.0.1:${ports[API]}`,
    edge: `http://<service>.<env>.${env.PLATFORM_DOMAIN || 'localhost'}:${ports.edge}`,
  };
  const environmentOf = (name: string): Pick<ChildSpec, 'env' | 'environment'> => {
    if (name === 'edge') return { env: edgeVariables(env, variables), environment: 'own' };
    return { env: { ...variables, ...(name === 'worker' ? ofWorker : withheld) } };
  };
  return processesOf(options).map(({ name, script, flags, graceMs, only = [] }) => ({
    row: { address: addresses[name] ?? '', version: commit.slice(0, 7), dataFolder: dataDir },
    spec: {
      name,
      command: process.execPath,
      args: [...flags, join(projectRoot, script), ...(only.length === 0 ? [] : ['--only', only.join()])],
      ...environmentOf(name),
      exitsBy: 'ipc',
      ready: { kind: 'ipc' },
      // A machine that does much else takes minutes.
      readyTimeoutMs: 180_000,
      graceMs,
    },
  }));
}

interface ProcessRow extends PlatformProgram {
  readonly name: string;
  /** Services that it runs; all where it says nothing. */
  readonly only?: readonly ServiceName[];
}

function processesOf({ apart }: PlatformOptions): readonly ProcessRow[] {
  if (apart.length === 0) return PROCESSES;
  const together = SERVICE_ROWS.map(({ name }) => name).filter((name) => !apart.includes(name));
  return PROCESSES.flatMap((row: ProcessRow) =>
    row.name === 'api' ? [...apart.map((name) => ({ ...row, name, only: [name] })), { ...row, only: together }] : [row],
  );
}

/** The router reads bytes of anybody and anything: it has the variables that it needs, and so none of the platform's keys. */
function edgeVariables(env: Env, variables: Readonly<Record<string, string>>): Record<string, string> {
  const all = { ...env, ...variables };
  const needed = [
    ...Object.keys(residentVariables(env)),
    ...Object.keys(edgeSection),
    ...Object.keys(serviceUrlsSection),
  ];
  const given = needed.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]] as const]));
  return { ...baseEnv(env), ...Object.fromEntries(given) };
}

/** Where each service answers: what its variable says, or `localhost`, since passkeys belong to a name. */
export function serviceAddresses(env: Env, ports: Ports): Readonly<Record<ServiceName, string>> {
  const addresses = SERVICE_ROWS.map(({ name, baseUrlVariable }) => {
    return [name, env[baseUrlVariable] || `http://localhost:${ports[name]}`];
  });
  return Object.fromEntries(addresses);
}

/** The rows of the services that have no process of their own. */
export function serviceRows(options: PlatformOptions, { version, dataFolder }: StackRow): Record<string, StackRow> {
  const addresses = Object.entries(serviceAddresses(options.env, options.ports)).filter(([name]) => name !== API);
  return Object.fromEntries(addresses.map(([name, address]) => [name, { address, version, dataFolder }]));
}

function platformVariables(options: PlatformOptions, commit: string): Record<string, string> {
  const { dataDir, env, ports, secrets } = options;
  const given = (name: string, fallback: string): Record<string, string> => ({ [name]: env[name] || fallback });
  const addresses = serviceAddresses(env, ports);
  const sockets = proxySockets(options);
  // The builder is not told its address: it takes the one that each request arrived on.
  const services = SERVICE_ROWS.filter(({ name }) => name !== API);
  return {
    ...residentVariables(env),
    ...secretsHeldBy('every process', options),
    STACK_ID: secrets.stackId,
    ...Object.fromEntries(services.map(({ name, baseUrlVariable }) => [baseUrlVariable, addresses[name]])),
    ...sockets,
    ...given('HOST', '127.0.0.1'),
    ...given('TEMPORAL_NAMESPACE', 'default'),
    ...given('PLATFORM_DOMAIN', 'localhost'),
    ...given('WORKSPACE_DIR', join(dataDir, 'workspaces')),
    ...given('LOCAL_SOURCES_ROOT', homedir()),
    ...given('BASE_IMAGE_STAND_INS', 'true'),
    // On one machine its operator makes every org: a new one deploys at once.
    ...given('ALLOWED_DEPLOY_ORGS', EVERY_ORG),
    // Tests reach a service by a Unix socket as well.
    ...given('TEST_RUNNER_URL', 'PLATFORM_SOCKET' in sockets ? CONTAINER_TESTS : ''),
    ...given('PLATFORM_COMMIT', commit),
    ...portVariables(ports, env),
    ...options.parts.everyProcess,
    PARTS_ON_NEED: options.partsOnNeed.join(','),
    DATA_DIR: dataDir,
    WORKFLOW_BUNDLE: options.bundle,
  };
}

/** What our own programs listen on; those of the parts are in the addresses that the parts provide. */
function portVariables(ports: Ports, env: Env): Record<string, string> {
  const router: readonly PortName[] = servesTls(env) ? ['edge', 'edgeTls'] : ['edge'];
  const names: readonly PortName[] = [...SERVICE_ROWS.map(({ name }) => name), ...router];
  return Object.fromEntries(names.map((name) => [PORTS[name].variable, String(ports[name])]));
}

function secretsHeldBy(holder: 'every process' | 'worker', { env, secrets }: PlatformOptions): Record<string, string> {
  const held = GENERATED_SECRETS.filter(({ heldBy }) => heldBy === holder);
  return Object.fromEntries(held.map(({ variable }) => [variable, env[variable] || secrets.secret(variable)]));
}

/** The longest path of a Unix socket on Linux, less its end. */
const MAX_SOCKET_PATH = 107;

/** The folder keeps its name: relays of running workloads have it mounted. */
const PROXY_FOLDERS = { PLATFORM_SOCKET: 'door', BUILD_PROXY_SOCKET: 'builds' } as const;

/** Unix sockets are mounted into containers only where the engine runs on this very machine. */
function proxySockets({ dataDir, env }: PlatformOptions): Record<string, string> {
  const isHere = env.DOCKER_HOST === undefined || env.DOCKER_HOST === '' || env.DOCKER_HOST.startsWith('unix:');
  if (process.platform !== 'linux' || !isHere) return {};
  const sockets = Object.entries(PROXY_FOLDERS).map(([variable, folder]) => {
    return [variable, join(dataDir, folder, 'http.sock')] as const;
  });
  if (sockets.some(([, path]) => Buffer.byteLength(path) > MAX_SOCKET_PATH)) return {};
  for (const [, path] of sockets) {
    // Before the engine mounts it, which would make it its own; open to the user of the relays.
    mkdirSync(dirname(path), { recursive: true });
    chmodSync(dirname(path), 0o755);
  }
  return Object.fromEntries(sockets);
}
