import type { ContainerInspectInfo } from 'dockerode';

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
  const again = restarts > 0 ? `; restarted ${restarts} ${restarts === 1 ? 'time' : 'times'}` : '';
  if (state.OOMKilled) {
    const limit = Math.round((host.Memory ?? 0) / 1024 ** 2);
    return `The process ran out of memory (limit ${limit} MiB) and was killed${again}. Use a larger pod tier.`;
  }
  if (state.Running && !state.Restarting) return again === '' ? null : `The process ended and was${again.slice(1)}.`;
  if (state.Status === 'created')
    return `The container was made but never started: ${state.Error || 'no reason given'}.`;
  return `The process ended with ${meaning(state.ExitCode)}${again}.`;
}

const MEANINGS: Readonly<Record<number, string>> = {
  126: 'exit code 126: its command cannot be executed',
  127: 'exit code 127: its command was not found',
  137: 'exit code 137: it was killed',
  139: 'exit code 139: segmentation fault',
  143: 'exit code 143: it was told to stop',
};

function meaning(exitCode: number): string {
  return MEANINGS[exitCode] ?? `exit code ${exitCode}`;
}
