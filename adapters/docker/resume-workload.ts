import type { ContainerCreateOptions, ContainerInspectInfo, HostConfig } from 'dockerode';
import type { Workload } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import { gateOf, withGate } from './container-options.ts';
import { engineError, engineMessage, engineStatus } from './docker-client.ts';
import { saysPortTaken } from './host-port.ts';
import { inspectContainer } from './inspect-container.ts';
import { LABELS } from './labels.ts';
import { relayIdOf, startRelay } from './relay/relay-container.ts';
import { removeContainer } from './remove-container.ts';
import { runContainer, type StartOptions } from './start-workload.ts';

/** What a workload consists of on the engine. */
interface Containers {
  readonly container: ContainerInspectInfo;
  /** Null for a workload with a network of its own. */
  readonly relay: ContainerInspectInfo | null;
}

/**
 * Starts a stopped container again. It is made anew where something else took its port meanwhile, the same in all but its port,
 * and where it needs another gate of the firewall than there is today, as after an upgrade: the engine could never start it.
 * With a relay it is the relay's port, and the relay starts first: the network is its.
 * @throws INSTALL_FAILED, UNAVAILABLE, or the abort reason
 */
export async function resumeWorkload(
  workload: Workload,
  signal: AbortSignal,
  options: StartOptions,
): Promise<ContainerInspectInfo> {
  const { docker } = options;
  try {
    signal.throwIfAborted();
    const containers = await findContainers(workload, options);
    try {
      if (!hasGate(containers, options.gate)) return await makeAnew(containers, portOf(containers), options);
      const { container, relay } = containers;
      if (relay !== null) await startRelay(docker, relay.Id);
      await docker.getContainer(container.Id).start();
    } catch (error) {
      if (engineStatus(error) !== 304) {
        if (!saysPortTaken(engineMessage(error))) throw error;
        return await moveToOtherPort(containers, options);
      }
    }
    return await docker.getContainer(containers.container.Id).inspect();
  } catch (error) {
    signal.throwIfAborted();
    throw engineError(error, `Resuming ${workload.service} in ${workload.environment}`, 'INSTALL_FAILED');
  }
}

async function findContainers({ id, service }: Workload, { docker }: StartOptions): Promise<Containers> {
  const container = await inspectContainer(docker, id);
  const relayId = container === null ? null : relayIdOf(container);
  const relay = relayId === null ? null : await inspectContainer(docker, relayId);
  if (container === null || (relayId !== null && relay === null)) {
    throw new FairleadError('INSTALL_FAILED', `The container of ${service} is gone; deploy or roll back`);
  }
  return { container, relay };
}

/** What runs has the rules: they are set before anything is resumed. */
function hasGate({ container, relay }: Containers, gate: string | null): boolean {
  if (container.State.Running && !container.State.Restarting) return true;
  return [container, relay].every((each) => each === null || gateOf(each.HostConfig) === gate);
}

const portOf = ({ container }: Containers): number => Number(container.Config.Labels[LABELS.hostPort]);

async function moveToOtherPort(containers: Containers, options: StartOptions): Promise<ContainerInspectInfo> {
  const hostPort = await options.ports.pick();
  try {
    return await makeAnew(containers, hostPort, options);
  } finally {
    options.ports.release(hostPort);
  }
}

/** By their names: an attempt at another port may have made some of them already. */
async function makeAnew(
  { container, relay }: Containers,
  hostPort: number,
  { docker, gate }: StartOptions,
): Promise<ContainerInspectInfo> {
  const published = publishedAt(container, hostPort);
  await removeContainer(docker, nameOf(container), 0);
  if (relay === null)
    return await runContainer(docker, sameContainer(container, { network: published, hostPort, gate }));
  await removeContainer(docker, nameOf(relay), 0);
  const { Id: id } = await runContainer(docker, sameContainer(relay, { network: published, hostPort: null, gate }));
  const network = { NetworkMode: `container:${id}` };
  return await runContainer(docker, sameContainer(container, { network, hostPort, gate }));
}

const nameOf = ({ Name }: ContainerInspectInfo): string => Name.replace(/^\//, '');

function publishedAt({ Config: { Labels } }: ContainerInspectInfo, hostPort: number): HostConfig {
  const port = Labels[LABELS.publishedPort] ?? Labels[LABELS.port];
  return { PortBindings: { [`${port}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: String(hostPort) }] } };
}

/** The same container with its network and its gate changed; the label tells where a workload is reached. */
function sameContainer(
  container: ContainerInspectInfo,
  changes: { readonly network: HostConfig; readonly hostPort: number | null; readonly gate: string | null },
): ContainerCreateOptions {
  const { network, hostPort, gate } = changes;
  const { Image, Env, User, ExposedPorts, Entrypoint, Labels } = container.Config;
  return {
    name: nameOf(container),
    Image,
    Env,
    User,
    ...(ExposedPorts === undefined ? {} : { ExposedPorts }),
    ...(Entrypoint === undefined || hostPort !== null ? {} : { Entrypoint }),
    Labels: { ...Labels, ...(hostPort === null ? {} : { [LABELS.hostPort]: String(hostPort) }) },
    HostConfig: { ...withGate(container.HostConfig, gate), ...network },
  };
}
