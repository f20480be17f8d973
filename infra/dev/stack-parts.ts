import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  chainAddress,
  chainName,
  chainServer,
  EMBEDDED_CHAINS,
  embeddedChainsVariable,
  embeddedRegistry,
} from './anchor-chains.ts';
import type { ChildSpec } from './child-process.ts';
import type { StackSecrets } from './data-folder.ts';
import type { Env } from './project.ts';
import type { Ports } from './stack-ports.ts';
import { platformProcesses } from './stack-processes.ts';
import { mongoAddress, mongoData, mongoServer, registryServer, temporalServer } from './stack-servers.ts';
import type { Reporter } from './terminal.ts';
import { resolveNeed } from './tools.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface PartsOptions {
  readonly dataDir: string;
  readonly env: Env;
  readonly report: Reporter;
  /** Variables for the platform's own processes, over those the stack sets. */
  readonly variables?: Readonly<Record<string, string>>;
  /** False leaves the servers alone, without API, worker and router. */
  readonly platform?: boolean;
}

/** What a stack consists of: a program of ours, or an address elsewhere. */
export interface Part {
  readonly spec: ChildSpec | undefined;
  readonly address: string;
  readonly version: string;
  readonly dataFolder: string | null;
}

/** Every part in the order of its start. */
export async function describeParts(
  options: PartsOptions,
  ports: Ports,
  secrets: StackSecrets,
): Promise<Map<string, Part>> {
  const { dataDir, env, report } = options;
  const parts = new Map<string, Part>();
  const outside = (address: string): Part => ({ spec: undefined, address, version: 'not ours', dataFolder: null });
  if (env.MONGODB_URI) parts.set('mongo', outside(new URL(env.MONGODB_URI).host));
  else {
    const tool = await resolveNeed('mongo', { env, report }, keptMongo(dataDir));
    const spec = mongoServer(tool, dataDir, ports);
    parts.set('mongo', {
      spec,
      address: mongoAddress(ports),
      version: tool.version,
      dataFolder: join(dataDir, 'mongo'),
    });
  }
  if (env.TEMPORAL_ADDRESS) parts.set('temporal', outside(env.TEMPORAL_ADDRESS));
  else {
    const tool = await resolveNeed('temporal', { env, report });
    const common = { version: tool.version, dataFolder: join(dataDir, 'temporal') };
    const spec = temporalServer(tool, dataDir, ports);
    parts.set('temporal', { ...common, spec, address: `127.0.0.1:${ports.temporal}` });
    parts.set('temporal-ui', { ...common, spec: undefined, address: `http://127.0.0.1:${ports.temporalUi}` });
  }
  if (env.DOCKER_REGISTRY) parts.set('registry', outside(env.DOCKER_REGISTRY));
  else {
    const tool = await resolveNeed('registry', { env, report });
    const spec = registryServer(tool, dataDir, ports);
    const address = `localhost:${ports.registry}`;
    parts.set('registry', { spec, address, version: tool.version, dataFolder: join(dataDir, 'registry') });
  }
  if (options.platform !== false) await addPlatform(options, ports, secrets, parts);
  return parts;
}

async function addPlatform(options: PartsOptions, ports: Ports, secrets: StackSecrets, parts: Map<string, Part>) {
  const { dataDir, env, report } = options;
  const auditChains = env.AUDIT_CHAINS || (await addChains(options, ports, secrets, parts));
  const bundle = env.WORKFLOW_BUNDLE || (await workflowBundle(env, report));
  const addressOf = (name: string): string => parts.get(name)?.address ?? '';
  await mkdir(join(dataDir, 'workspaces'), { recursive: true });
  const rows = await platformProcesses({
    dataDir,
    env,
    ports,
    secrets,
    bundle,
    mongodbUri: env.MONGODB_URI || addressOf('mongo'),
    temporalAddress: addressOf('temporal'),
    registry: addressOf('registry'),
    auditChains,
    variables: options.variables ?? {},
  });
  for (const row of rows) {
    parts.set(row.spec.name, { ...row, dataFolder: dataDir });
    if (row.spec.name !== 'api') continue;
    // The services share a process.
    const service = (address: string): Part => ({
      spec: undefined,
      address,
      version: row.version,
      dataFolder: dataDir,
    });
    parts.set('idp', service(env.IDP_URL || `http://localhost:${ports.idp}`));
    parts.set('audit', service(env.AUDIT_URL || `http://localhost:${ports.audit}`));
  }
}

/** The chains that a platform without AUDIT_CHAINS anchors on. @returns the variable that names them */
async function addChains(options: PartsOptions, ports: Ports, secrets: StackSecrets, parts: Map<string, Part>) {
  const { dataDir, env, report } = options;
  const tool = await resolveNeed('chain', { env, report });
  const registry = await embeddedRegistry(dataDir, secrets, { env, report });
  for (const chain of EMBEDDED_CHAINS) {
    const spec = chainServer(tool, chain, { folder: dataDir, ports, registry, env, report });
    const dataFolder = join(dataDir, 'chains');
    parts.set(chainName(chain), { spec, address: chainAddress(chain, ports), version: tool.version, dataFolder });
  }
  return embeddedChainsVariable(ports, registry);
}

/** The kind of MongoDB whose data this folder holds already. */
function keptMongo(dataDir: string): string | undefined {
  return ['mongod', 'mongo-stand-in'].find((name) => existsSync(mongoData(dataDir, name)));
}
