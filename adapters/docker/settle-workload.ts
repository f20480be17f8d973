import type Docker from 'dockerode';
import { engineStatus } from './docker-client.ts';
import { LABELS } from './labels.ts';
import { inspectContainer } from './start-workload.ts';

/**
 * Puts the tier's CPU limit, which a label of the container keeps, on a container that started with more. Idempotent:
 * it compares first. A container without the label never had more; one that is gone, or going, needs no limit.
 * @throws errors of the engine
 */
export async function settleWorkload(docker: Docker, id: string): Promise<void> {
  const container = await inspectContainer(docker, id);
  const limit = Number(container?.Config.Labels[LABELS.nanoCpus]);
  if (container === null || !(limit > 0) || container.HostConfig.NanoCpus === limit) return;
  try {
    await docker.getContainer(id).update({ NanoCpus: limit });
  } catch (error) {
    if (engineStatus(error) === 404) return;
    const now = await inspectContainer(docker, id);
    if (now === null || now.State.Dead || now.State.Status === 'removing') return;
    throw error;
  }
}
