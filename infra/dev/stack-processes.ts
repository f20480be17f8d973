import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ChildSpec } from './child-process.ts';
import type { StackSecrets } from './data-folder.ts';
import { type Env, projectRoot } from './project.ts';
import { runtimeVariables } from './runtime-variables.ts';
import type { Ports } from './stack-ports.ts';
import { runProgram } from './tools/run-program.ts';

export interface PlatformOptions {
  readonly dataDir: string;
  readonly env: Env;
  readonly ports: Ports;
  readonly secrets: StackSecrets;
  readonly bundle: string;
  readonly mongodbUri: string;
  readonly temporalAddress: string;
  readonly registry: string;
  /** Chains of the audit ledger, as AUDIT_CHAINS names them. */
  readonly auditChains: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** A small machine's processes: the garbage collector keeps little in reserve, for some CPU at start. */
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1', '--optimize-for-size'];

/** The key that anchors, and addresses of nodes, which may hold keys: nobody but the worker gets them. */
const NO_ANCHORING = { AUDIT_SIGNER_KEY: '', AUDIT_CHAINS: '' };

export interface PlatformProcess {
  readonly spec: ChildSpec;
  readonly address: string;
  readonly version: string;
}

/** The platform's own processes in the order of their start: worker, API, router. */
export async function platformProcesses(options: PlatformOptions): Promise<readonly PlatformProcess[]> {
  const { env, ports } = options;
  const commit = await currentCommit();
  const variables = { ...platformVariables(options, commit), ...options.variables };
  const anchoring = {
    AUDIT_SIGNER_KEY: env.AUDIT_SIGNER_KEY || options.secrets.AUDIT_SIGNER_KEY,
    AUDIT_CHAINS: options.auditChains,
  };
  const version = commit.slice(0, 7);
  const domain = env.PLATFORM_DOMAIN || 'localhost';
  const process = (name: string, script: string, address: string, graceMs: number): PlatformProcess => ({
    address,
    version,
    spec: {
      name,
      command: globalThis.process.execPath,
      args: [...NODE_FLAGS, join(projectRoot, script)],
      env: { ...variables, ...(name === 'worker' ? anchoring : NO_ANCHORING) },
      tie: 'ipc',
      ready: { kind: 'ipc' },
      readyTimeoutMs: 60_000,
      graceMs,
    },
  });
  return [
    process('worker', 'workers/all.ts', `task queues at ${options.temporalAddress}`, 20_000),
    process('api', 'api/main.ts', `http://127.0.0.1:${ports.api}`, 15_000),
    process('edge', 'infra/dev/edge.ts', `http://<service>.<env>.${domain}:${ports.edge}`, 10_000),
  ];
}

function platformVariables(options: PlatformOptions, commit: string): Record<string, string> {
  const { dataDir, env, ports, secrets } = options;
  const given = (name: string, fallback: string): Record<string, string> => ({ [name]: env[name] || fallback });
  return {
    ...runtimeVariables(env),
    ...secrets,
    ...given('INTERNAL_SERVICE_KEY', secrets.INTERNAL_SERVICE_KEY),
    ...given('CONFIG_ENCRYPTION_KEY', secrets.CONFIG_ENCRYPTION_KEY),
    ...given('IDP_ENCRYPTION_KEY', secrets.IDP_ENCRYPTION_KEY),
    ...given('AUDIT_SIGNING_KEY', secrets.AUDIT_SIGNING_KEY),
    ...given('AUDIT_URL', `http://localhost:${ports.audit}`),
    // `localhost` and not its address: passkeys belong to a name.
    ...given('IDP_URL', `http://localhost:${ports.idp}`),
    ...platformDoor(options),
    ...given('OPEN_OUTBOX', 'true'),
    ...given('HOST', '127.0.0.1'),
    ...given('TEMPORAL_NAMESPACE', 'default'),
    ...given('PLATFORM_DOMAIN', 'localhost'),
    ...given('WORKSPACE_DIR', join(dataDir, 'workspaces')),
    ...given('ALLOW_LOCAL_SOURCES', 'true'),
    ...given('BASE_IMAGE_STAND_INS', 'true'),
    ...given('PLATFORM_COMMIT', commit),
    PORT: String(ports.api),
    IDP_PORT: String(ports.idp),
    AUDIT_PORT: String(ports.audit),
    EDGE_PORT: String(ports.edge),
    MONGODB_URI: options.mongodbUri,
    TEMPORAL_ADDRESS: options.temporalAddress,
    DOCKER_REGISTRY: options.registry,
    DATA_DIR: dataDir,
    WORKFLOW_BUNDLE: options.bundle,
  };
}

/** The longest path of a Unix socket on Linux, less its end. */
const MAX_SOCKET_PATH = 107;

/** A Unix socket is mounted into containers only where the engine runs on this very machine. */
function platformDoor({ dataDir, env }: PlatformOptions): Record<string, string> {
  const path = join(dataDir, 'door', 'http.sock');
  const isHere = env.DOCKER_HOST === undefined || env.DOCKER_HOST === '' || env.DOCKER_HOST.startsWith('unix:');
  const fits = Buffer.byteLength(path) <= MAX_SOCKET_PATH;
  if (process.platform !== 'linux' || !isHere || !fits) return {};
  // Before the engine mounts it, which would make it its own; open to the user of the relays.
  mkdirSync(dirname(path), { recursive: true });
  chmodSync(dirname(path), 0o755);
  return { PLATFORM_DOOR: path };
}

async function currentCommit(): Promise<string> {
  // A copy without its history, such as an unpacked archive, has no commit to name.
  return runProgram('git', ['rev-parse', 'HEAD'], { cwd: projectRoot }).then(
    (output) => output.trim(),
    () => 'unknown',
  );
}
