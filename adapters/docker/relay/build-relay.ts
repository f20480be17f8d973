import { dirname } from 'node:path';
import type Docker from 'dockerode';
import type { ContainerCreateOptions, ContainerInspectInfo } from 'dockerode';
import type { EffectContext } from '../../../domain/deploys/effect-context.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { createMutex } from '../../../domain/mutex.ts';
import { isLoopbackHost } from '../../../domain/oauth-clients/redirect-uri.ts';
import { engineProxySocket } from '../../build-proxy/engine-proxy.ts';
import { engineError } from '../docker-client.ts';
import { inspectContainer } from '../inspect-container.ts';
import { LABELS } from '../labels.ts';
import { optionsDigest } from '../options-digest.ts';
import { removeContainer } from '../remove-container.ts';
import { buildRelayName } from '../workload-names.ts';
import { LOOPBACK, relayContainer, untilListening } from './relay-container.ts';
import type { RelayRoute } from './relay-route.ts';

/** Where RUN steps find the proxy. */
export const STEP_PROXY_PORT = 3128;
/** Where the stack's own engine of builds finds its proxy. */
export const ENGINE_PROXY_PORT = 3129;
const TCP_PORT = `${STEP_PROXY_PORT}/tcp`;
/** What the proxy of builds lets through at any public host. */
const WEB_PORTS = [80, 443];
/** Package managers open some dozens at once. */
const CONNECTIONS_OF_STEP = 200;
/** The label by which a relay of other options is told, such as those of an earlier version. */
const OPTIONS_LABEL = 'fairlead.relay-options';

/** How builds reach their proxies: see adapters/build-proxy/. */
export interface BuildProxyAccess {
  /** Unix socket of the proxy of RUN steps. */
  readonly socket: string;
  /** Makes sure of an image with node. @returns its name */
  readonly image: (context: EffectContext) => Promise<string>;
}

export interface BuildRelay {
  readonly containerId: string;
  /** When its network began: what joined an earlier one has lost it. */
  readonly startedAt: Date;
  /** Address of the proxy, as RUN steps have it. */
  readonly proxyUrl: string;
}

export interface BuildRelayOptions {
  readonly docker: Docker;
  readonly stackId: string;
  readonly access: BuildProxyAccess;
  /**
   * `bridge`: RUN steps reach the relay over the engine's default bridge. `none`: they join its network, which has a
   * loopback alone. `engine`: an engine of builds joins it, and has its bridge there.
   */
  readonly network: 'bridge' | 'none' | 'engine';
  /** The registry that an engine of builds pushes to, as `host:port`. */
  readonly registry: string;
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
  { access, stackId, network, registry }: BuildRelayOptions,
): Promise<ContainerCreateOptions> {
  const { socket } = access;
  const routes: RelayRoute[] = [
    { host: network === 'none' ? '127.0.0.1' : '0.0.0.0', port: STEP_PROXY_PORT, socket },
    ...(network === 'engine' ? engineRoutes(engineProxySocket(socket), registry) : []),
  ];
  const names = network === 'engine' ? { names: { socket, ports: WEB_PORTS } } : {};
  const { HostConfig, ...container } = await relayContainer({
    ...{ image, folder: dirname(socket), routes, perClient: CONNECTIONS_OF_STEP, ...names },
  });
  // Where containers do not reach each other, they reach what is published at the address of the bridge.
  const published = bridge === null || bridge.icc ? {} : { [TCP_PORT]: [{ HostIp: bridge.gateway, HostPort: '' }] };
  const made = {
    ...container,
    ExposedPorts: Object.fromEntries(Object.keys(published).map((port) => [port, {}])),
    HostConfig: { ...HostConfig, NetworkMode: network === 'bridge' ? 'bridge' : 'none', PortBindings: published },
  };
  return { ...made, Labels: { [LABELS.stack]: stackId, [OPTIONS_LABEL]: optionsDigest(made) } };
}

/** On the loopback, which RUN steps do not have: the engine's own proxy, and a registry of this machine by the address it has there. */
function engineRoutes(socket: string, registry: string): RelayRoute[] {
  const proxy = LOOPBACK.map((host) => ({ host, port: ENGINE_PROXY_PORT, socket }));
  const { hostname, port } = new URL(`http://${registry}`);
  if (!isLoopbackHost(hostname)) return proxy;
  const to = `${hostname}:${port || 80}`;
  return [...proxy, ...LOOPBACK.map((host) => ({ host, port: Number(port || 80), socket, to }))];
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
  const host = published === undefined ? `${own}:${STEP_PROXY_PORT}` : `${published.HostIp}:${published.HostPort}`;
  if (!own) throw new FairleadError('UNAVAILABLE', 'The relay of builds has no address', { retryable: true });
  return { containerId: container.Id, startedAt: new Date(container.State.StartedAt), proxyUrl: `http://${host}` };
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
