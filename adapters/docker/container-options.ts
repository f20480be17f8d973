import { posix } from 'node:path';
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { WorkloadSpec } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import { startupNanoCpus, tierNanoCpus } from './cpu-limit.ts';
import { imageLabels, LABELS } from './labels.ts';
import { containerName } from './workload-names.ts';

const MIB = 1024 * 1024;

/** Numeric user of workloads whose image names none, root, or a name. */
const DEFAULT_USER = '1001:1001';

/** Processes of a workload at a time. */
export const PROCESS_LIMIT = 512;
const OPEN_FILES_LIMIT = 16_384;
const TMP_LIMIT_BYTES = 64 * MIB;
const MAX_VOLUMES = 32;
const GATE_TARGET = '/.firewall';
/** Nobody's (IANA), and above those that engines and kernels give out. */
const FORWARD_PORT = 65_008;

/**
 * What programs write to while they run: temporary files, process ids and sockets, and the caches of nginx as its own
 * image has them. Next.js and the frameworks whose container files are generated write to /tmp alone.
 */
const USUAL_FOLDERS = ['/tmp', '/var/tmp', '/run', '/var/cache/nginx'];

/** What the engine and the image add to a spec. */
export interface ContainerFacts {
  readonly stackId: string;
  readonly network: string;
  readonly hostPort: number;
  /** The container whose network it joins; null for one of its own. */
  readonly relayId: string | null;
  /** The control group of the org's workloads; null for the engine's own. */
  readonly group: string | null;
  /** The file that is there while the firewall's rules are; null where there is none. */
  readonly gate: string | null;
  /** CPUs of the engine: it refuses a limit above them. */
  readonly engineCpus: number;
  /** USER of the image. */
  readonly imageUser: string;
  /** VOLUMEs of the image. */
  readonly imageVolumes: readonly string[];
  /** WORKDIR of the image; empty for `/`. */
  readonly imageFolder: string;
}

/**
 * The container of a workload (spec 2, "Pod tiers": limits are real): CPU (that of the tier once it is ready, see
 * {@link startupNanoCpus}), memory without swap, processes, open files and log bounded, a numeric user other than root,
 * no capabilities, no new privileges, its port published on the loopback interface alone. Environment variables go in
 * the body of the engine's API.
 *
 * The root is read-only, and what a service may write to is memory of its own limit. A writable layer cannot be bounded
 * on most engines: overlay2 has quotas on xfs with pquota alone, and a layer that is measured from time to time can fill
 * the disk between two looks.
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
      [LABELS.publishedPort]: String(publishedPort(spec)),
      [LABELS.hostPort]: String(facts.hostPort),
      [LABELS.nanoCpus]: String(tierNanoCpus(spec.tier, facts.engineCpus)),
    },
    HostConfig: {
      NanoCpus: startupNanoCpus(spec.tier, facts.engineCpus),
      Memory: spec.tier.memoryLimitBytes,
      MemorySwap: spec.tier.memoryLimitBytes,
      PidsLimit: PROCESS_LIMIT,
      ShmSize: temporaryBytes(spec),
      Ulimits: [
        { Name: 'nofile', Soft: OPEN_FILES_LIMIT, Hard: OPEN_FILES_LIMIT },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      Init: true,
      RestartPolicy: { Name: 'unless-stopped' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
      ...network,
      ...placeOptions(facts),
      ...(spec.readOnlyRoot ? { ReadonlyRootfs: true, Tmpfs: temporaryFolders(spec, facts) } : {}),
    },
  };
}

/**
 * Where it may run. The engine starts a container only where its mounts are: after a restart of the machine there is no rule
 * of the firewall, and no gate, until the worker has set both. So what the engine would start by itself waits for the rules.
 */
export function placeOptions({ group, gate }: Pick<ContainerFacts, 'group' | 'gate'>): HostConfig {
  return { ...(group === null ? {} : { CgroupParent: group }), ...(gate === null ? {} : { Mounts: [mountOf(gate)] }) };
}

/** The same with another gate, or without one. */
export function withGate({ Mounts = [], ...others }: HostConfig, gate: string | null): HostConfig {
  const kept = Mounts.filter(({ Target }) => Target !== GATE_TARGET);
  return { ...others, Mounts: gate === null ? kept : [...kept, mountOf(gate)] };
}

/** The gate that a container needs; null for one that needs none. */
export function gateOf({ Mounts }: HostConfig): string | null {
  return Mounts?.find(({ Target }) => Target === GATE_TARGET)?.Source ?? null;
}

const mountOf = (gate: string) => ({ Type: 'bind', Source: gate, Target: GATE_TARGET, ReadOnly: true }) as const;

/** Its network, and its port on the loopback of the machine; with a relay both are the relay's. */
export function networkOptions(
  spec: Pick<WorkloadSpec, 'port' | 'onLoopback'>,
  facts: Pick<ContainerFacts, 'network' | 'hostPort'> & Partial<Pick<ContainerFacts, 'relayId'>>,
): Pick<ContainerCreateOptions, 'ExposedPorts'> & { readonly HostConfig: HostConfig } {
  const { relayId = null } = facts;
  if (relayId !== null) return { HostConfig: { NetworkMode: `container:${relayId}` } };
  const port = `${publishedPort(spec)}/tcp`;
  const bindings = { [port]: [{ HostIp: '127.0.0.1', HostPort: String(facts.hostPort) }] };
  return { ExposedPorts: { [port]: {} }, HostConfig: { NetworkMode: facts.network, PortBindings: bindings } };
}

/**
 * The port of its network that is published. A program that listens on the loopback alone is reached by its relay, which
 * takes connections at a port of its own: so the program may listen everywhere one day, and neither is in the other's way.
 */
export function publishedPort({ port, onLoopback }: Pick<WorkloadSpec, 'port' | 'onLoopback'>): number {
  if (!onLoopback) return port;
  return port === FORWARD_PORT ? FORWARD_PORT + 1 : FORWARD_PORT;
}

/** The image's user when it is a number other than 0, else {@link DEFAULT_USER}. */
export function safeUser(imageUser: string): string {
  return /^0*[1-9]\d*(:\d+)?$/.test(imageUser) ? imageUser : DEFAULT_USER;
}

/** The writable folders under a read-only root. A VOLUME would otherwise be a folder of this machine without a limit. */
function temporaryFolders(
  spec: WorkloadSpec,
  { imageUser, imageVolumes, imageFolder }: Pick<ContainerFacts, 'imageUser' | 'imageVolumes' | 'imageFolder'>,
): Record<string, string> {
  if (imageVolumes.length > MAX_VOLUMES) {
    const message = `The image has ${imageVolumes.length} VOLUMEs and may have ${MAX_VOLUMES}`;
    throw new FairleadError('INSTALL_FAILED', message);
  }
  // A folder that the image has keeps its mode, such as 0755, so it belongs to whoever is to write there.
  const [uid, gid = uid] = safeUser(imageUser).split(':');
  const options = `rw,nosuid,nodev,size=${temporaryBytes(spec)},mode=1777,uid=${uid},gid=${gid}`;
  const own = spec.writablePaths.map((path) => posix.resolve('/', imageFolder, path));
  const folders = new Set([...USUAL_FOLDERS, ...imageVolumes, ...own]);
  return Object.fromEntries([...folders].map((path) => [path, options]));
}

/** Of each temporary folder. It is memory, which counts towards the limit of the tier, and therefore small. */
function temporaryBytes({ tier }: WorkloadSpec): number {
  return Math.min(TMP_LIMIT_BYTES, Math.floor(tier.memoryLimitBytes / 4));
}
