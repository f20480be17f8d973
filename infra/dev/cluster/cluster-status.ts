import { existsSync } from 'node:fs';
import { apiServerAnswers, isNodeReady } from './cluster-answers.ts';
import { type ClusterPaths, readState } from './cluster-folder.ts';
import { processesOf } from './cluster-processes.ts';
import { CLUSTER_PROGRAMS } from './cluster-programs.ts';

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
    CLUSTER_PROGRAMS.map(async (name) => ({ name, pid: (await processesOf(name, paths))[0] })),
  );
  const [answers, ready] = await Promise.all([apiServerAnswers(paths, apiserver), isNodeReady(paths, apiserver)]);
  const isUp = answers && ready && programs.every(({ pid }) => pid !== undefined);
  return {
    isUp,
    lines: [
      ...programs.map(({ name, pid }) => `${name}: ${pid === undefined ? 'does not run' : `runs as process ${pid}`}`),
      `API server: https://127.0.0.1:${apiserver} ${answers ? 'answers' : 'does not answer'}`,
      `Node: ${ready ? 'ready' : 'not ready'}`,
    ],
  };
}
