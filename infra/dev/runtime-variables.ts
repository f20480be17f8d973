import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, type Env } from './project.ts';

/** Node's flags for the router and for programs of the set-up, as for a small machine: the garbage collector keeps little in reserve, for some CPU. */
export const NODE_FLAGS: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=1',
  '--optimize-for-size',
];

/** Those of the worker, which gives back what a deploy has left behind (adapters/process/give-back-memory.ts). */
export const WORKER_FLAGS: readonly string[] = [...NODE_FLAGS, '--expose-gc'];

/**
 * Node's flags for the HTTP services: what requests under way hold fits into the young part of the heap, which then grows as
 * it needs to, and is shrunk when the process is idle (adapters/process/give-back-memory.ts). With the flags above,
 * collections take a third of the CPU of a busy service.
 */
export const SERVICE_FLAGS: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=4',
  '--expose-gc',
];

/**
 * How Node and the C library are set for every process of the platform, wherever it is started: variables that both read
 * before any code of ours runs. What `env` has of them stays.
 */
export function runtimeVariables(env: Env): Record<string, string> {
  const variables = {
    // Without it Node translates the TypeScript at every start, which takes half a second and 16 MiB in each process.
    NODE_COMPILE_CACHE: join(cacheFolder(env), 'compiled'),
    // As many threads for signatures and password hashes as there are cores: more would only take turns on them, which
    // costs a token 25 µs of the 500 it takes. One stays free of name look-ups, which libuv keeps to half of them.
    UV_THREADPOOL_SIZE: String(Math.max(2, availableParallelism())),
    // Fewer arenas of glibc's allocator: the native threads of the Temporal SDK would otherwise each keep their own.
    MALLOC_ARENA_MAX: '2',
    // And it gives back what is free sooner.
    MALLOC_TRIM_THRESHOLD_: '65536',
  };
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, env[name] || value]));
}
