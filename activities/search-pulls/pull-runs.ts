import { FairleadError } from '../../domain/errors.ts';
import type { EstateJob, PullEnd } from '../../domain/search-pulls/messages.ts';
import {
  ABANDONED,
  endOfPull,
  type NewPull,
  type PullTrigger,
  pullToResume,
  runningPull,
} from '../../domain/search-pulls/pull-run.ts';
import type { SearchPullsActivityDeps } from './deps.ts';

/** How many properties a pull lists at once. */
const PAGE = 200;

/** A page of properties that a pull is to pull. */
export interface Remainder {
  readonly properties: readonly string[];
  /** Null after the last page. */
  readonly nextCursor: string | null;
  /** How many are pulled at once. */
  readonly parallelism: number;
}

/** A new pull by the clock. Not on record yet: one that finds another one running leaves no trace. */
export function newPull({ newId, now }: SearchPullsActivityDeps, trigger: Exclude<PullTrigger, 'resume'>): EstateJob {
  const startedAt = now().toISOString();
  return { runId: newId('searchPull'), trigger, requestedBy: 'schedule', startedAt, since: startedAt };
}

/** The pull of the remainder of one that was broken off; null where there is none. Changes nothing. */
export async function findAbandoned(deps: SearchPullsActivityDeps): Promise<EstateJob | null> {
  // The holder last: a pull that is on record by then has had the lease before.
  const running = await deps.runs.newestRunning();
  const lapsed = pullToResume(running, running === null ? undefined : await deps.commands.holder());
  if (lapsed === null) return null;
  const [runId, startedAt] = [deps.newId('searchPull'), deps.now().toISOString()];
  return { runId, trigger: 'resume', requestedBy: 'schedule', startedAt, since: lapsed.since.toISOString() };
}

/**
 * Starts a pull of all properties, which goes on by itself. Idempotent by the id of the pull.
 * @returns false when another pull has the lease
 */
export async function startPull({ commands }: SearchPullsActivityDeps, job: EstateJob): Promise<boolean> {
  try {
    await commands.pullAll(toNewPull(job));
    return true;
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'PULL_IN_PROGRESS') return false;
    throw error;
  }
}

/**
 * Puts a pull on record that holds the lease, and ends those that held it before and were broken off. Idempotent: by the id
 * of the pull, and by what their records say. An attempt that comes late, after the pull, ends nothing.
 */
export async function beginPull({ runs, now }: SearchPullsActivityDeps, job: EstateJob): Promise<void> {
  const run = runningPull(toNewPull(job));
  await runs.insert(run);
  const change = { status: 'failed', finishedAt: now(), error: ABANDONED, abandoned: true } as const;
  await runs.abandonEarlier(run, change);
}

function toNewPull({ runId, startedAt, since, trigger, requestedBy }: EstateJob): NewPull {
  return { id: runId, trigger, requestedBy, startedAt: new Date(startedAt), since: new Date(since) };
}

/** Properties that were not pulled to their end since the pull, or the one that it goes on with, began. */
export async function listRemainder(
  { properties, pulled, settings }: SearchPullsActivityDeps,
  { since, cursor }: { readonly since: string; readonly cursor: string | null },
): Promise<Remainder> {
  const { items, nextCursor } = await properties.list({ cursor, limit: PAGE });
  const left = await pulled.notPulledSince(items, new Date(since));
  return { properties: left, nextCursor, parallelism: settings.parallelism };
}

/** Puts the end of a pull on record. Idempotent: a pull that has ended stays as it is. */
export async function endPull(
  { runs, now }: SearchPullsActivityDeps,
  { runId, summary, problem }: PullEnd,
): Promise<void> {
  const end = problem === null ? endOfPull(summary) : ({ status: 'failed', error: problem } as const);
  await runs.change(runId, { ...end, summary, finishedAt: now() });
}
