import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheFolder, type Env, projectRoot } from './project.ts';

/** Of every process that stays: what Node makes of TypeScript is kept in files, not in its memory (`residentVariables`). */
const RESIDENT_FLAGS: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  `--import=${pathToFileURL(join(projectRoot, 'infra', 'dev', 'kept-translations.mjs'))}`,
];

/** Node's flags for the router and for programs of the set-up, as for a small machine: the garbage collector keeps little in reserve, for some CPU. */
export const NODE_FLAGS: readonly string[] = [...RESIDENT_FLAGS, '--max-semi-space-size=1', '--optimize-for-size'];

/** Those of the worker, which gives back what a deploy has left behind (adapters/process/give-back-memory.ts). */
export const WORKER_FLAGS: readonly string[] = [...NODE_FLAGS, '--expose-gc'];

/**
 * Node's flags for the HTTP services: what requests under way hold fits into the young part of the heap, which then grows as
 * it needs to, and is shrunk when the process is idle (adapters/process/give-back-memory.ts). With the flags above,
 * collections take a third of the CPU of a busy service.
 */
export const SERVICE_FLAGS: readonly string[] = [...RESIDENT_FLAGS, '--max-semi-space-size=4', '--expose-gc'];

/**
 * How Node and the C library are set for every process of the platform, wherever it is started: variables that both read
 * before any code of ours runs. What `env` has of them stays. Those that stay for long have `residentVariables`.
 */
export function runtimeVariables(env: Env): Record<string, string> {
  const variables = {
    // Without it Node translates the TypeScript at every start, which takes half a second.
    NODE_COMPILE_CACHE: compiledFolder(env),
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

/**
 * As `runtimeVariables`, for the processes that stay: they start half a second later, and each takes 5 to 15 MB less
 * (kept-translations.mjs, which the flags above load).
 */
export function residentVariables(env: Env): Record<string, string> {
  const kept = join(compiledFolder(env), 'translations');
  return {
    ...runtimeVariables(env),
    NODE_DISABLE_COMPILE_CACHE: '1',
    KEPT_TRANSLATIONS: env.KEPT_TRANSLATIONS || kept,
  };
}

/** The command line removes what was compiled long ago (cli/compile-cache.mjs). */
const compiledFolder = (env: Env): string => join(cacheFolder(env), 'compiled');
