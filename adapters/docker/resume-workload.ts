import type { ContainerCreateOptions, ContainerInspectInfo } from 'dockerode';
import type { Workload } from '../../domain/deploys/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { engineError, engineMessage, engineStatus } from './docker-client.ts';
import { saysPortTaken } from './host-port.ts';
import { LABELS } from './labels.ts';
import { removeContainer } from './remove-container.ts';
import { inspectContainer, runContainer, type StartOptions } from './start-workload.ts';

/**
 * Starts a stopped container again. When something else took its port meanwhile, the container is made anew, the same
 * in all but its port.
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
    try {
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
  const hostPort = await ports.pick();
  try {
    await removeContainer(docker, container.Id, 0);
    return await runContainer(docker, withHostPort(container, hostPort));
  } finally {
    ports.release(hostPort);
  }
}

function withHostPort({ Name, Config, HostConfig }: ContainerInspectInfo, hostPort: number): ContainerCreateOptions {
  const port = `${Config.Labels[LABELS.port]}/tcp`;
  const { Image, Env, User, ExposedPorts } = Config;
  return {
    name: Name.replace(/^\//, ''),
    Image,
    Env,
    User,
    ...(ExposedPorts === undefined ? {} : { ExposedPorts }),
    Labels: { ...Config.Labels, [LABELS.hostPort]: String(hostPort) },
    HostConfig: { ...HostConfig, PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: String(hostPort) }] } },
  };
}
