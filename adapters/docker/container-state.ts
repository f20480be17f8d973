import type { ContainerInspectInfo } from 'dockerode';
import { endedWith, MEMORY_REMEDY, ranOutOfMemory, restartNote } from '../../domain/deploys/process-end.ts';

/** A container that has been up this long is not in a restart loop, however often it restarted before. */
const STABLE_MS = 10_000;
const RESTART_LIMIT = 3;

/** False when a container has stopped for good, or keeps failing: its process ended again and again, or ran out of memory. */
export function isContainerAlive(container: ContainerInspectInfo, nowMs: number): boolean {
  const { State: state, RestartCount: restarts } = container;
  if (state.Restarting) return restarts < RESTART_LIMIT && !state.OOMKilled;
  if (!state.Running || state.Dead || state.Paused) return false;
  const stable = nowMs - Date.parse(state.StartedAt) >= STABLE_MS;
  return restarts < RESTART_LIMIT || stable;
}

/** One line about how the container's process ended; null while it runs as it was first started. */
export function explainEnd(container: ContainerInspectInfo): string | null {
  const { State: state, RestartCount: restarts, HostConfig: host } = container;
  if (state.OOMKilled) {
    return `${ranOutOfMemory(host.Memory ?? 0, restarts)}. ${MEMORY_REMEDY}`;
  }
  if (state.Running && !state.Restarting) {
    return restarts > 0 ? `The process ended and was${restartNote(restarts).slice(1)}.` : null;
  }
  if (state.Status === 'created')
    return `The container was made but never started: ${state.Error || 'no reason given'}.`;
  return `${endedWith(state.ExitCode, restarts)}.`;
}
