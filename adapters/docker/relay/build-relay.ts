import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { ContainerCreateOptions, ContainerInspectInfo } from 'dockerode';
import type { EffectContext } from '../../../domain/deploys/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { engineError } from '../docker-client.ts';
import { inspectContainer } from '../inspect-container.ts';
import { LABELS } from '../labels.ts';
import { decodeLogFrames } from '../log-frames.ts';
import { createMutex } from '../mutex.ts';
import { removeContainer } from '../remove-container.ts';
import { buildRelayName } from '../workload-names.ts';
import { relayContainer } from './relay-container.ts';

const PORT = 3128;
const TCP_PORT = `${PORT}/tcp`;
/** The label by which a relay of other options is told, such as those of an earlier version. */
const OPTIONS_LABEL = 'fairlead.relay-options';
const START_DEADLINE_MS = 30_000;
const LOOK_EVERY_MS = 50;

/** How RUN steps reach the proxy of builds. */
export interface BuildProxyAccess {
  /** Unix socket of the proxy: see adapters/build-proxy/build-proxy.ts. */
  readonly socket: string;
  /** Makes sure of an image with node. @returns its name */
  readonly image: (context: EffectContext) => Promise<string>;
}

export interface BuildRelay {
  readonly containerId: string;
  /** Address of the proxy, as RUN steps have it. */
  readonly proxyUrl: string;
}

export interface BuildRelayOptions {
  readonly docker: Docker;
  readonly stackId: string;
  readonly access: BuildProxyAccess;
  /** `bridge`: RUN steps reach the relay over the engine's default bridge. `none`: they join its network, which has a loopback alone. */
  readonly network: 'bridge' | 'none';
  readonly onWarning: (message: string) => void;
}

/**
 * Makes sure of the relay of a stack's builds, which is started once and kept. Idempotent by its name; a relay that
 * stopped, or was made with other options, is made anew.
 * @returns a function that throws UNAVAILABLE, DISK_FULL, or the abort reason
 */
export function createBuildRelay(options: BuildRelayOptions): (context: EffectContext) => Promise<BuildRelay> {
  const exclusive = createMutex();
  return (context) => exclusive(options.stackId, () => ensureRelay(options, context));
}

async function ensureRelay(options: BuildRelayOptions, context: EffectContext): Promise<BuildRelay> {
  const { docker, stackId, access, network, onWarning } = options;
  context.signal.throwIfAborted();
  try {
    const name = buildRelayName(stackId);
    const [image, bridge, found] = await Promise.all([
      access.image({ signal: context.signal, onLine: () => undefined }),
      network === 'bridge' ? inspectBridge(docker) : null,
      inspectContainer(docker, name),
    ]);
    const wanted = await buildRelayContainer(image, bridge, options);
    const isWanted = found?.Config.Labels[OPTIONS_LABEL] === wanted.Labels?.[OPTIONS_LABEL];
    if (found?.State.Running && isWanted) return describe(found, bridge);
    if (found !== null) await removeContainer(docker, found.Id, 0);
    if (bridge !== null) warnOfOpenWays(bridge, onWarning);
    return describe(await startNew(docker, { ...wanted, name }, context.signal), bridge);
  } catch (error) {
    context.signal.throwIfAborted();
    // 409: another worker makes it at this moment.
    throw engineError(error, 'Starting the relay of builds', 'UNAVAILABLE', { retryable: true });
  }
}

async function buildRelayContainer(
  image: string,
  bridge: Bridge | null,
  { access, stackId, network }: BuildRelayOptions,
): Promise<ContainerCreateOptions> {
  const hosts = [network === 'none' ? '127.0.0.1' : '0.0.0.0'];
  const { HostConfig, ...container } = await relayContainer({ image, socket: access.socket, hosts, ports: [PORT] });
  // Where containers do not reach each other, they reach what is published at the address of the bridge.
  const published = bridge === null || bridge.icc ? {} : { [TCP_PORT]: [{ HostIp: bridge.gateway, HostPort: '' }] };
  const made = {
    ...container,
    ExposedPorts: Object.fromEntries(Object.keys(published).map((port) => [port, {}])),
    HostConfig: { ...HostConfig, NetworkMode: network, PortBindings: published },
  };
  const digest = createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 16);
  return { ...made, Labels: { [LABELS.stack]: stackId, [OPTIONS_LABEL]: digest } };
}

async function startNew(
  docker: Docker,
  create: ContainerCreateOptions,
  signal: AbortSignal,
): Promise<ContainerInspectInfo> {
  const container = await docker.createContainer(create);
  try {
    await container.start();
    await untilListening(container, signal);
    return await container.inspect();
  } catch (error) {
    await removeContainer(docker, container.id, 0);
    throw error;
  }
}

async function untilListening(container: Docker.Container, signal: AbortSignal): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(START_DEADLINE_MS)]);
  for (;;) {
    const said = decodeLogFrames(await container.logs({ stdout: true, stderr: true, follow: false, tail: 20 }));
    if (/^listening$/m.test(said)) return;
    if (deadline.aborted) {
      signal.throwIfAborted();
      const text = `The relay of builds did not start within ${START_DEADLINE_MS / 1000} s: ${said.trim().slice(-300)}`;
      throw new FairleadError('UNAVAILABLE', text, { retryable: true });
    }
    await delay(LOOK_EVERY_MS);
  }
}

/** The engine's default bridge, which BuildKit gives RUN steps. */
interface Bridge {
  readonly gateway: string;
  /** Whether containers on it reach each other. */
  readonly icc: boolean;
  /** Whether they reach what this machine reaches. */
  readonly masquerade: boolean;
}

async function inspectBridge(docker: Docker): Promise<Bridge> {
  const { Options: options = {}, IPAM } = await docker.getNetwork('bridge').inspect();
  const isOn = (name: string): boolean => options[`com.docker.network.bridge.${name}`] !== 'false';
  const gateway = IPAM?.Config?.[0]?.Gateway ?? '';
  return { gateway, icc: isOn('enable_icc'), masquerade: isOn('enable_ip_masquerade') };
}

function describe(container: ContainerInspectInfo, bridge: Bridge | null): BuildRelay {
  const { Networks, Ports } = container.NetworkSettings;
  const published = Ports[TCP_PORT]?.[0];
  const own = bridge === null ? '127.0.0.1' : Networks.bridge?.IPAddress;
  const host = published === undefined ? `${own}:${PORT}` : `${published.HostIp}:${published.HostPort}`;
  if (!own) throw new FairleadError('UNAVAILABLE', 'The relay of builds has no address', { retryable: true });
  return { containerId: container.Id, proxyUrl: `http://${host}` };
}

/** Says what the default bridge lets RUN steps reach past the proxy. */
function warnOfOpenWays({ masquerade, icc }: Bridge, onWarning: (message: string) => void): void {
  const ways = [
    ...(masquerade ? ['the networks this machine is in (ip-masq)'] : []),
    ...(icc ? ['other containers on the bridge (icc)'] : []),
  ];
  if (ways.length === 0) return;
  const remedy = 'see docs/threat-model.md, or set BUILD_NETWORK=sealed';
  onWarning(`By the engine's default bridge, steps of builds reach past the proxy: ${ways.join(' and ')}; ${remedy}`);
}
