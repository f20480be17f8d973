import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { WorkloadSpec } from '../../domain/deploys/ports.ts';
import { startupNanoCpus, tierNanoCpus } from './cpu-limit.ts';
import { imageLabels, LABELS } from './labels.ts';
import { containerName } from './workload-names.ts';

const MIB = 1024 * 1024;

/** Numeric user of workloads whose image names none, root, or a name. */
const DEFAULT_USER = '1001:1001';

const PROCESS_LIMIT = 512;
const TMP_LIMIT_BYTES = 64 * MIB;

/** What the engine and the image add to a spec. */
export interface ContainerFacts {
  readonly stackId: string;
  readonly network: string;
  readonly hostPort: number;
  /** The container whose network it joins; null for one of its own. */
  readonly relayId: string | null;
  /** CPUs of the engine: it refuses a limit above them. */
  readonly engineCpus: number;
  /** USER of the image. */
  readonly imageUser: string;
}

/**
 * The container of a workload (spec 2, "Pod tiers": limits are real): CPU (that of the tier once it is ready, see
 * {@link startupNanoCpus}), memory without swap and processes bounded, a numeric user other than root, no capabilities, no new privileges, a read-only root when the spec asks for it, its
 * port published on the loopback interface alone. Environment variables go in the body of the engine's API.
 */
export function containerOptions(spec: WorkloadSpec, facts: ContainerFacts): ContainerCreateOptions {
  const { HostConfig: network, ...exposed } = networkOptions(spec, facts);
  return {
    ...exposed,
    name: containerName(facts.stackId, spec),
    Image: spec.image,
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    User: safeUser(facts.imageUser),
    Labels: {
      ...imageLabels(facts.stackId, spec),
      [LABELS.release]: spec.releaseId,
      [LABELS.port]: String(spec.port),
      [LABELS.hostPort]: String(facts.hostPort),
      [LABELS.nanoCpus]: String(tierNanoCpus(spec.tier, facts.engineCpus)),
    },
    HostConfig: {
      NanoCpus: startupNanoCpus(spec.tier, facts.engineCpus),
      Memory: spec.tier.memoryLimitBytes,
      MemorySwap: spec.tier.memoryLimitBytes,
      PidsLimit: PROCESS_LIMIT,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      Init: true,
      RestartPolicy: { Name: 'unless-stopped' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
      ...network,
      ...(spec.readOnlyRoot ? { ReadonlyRootfs: true, Tmpfs: temporaryFolder(spec) } : {}),
    },
  };
}

/** Its network, and its port on the loopback of the machine; with a relay both are the relay's. */
export function networkOptions(
  spec: Pick<WorkloadSpec, 'port'>,
  facts: Pick<ContainerFacts, 'network' | 'hostPort'> & Partial<Pick<ContainerFacts, 'relayId'>>,
): Pick<ContainerCreateOptions, 'ExposedPorts'> & { readonly HostConfig: HostConfig } {
  const { relayId = null } = facts;
  if (relayId !== null) return { HostConfig: { NetworkMode: `container:${relayId}` } };
  const port = `${spec.port}/tcp`;
  const bindings = { [port]: [{ HostIp: '127.0.0.1', HostPort: String(facts.hostPort) }] };
  return { ExposedPorts: { [port]: {} }, HostConfig: { NetworkMode: facts.network, PortBindings: bindings } };
}

/** The image's user when it is a number other than 0, else {@link DEFAULT_USER}. */
export function safeUser(imageUser: string): string {
  return /^0*[1-9]\d*(:\d+)?$/.test(imageUser) ? imageUser : DEFAULT_USER;
}

/** The one writable folder under a read-only root. It is memory, which counts towards the limit, and therefore small. */
function temporaryFolder({ tier }: WorkloadSpec): Record<string, string> {
  const size = Math.min(TMP_LIMIT_BYTES, Math.floor(tier.memoryLimitBytes / 4));
  return { '/tmp': `rw,nosuid,nodev,size=${size},mode=1777` };
}
