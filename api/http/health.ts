import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { defineRoute, type Route } from './define-route.ts';

export const healthSchema = z.object({
  status: z.literal('ok'),
  commit: z.string(),
  version: z.string(),
  uptimeSeconds: z.int(),
  checks: z.record(z.string(), z.literal('ok')),
});

export interface HealthOptions {
  readonly commit: string;
  readonly version: string;
  /** Cheap questions to what the process needs; each rejects when it has no answer. */
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
  readonly now: Clock;
}

const CACHE_MS = 1_000;
const CHECK_LIMIT_MS = 3_000;

/** GET /health: 200 while every check passes, else 503 with what failed. Checks run at most once a second. */
export function createHealthRoute(options: HealthOptions): Route {
  const startedAt = options.now().getTime();
  let cached: { at: number; results: Promise<Record<string, string>> } | null = null;

  const results = (): Promise<Record<string, string>> => {
    const at = options.now().getTime();
    if (cached === null || at - cached.at >= CACHE_MS) cached = { at, results: runChecks(options.checks) };
    return cached.results;
  };

  return defineRoute({
    method: 'get',
    path: '/health',
    summary: 'Whether the service and what it needs are up',
    tag: 'platform',
    callers: 'public',
    responses: { 200: { description: 'Everything answers', schema: healthSchema } },
    errors: ['UNAVAILABLE'],
    handle: async () => {
      const checks = await results();
      const uptimeSeconds = Math.floor((options.now().getTime() - startedAt) / 1000);
      const { commit, version } = options;
      const failed = Object.keys(checks).filter((name) => checks[name] !== 'ok');
      if (failed.length > 0) {
        throw new FairleadError('UNAVAILABLE', `Not answering: ${failed.join(', ')}`, {
          details: { status: 'failing', commit, version, uptimeSeconds, checks },
        });
      }
      return { status: 200, data: { status: 'ok', commit, version, uptimeSeconds, checks } };
    },
  });
}

const liveSchema = z.object({ status: z.literal('ok'), version: z.string() });

/**
 * GET /health/live: 200 while this process answers at all. It asks nothing else: a process whose database is away is no better
 * for a restart. Whether it should be sent requests is `GET /health`.
 */
export function createLiveRoute(version: string): Route {
  return defineRoute({
    method: 'get',
    path: '/health/live',
    summary: 'Whether this process answers, whatever it needs is up or not',
    tag: 'platform',
    callers: 'public',
    responses: { 200: { description: 'It answers', schema: liveSchema } },
    errors: [],
    polled: true,
    handle: async () => ({ status: 200, data: { status: 'ok', version } }),
  });
}

async function runChecks(checks: HealthOptions['checks']): Promise<Record<string, string>> {
  const entries = Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** The health page is public, so it says that a check failed and not why. */
async function outcome(check: () => Promise<void>): Promise<'ok' | 'failing' | 'no answer'> {
  const limit = Promise.withResolvers<'no answer'>();
  const timer = setTimeout(() => limit.resolve('no answer'), CHECK_LIMIT_MS);
  const run = check().then(
    () => 'ok' as const,
    () => 'failing' as const,
  );
  try {
    return await Promise.race([run, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
