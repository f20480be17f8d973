import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { engineStatus } from './docker-client.ts';
import { inspectContainer } from './inspect-container.ts';
import { LABELS } from './labels.ts';

const ATTEMPTS = 5;
const RETRY_MS = 200;

/**
 * Puts the tier's CPU limit, which a label of the container keeps, on a container that started with more. Idempotent:
 * it compares first. A container without the label never had more; one that is gone, or going, needs no limit.
 * @throws errors of the engine
 */
export async function applyCpuLimit(docker: Docker, id: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const container = await inspectContainer(docker, id);
    const limit = Number(container?.Config.Labels[LABELS.nanoCpus]);
    if (container === null || isGoing(container) || !(limit > 0) || container.HostConfig.NanoCpus === limit) return;
    try {
      await docker.getContainer(id).update({ NanoCpus: limit });
      return;
    } catch (error) {
      if (engineStatus(error) === 404) return;
      // Its process may have ended just now: the engine takes the limit once it knows, or the container is gone.
      if (attempt === ATTEMPTS) throw error;
      await delay(RETRY_MS);
    }
  }
}

function isGoing({ State }: Docker.ContainerInspectInfo): boolean {
  return State.Dead || State.Status === 'removing';
}
