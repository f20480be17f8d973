import type { ContainerCreateOptions, ContainerInspectInfo, HostConfig } from 'dockerode';
import type { Workload } from '../../domain/deploys/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { engineError, engineMessage, engineStatus } from './docker-client.ts';
import { saysPortTaken } from './host-port.ts';
import { inspectContainer } from './inspect-container.ts';
import { LABELS } from './labels.ts';
import { relayIdOf, startRelay } from './relay/relay-container.ts';
import { removeContainer } from './remove-container.ts';
import { runContainer, type StartOptions } from './start-workload.ts';

/**
 * Starts a stopped container again. When something else took its port meanwhile, the container is made anew, the same
 * in all but its port. With a relay it is the relay's port, and the relay starts first: the network is its.
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
    const container = await inspectContainer(docker, workload.id);
    if (container === null) {
      throw new FairleadError('INSTALL_FAILED', `The container of ${workload.service} is gone; deploy or roll back`);
    }
    const relayId = relayIdOf(container);
    try {
      if (relayId !== null) await startRelay(docker, relayId);
      await docker.getContainer(container.Id).start();
    } catch (error) {
      if (engineStatus(error) !== 304) {
        if (!saysPortTaken(engineMessage(error))) throw error;
        return await moveToOtherPort(container, options);
      }
    }
    return await docker.getContainer(container.Id).inspect();
  } catch (error) {
    signal.throwIfAborted();
    throw engineError(error, `Resuming ${workload.service} in ${workload.environment}`, 'INSTALL_FAILED');
  }
}

async function moveToOtherPort(container: ContainerInspectInfo, options: StartOptions): Promise<ContainerInspectInfo> {
  const { docker, ports } = options;
  const relayId = relayIdOf(container);
  const hostPort = await ports.pick();
  try {
    await removeContainer(docker, container.Id, 0);
    if (relayId === null)
      return await runContainer(docker, withHostPort(container, publishedAt(container, hostPort), hostPort));
    const relay = await docker.getContainer(relayId).inspect();
    await removeContainer(docker, relayId, 0);
    const moved = await runContainer(docker, withHostPort(relay, publishedAt(container, hostPort), null));
    return await runContainer(docker, withHostPort(container, { NetworkMode: `container:${moved.Id}` }, hostPort));
  } finally {
    ports.release(hostPort);
  }
}

function publishedAt({ Config }: ContainerInspectInfo, hostPort: number): HostConfig {
  return {
    PortBindings: { [`${Config.Labels[LABELS.port]}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: String(hostPort) }] },
  };
}

/** The same container with that about its network changed; the label tells where a workload is reached. */
function withHostPort(
  { Name, Config, HostConfig }: ContainerInspectInfo,
  network: HostConfig,
  hostPort: number | null,
): ContainerCreateOptions {
  const { Image, Env, User, ExposedPorts, Entrypoint, Labels } = Config;
  return {
    name: Name.replace(/^\//, ''),
    Image,
    Env,
    User,
    ...(ExposedPorts === undefined ? {} : { ExposedPorts }),
    ...(Entrypoint === undefined || hostPort !== null ? {} : { Entrypoint }),
    Labels: { ...Labels, ...(hostPort === null ? {} : { [LABELS.hostPort]: String(hostPort) }) },
    HostConfig: { ...HostConfig, ...network },
  };
}
