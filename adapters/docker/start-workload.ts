import { posix } from 'node:path';
import type Docker from 'dockerode';
import type { ContainerInspectInfo, ImageInspectInfo } from 'dockerode';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { notForwarded } from '../../domain/deploys/listening.ts';
import type { WorkloadSpec } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import { pullImage } from './base-images.ts';
import { type ContainerFacts, containerOptions, publishedPort, safeUser } from './container-options.ts';
import { engineError, engineMessage, engineStatus } from './docker-client.ts';
import type { EngineInfo } from './engine-info.ts';
import { type HostPorts, saysPortTaken } from './host-port.ts';
import { inspectContainer } from './inspect-container.ts';
import { inspectImage } from './inspect-image.ts';
import { LABELS } from './labels.ts';
import type { RegistryAuth } from './registry-auth.ts';
import { databaseRoutes } from './relay/database-routes.ts';
import { dependencyRoutes } from './relay/dependency-routes.ts';
import { type PlatformAccess, relayedPorts } from './relay/platform-access.ts';
import { hasItsNetwork, type RelayFacts, relayOptions, removeRelay, untilListening } from './relay/relay-container.ts';
import { removeContainer } from './remove-container.ts';
import { workloadGroup } from './workload-groups.ts';
import { containerName } from './workload-names.ts';
import { saysNetworkAmbiguous } from './workload-network.ts';

export interface StartOptions {
  readonly docker: Docker;
  readonly stackId: string;
  readonly registry: RegistryAuth;
  readonly ports: HostPorts;
  readonly engineInfo: () => Promise<EngineInfo>;
  /** The network of the stack; see `ensureNetwork`. */
  readonly network: () => Promise<string>;
  /** The file without which workloads do not start; see `WorkloadFirewall`. */
  readonly gate: string | null;
  /** Null where workloads reach the platform by themselves, or not at all. */
  readonly platform: PlatformAccess | null;
}

/** How many host ports are tried when others take them first. */
const PORT_ATTEMPTS = 5;

/**
 * Starts a workload's container, or adopts the one of this build that runs already; one that does not run, or at another
 * port, is what an earlier attempt left behind and is made anew.
 * @throws INSTALL_FAILED, DISK_FULL, UNAVAILABLE, or the abort reason
 */
export async function startWorkload(
  spec: WorkloadSpec,
  context: EffectContext,
  options: StartOptions,
): Promise<ContainerInspectInfo> {
  const { docker, stackId } = options;
  try {
    const name = containerName(stackId, spec);
    const existing = await inspectContainer(docker, name);
    if (existing !== null) {
      if (isAdoptable(existing, spec) && (await hasItsNetwork(docker, existing))) {
        context.onLine(`Found container ${name} of an earlier attempt`);
        return existing;
      }
      context.onLine(`Replacing container ${name}, which does not run, or not at port ${spec.port}`, 'warn');
      await removeContainer(docker, existing.Id, 0);
    }
    const [image, network] = await Promise.all([
      ensureImage(docker, spec.image, options.registry, context),
      options.network(),
      removeRelay(docker, stackId, spec),
    ]);
    return await createAndStart(spec, { image: image.Config, network }, context, options);
  } catch (error) {
    context.signal.throwIfAborted();
    // Another process starts the same build (409) or makes the network at this moment; the next attempt finds it done.
    const retryable = engineStatus(error) === 409 || saysNetworkAmbiguous(engineMessage(error));
    throw engineError(error, `Installing ${spec.service} in ${spec.environment}`, 'INSTALL_FAILED', { retryable });
  }
}

function isAdoptable(container: ContainerInspectInfo, spec: WorkloadSpec): boolean {
  const { State: state, Config: config } = container;
  const ours = config.Labels[LABELS.build] === spec.buildId && config.Labels[LABELS.release] === spec.releaseId;
  const { [LABELS.port]: port, [LABELS.publishedPort]: published = port } = config.Labels;
  const isAskedThere = port === String(spec.port) && published === String(publishedPort(spec));
  const isWanted = config.Image === spec.image && isAskedThere && hasFolders(container, spec);
  return ours && isWanted && state.Running && !state.Restarting && !state.Paused && !state.Dead;
}

/** Whether every folder that it may write to was mounted when it was made. */
function hasFolders(
  { HostConfig, Config }: ContainerInspectInfo,
  { readOnlyRoot, writablePaths }: WorkloadSpec,
): boolean {
  if (!readOnlyRoot) return true;
  const there = new Set(Object.keys(HostConfig.Tmpfs ?? {}));
  return writablePaths.every((path) => there.has(posix.resolve('/', Config.WorkingDir ?? '', path)));
}

async function createAndStart(
  spec: WorkloadSpec,
  found: {
    readonly image: Pick<ImageInspectInfo['Config'], 'User' | 'Volumes' | 'WorkingDir'>;
    readonly network: string;
  },
  context: EffectContext,
  options: StartOptions,
): Promise<ContainerInspectInfo> {
  const { docker, stackId, ports } = options;
  const warn = (message: string): void => context.onLine(message, 'warn');
  const { image, network } = found;
  const engine = await options.engineInfo();
  const imageVolumes = Object.keys(image.Volumes ?? {});
  const group = spec.org === null ? null : workloadGroup(stackId, spec.org, engine.cgroupDriver);
  const place = { network, group, gate: options.gate };
  const facts = {
    stackId,
    engineCpus: engine.cpus,
    imageUser: image.User ?? '',
    imageVolumes,
    // Engines leave out what is empty.
    imageFolder: image.WorkingDir ?? '',
    ...place,
  };
  const openRelay = await prepareRelay(spec, context, options);
  warnOfChanges(spec, facts, warn);
  for (let attempt = 1; ; attempt += 1) {
    context.signal.throwIfAborted();
    const hostPort = await ports.pick();
    try {
      const relayId = (await openRelay?.({ ...facts, hostPort })) ?? null;
      const workload = await runContainer(docker, containerOptions(spec, { ...facts, hostPort, relayId }));
      // It starts meanwhile: what takes longer counts.
      if (relayId !== null) await untilListening(docker.getContainer(relayId), context.signal);
      return workload;
    } catch (error) {
      if (openRelay !== null) await removeRelay(docker, stackId, spec);
      if (!saysPortTaken(engineMessage(error)) || attempt === PORT_ATTEMPTS) throw error;
      context.onLine(`Port ${hostPort} was taken in the meantime; trying another one`);
    } finally {
      ports.release(hostPort);
    }
  }
}

/**
 * What starts the relay of a workload, by which it reaches the platform and its dependencies, and is reached on its loopback; null for one that
 * needs none. @throws HEALTH_CHECK_FAILED for one on its loopback where there are no relays
 */
async function prepareRelay(
  spec: WorkloadSpec,
  context: EffectContext,
  { docker, platform: access }: StartOptions,
): Promise<((facts: RelayFacts) => Promise<string>) | null> {
  const ports = relayedPorts(access, spec);
  const both = [dependencyRoutes(access, spec), databaseRoutes(access, spec)];
  const dependencies = { hosts: both.flatMap(({ hosts }) => hosts), routes: both.flatMap(({ routes }) => routes) };
  if (access === null) {
    if (spec.onLoopback) throw notForwarded(spec);
    return null;
  }
  if (ports.length + dependencies.routes.length === 0 && !spec.onLoopback) return null;
  const image = await access.image(context);
  return async (facts) =>
    (await runContainer(docker, await relayOptions(spec, facts, { access, ports, dependencies, image }))).Id;
}

/** Creates and starts a container; a container that cannot start is removed again. */
export async function runContainer(
  docker: Docker,
  create: Docker.ContainerCreateOptions,
): Promise<ContainerInspectInfo> {
  const container = await docker.createContainer(create);
  try {
    await container.start();
    return await container.inspect();
  } catch (error) {
    await removeContainer(docker, container.id, 0);
    throw error;
  }
}

function warnOfChanges(
  spec: WorkloadSpec,
  facts: Pick<ContainerFacts, 'engineCpus' | 'imageUser'>,
  warn: (message: string) => void,
): void {
  const user = safeUser(facts.imageUser);
  if (user !== facts.imageUser) warn(`The image's user is "${facts.imageUser || 'root'}"; it runs as ${user} instead`);
  if (spec.tier.cpuLimitMillis > facts.engineCpus * 1_000) {
    warn(`The tier allows ${spec.tier.cpuLimitMillis / 1_000} CPUs, the engine has ${facts.engineCpus}`);
  }
}

/** The image of a workload, which is pulled when it is missing. */
async function ensureImage(
  docker: Docker,
  image: string,
  registry: RegistryAuth,
  context: EffectContext,
): Promise<ImageInspectInfo> {
  const present = await inspectImage(docker, image);
  if (present !== null) return present;
  context.onLine(`Pulling ${image}`);
  try {
    await pullImage(docker, image, registry, context.signal);
    return await docker.getImage(image).inspect();
  } catch (error) {
    context.signal.throwIfAborted();
    const failure = engineError(error, `Pulling ${image}`, 'INSTALL_FAILED', { retryable: true });
    if (!/not found|manifest unknown/i.test(failure.message)) throw failure;
    const text = `Image ${image} is neither in the engine nor in the registry; deploy the commit again to build it`;
    throw new FairleadError('INSTALL_FAILED', text, { cause: error });
  }
}
