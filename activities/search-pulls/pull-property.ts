import { FairleadError } from '../../domain/errors.ts';
import { daysToPull, isFinalDay } from '../../domain/search-pulls/days-to-pull.ts';
import type { PropertyJob, PullProgress } from '../../domain/search-pulls/messages.ts';
import { keptRange, type PacificDay, pacificDay } from '../../domain/search-pulls/pacific-day.ts';
import type { PullableProperty } from '../../domain/search-pulls/ports.ts';
import { addPulls, NOTHING_PULLED, type PropertyPull } from '../../domain/search-pulls/pull-run.ts';
import type { SearchNumbers } from '../../domain/search-pulls/search-numbers.ts';
import type { Series, StoredPeriod } from '../../domain/search-pulls/stored-period.ts';
import { deleteLeftovers } from './delete-leftovers.ts';
import type { SearchPullsActivityDeps } from './deps.ts';
import { EMPTY_DAY, emptyDay, pullDay } from './pull-day.ts';
import { readPages } from './read-pages.ts';
import { rollUp } from './roll-up.ts';

/**
 * Pulls what is to be pulled of a property, day by day, and rolls it up. Idempotent: a day that was stored since the pull
 * began is not read again, so an attempt goes on where the last one ended, and a whole pull does nothing the second time.
 * @returns with `isWhole` false when its time was over before all was done
 * @throws GOOGLE_PERMISSION for one that is not verified, or whose numbers the account may not see; RATE_LIMITED and
 *   UNAVAILABLE (both retryable)
 */
export async function pullProperty(
  deps: SearchPullsActivityDeps,
  job: PropertyJob,
  signal: AbortSignal,
): Promise<PullProgress> {
  const property = await deps.properties.find(job.property);
  if (property === null) {
    throw new FairleadError(
      'GOOGLE_PERMISSION',
      `${job.property} is not verified: verify it before its numbers are pulled`,
    );
  }
  const until = performance.now() + deps.settings.attemptMs;
  const lastPulled = await deps.pulled.lastPulled(property.domain);
  let pull = NOTHING_PULLED;
  for (const type of deps.settings.types) {
    const series: Series = { property: property.domain, type };
    const attempt = { property, series, since: new Date(job.since), until };
    const progress = await pullSeries(deps, attempt, signal);
    pull = addPulls(pull, progress);
    if (!progress.isWhole) return { ...pull, isWhole: false };
    await rollUp(deps, series, signal);
    await deleteLeftovers(deps, series, lastPulled);
  }
  await deps.pulled.notePulled(property.domain, new Date(job.since));
  return { ...pull, isWhole: true };
}

interface Attempt {
  readonly property: PullableProperty;
  readonly series: Series;
  readonly since: Date;
  /** By the clock of the process: then it ends. */
  readonly until: number;
}

async function pullSeries(
  deps: SearchPullsActivityDeps,
  { property, series, since, until }: Attempt,
  signal: AbortSignal,
): Promise<PullProgress> {
  const today = pacificDay(deps.now());
  const kept = keptRange(today);
  const stored = new Map((await deps.rows.days(series, kept)).map((day) => [day.period, day]));
  const asPulled = [...stored.values()].map(({ period: day, isFinal, pulledAt }) => ({ day, isFinal, pulledAt }));
  const days = daysToPull(kept, asPulled, since);
  const oldest = days.at(-1);
  if (oldest === undefined) return { ...NOTHING_PULLED, isWhole: true };
  const range = { from: oldest, to: today };
  const { totals, firstIncomplete } = await readTotals(deps, { property, series, range }, signal);

  let pull: PropertyPull = NOTHING_PULLED;
  const silent: PacificDay[] = [];
  for (const day of days) {
    signal.throwIfAborted();
    if (performance.now() > until) return { ...pull, isWhole: false };
    const ofDay = totals.get(day);
    const isFinal = isFinalDay(day, firstIncomplete, today);
    if (ofDay === undefined) silent.push(day);
    else pull = addPulls(pull, await pullDay(deps, { property, series, day, isFinal, totals: ofDay }, signal));
  }
  const finality = silent.map((day) => ({ day, isFinal: isFinalDay(day, firstIncomplete, today) }));
  pull = addPulls(pull, await storeSilentDays(deps, series, finality, stored));
  return { ...pull, isWhole: true };
}

/** The totals of the days that have some, and up to where days are final. */
async function readTotals(
  { analytics }: SearchPullsActivityDeps,
  asked: {
    readonly property: PullableProperty;
    readonly series: Series;
    readonly range: { from: PacificDay; to: PacificDay };
  },
  signal: AbortSignal,
): Promise<{ readonly totals: ReadonlyMap<PacificDay, SearchNumbers>; readonly firstIncomplete: PacificDay | null }> {
  const { property, series, range } = asked;
  const request = { siteUrl: property.siteUrl, range, type: series.type, dimension: 'date' } as const;
  const { rows, firstIncomplete } = await readPages(analytics, request, signal);
  return { totals: new Map(rows.map(({ key, ...numbers }) => [key, numbers])), firstIncomplete };
}

/** Days on which nobody saw the property. One that may still get numbers is stored only where it had some before. */
async function storeSilentDays(
  deps: SearchPullsActivityDeps,
  series: Series,
  days: readonly { readonly day: PacificDay; readonly isFinal: boolean }[],
  stored: ReadonlyMap<PacificDay, StoredPeriod>,
): Promise<PropertyPull> {
  const unknown = days.filter(({ day, isFinal }) => isFinal && !stored.has(day));
  await deps.rows.writeEmpty(unknown.map((day) => emptyDay(deps, series, day)));
  let pull: PropertyPull = { ...NOTHING_PULLED, days: unknown.length };
  for (const day of days.filter(({ day: known }) => stored.has(known))) {
    await deps.rows.write(emptyDay(deps, series, day), []);
    pull = addPulls(pull, EMPTY_DAY);
  }
  return pull;
}
