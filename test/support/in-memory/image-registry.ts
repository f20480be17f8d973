import type { ListeningSocket } from '../../../domain/deploys/listening.ts';
import type { WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import type { OutputStream } from '../../../domain/logs/output-line.ts';
import type { Listener } from './network.ts';

/** What an image runs: called once for each start with what the workload is given, and with what prints a line. */
export type Program = (spec: Pick<WorkloadSpec, 'env' | 'tier' | 'writablePaths'>, print: Print) => RunningProgram;

export type Print = (text: string, stream?: OutputStream) => void;

export interface RunningProgram {
  /** What it writes when it starts. */
  readonly output: readonly string[];
  /** What it writes then to its other output. */
  readonly errors?: readonly string[];
  /** Null when it does not listen. */
  readonly listener: Listener | null;
  /** Where it listens; by default everywhere, at the port of its workload. */
  readonly socket?: ListeningSocket;
  /** Why it ended at once, such as `exit code 3`; null when it goes on. */
  readonly ended: string | null;
}

/** Pushed images by digest reference. */
export interface InMemoryRegistry {
  put(digest: string, program: Program): void;
  find(digest: string): Program | null;
}

export function createInMemoryRegistry(): InMemoryRegistry {
  const images = new Map<string, Program>();
  return {
    put: (digest, program) => void images.set(digest, program),
    find: (digest) => images.get(digest) ?? null,
  };
}

/** Answers every path with its commit, as a healthy service does. */
export const healthyProgram = ({ env }: Parameters<Program>[0]): RunningProgram => ({
  output: [`listening on ${env.PORT}`],
  listener: () => ({ status: 200, body: JSON.stringify({ status: 'ok', commit: env.GIT_COMMIT }) }),
  ended: null,
});
