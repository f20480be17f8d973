import { NODE_FLAGS, SERVICE_FLAGS, WORKER_FLAGS } from './dev/runtime-variables.ts';

/** A program of the platform's own. */
export interface PlatformProgram {
  /** Below the root of the checkout. */
  readonly script: string;
  /** Of Node. */
  readonly flags: readonly string[];
  /** How long its orderly end may take. */
  readonly graceMs: number;
}

/** What the platform's processes run, by the name of each program, in the order of their start. */
export const PLATFORM_PROGRAMS = {
  worker: { script: 'workers/all.ts', flags: WORKER_FLAGS, graceMs: 20_000 },
  /** HTTP services: all of them, or those that `--only` names. */
  api: { script: 'api/main.ts', flags: SERVICE_FLAGS, graceMs: 15_000 },
  edge: { script: 'workers/edge.ts', flags: NODE_FLAGS, graceMs: 10_000 },
} as const satisfies Readonly<Record<string, PlatformProgram>>;
