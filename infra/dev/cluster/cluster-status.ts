import { existsSync } from 'node:fs';
import { apiServerAnswers, isNodeReady } from './cluster-answers.ts';
import { type ClusterPaths, isOurs, readState } from './cluster-folder.ts';

export interface ClusterStatus {
  readonly isUp: boolean;
  /** What is there and what is not, a line each. */
  readonly lines: readonly string[];
}

/** How the cluster of a folder is now. Changes nothing. */
export async function clusterStatus(paths: ClusterPaths): Promise<ClusterStatus> {
  const state = await readState(paths);
  if (state === null || !existsSync(paths.pki)) return { isUp: false, lines: ['No cluster is up.'] };
  const { apiserver = 0 } = state.ports;
  const programs = await Promise.all(
    Object.entries(state.processes).map(async ([name, pid]) => ({ name, pid, runs: await isOurs(pid, paths) })),
  );
  const [answers, ready] = await Promise.all([apiServerAnswers(paths, apiserver), isNodeReady(paths, apiserver)]);
  const isUp = answers && ready && programs.every(({ runs }) => runs);
  return {
    isUp,
    lines: [
      ...programs.map(({ name, pid, runs }) => `${name}: ${runs ? `runs as process ${pid}` : 'does not run'}`),
      `API server: https://127.0.0.1:${apiserver} ${answers ? 'answers' : 'does not answer'}`,
      `Node: ${ready ? 'ready' : 'not ready'}`,
    ],
  };
}
