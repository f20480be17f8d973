import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { engineStatus } from './docker-client.ts';

const GONE_WITHIN_MS = 30_000;

/** Stops a container (SIGTERM, after the grace SIGKILL) and removes it with its volumes. No error when it is gone. */
export async function removeContainer(docker: Docker, id: string, graceSeconds: number): Promise<void> {
  const container = docker.getContainer(id);
  if (graceSeconds > 0) await stopContainer(docker, id, graceSeconds);
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    if (engineStatus(error) === 404) return;
    if (engineStatus(error) !== 409) throw error;
    await untilGone(container);
  }
}

/** Stops a container and leaves it in place. No error when it is stopped or gone. */
export async function stopContainer(docker: Docker, id: string, graceSeconds: number): Promise<void> {
  try {
    await docker.getContainer(id).stop({ t: graceSeconds });
  } catch (error) {
    const status = engineStatus(error);
    if (status !== 304 && status !== 404) throw error;
  }
}

/** Another caller is removing it already. */
async function untilGone(container: Docker.Container): Promise<void> {
  const deadlineMs = performance.now() + GONE_WITHIN_MS;
  for (;;) {
    try {
      await container.inspect();
    } catch (error) {
      if (engineStatus(error) === 404) return;
      throw error;
    }
    if (performance.now() > deadlineMs) throw new Error(`container ${container.id} is still being removed`);
    await delay(100);
  }
}
