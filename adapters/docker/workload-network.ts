import type Docker from 'dockerode';
import { engineMessage, engineStatus } from './docker-client.ts';
import { LABELS } from './labels.ts';
import { networkName } from './workload-names.ts';

/** What containers join when the stack's own network cannot be made. */
const DEFAULT_NETWORK = 'bridge';

/**
 * The name of the stack's bridge network, made when it is missing: containers on it do not reach each other, only the
 * outside. Falls back to the engine's default bridge with a warning.
 */
export async function ensureNetwork(
  docker: Docker,
  stackId: string,
  onWarning: (message: string) => void,
): Promise<string> {
  const name = networkName(stackId);
  if (await networkExists(docker, name)) return name;
  try {
    await docker.createNetwork({
      Name: name,
      Driver: 'bridge',
      // Without it the engine makes a second network of the same name.
      CheckDuplicate: true,
      Labels: { [LABELS.stack]: stackId },
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
    });
    return name;
  } catch (error) {
    if (await networkExists(docker, name)) return name;
    onWarning(
      `Containers share the engine's default network, because ${name} could not be made: ${engineMessage(error)}`,
    );
    return DEFAULT_NETWORK;
  }
}

async function networkExists(docker: Docker, name: string): Promise<boolean> {
  try {
    await docker.getNetwork(name).inspect();
    return true;
  } catch (error) {
    if (engineStatus(error) === 404) return false;
    throw error;
  }
}
