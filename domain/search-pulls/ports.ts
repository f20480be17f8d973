/**
 * The module `search-pulls`: what the search engine counted for each property, read day by day and kept.
 *
 * Keying: one pull at a time, whether of all properties or of one: the workflow `search-pull` is the lease. Rows are stored by
 * property, type of search, day and dimension, under the generation of the attempt that read them: the record of the day
 * names the generation that counts, so that a day is replaced in one write, and never doubled.
 * Retries: a day that was stored is not read again within a pull, whichever attempt or pull stored it; so an attempt
 * that was broken off goes on with the next day. Quotas of the vendor are waited for.
 * Compensation: none. A broken-off attempt leaves parts that no record names; a pull deletes them at the end of a property, and
 * those of pulls that were given up before it.
 */

import type { Page, PageRequest } from '../page.ts';
import type { RowDimension } from './dimensions.ts';
import type { PropertyJob } from './messages.ts';
import type { DayRange, PacificDay } from './pacific-day.ts';
import type { NewPull, PropertyPull, PullRun } from './pull-run.ts';
import type { SearchNumbers } from './search-numbers.ts';
import type { RowColumns } from './search-rows.ts';
import type { SearchWindow } from './search-window.ts';
import type { Period, Series, StoredPeriod } from './stored-period.ts';
import type { WindowDays } from './windows.ts';

/** A part of the rows of a dimension in a period. */
export interface PartRef {
  readonly period: Period;
  readonly generation: string;
  readonly dimension: RowDimension;
  readonly bucket: number;
}

export interface RowPart extends Pick<PartRef, 'dimension' | 'bucket'> {
  readonly columns: RowColumns;
}

/** Rows of days and months. */
export interface SearchRowStore {
  /**
   * Stores a period with its parts, in the place of what was read earlier; everybody sees either the one or the other.
   * False, without effect, when something read later is stored already. @throws UNAVAILABLE
   */
  write(period: StoredPeriod, parts: Iterable<RowPart> | AsyncIterable<RowPart>): Promise<boolean>;
  /** Stores days without any rows that nothing is stored of; the others stay as they are. */
  writeEmpty(days: readonly StoredPeriod[]): Promise<void>;
  /** Stored days of a range, the first one first. */
  days(series: Series, range: DayRange): Promise<readonly StoredPeriod[]>;
  /** Stored months that lie within a range as a whole, the first one first. */
  months(series: Series, range: DayRange): Promise<readonly StoredPeriod[]>;
  /** The newest final day. */
  lastFinalDay(series: Series): Promise<PacificDay | null>;
  /** The parts that are there, in the order of the list: a part is missing once its period was replaced. */
  read(series: Series, parts: readonly PartRef[]): AsyncIterable<RowPart & Pick<PartRef, 'period'>>;
  /**
   * Deletes parts that writes left which were broken off: of days of a range, and of their months, whose record says that
   * nothing can come of them any more. Of a period without a record nothing is deleted: its write may be under way.
   */
  deleteLeftovers(series: Series, range: DayRange): Promise<void>;
}

/** Windows that are rolled up. */
export interface SearchWindowStore {
  /** Replaces the window of that length, but for one that was rolled up later. */
  write(window: SearchWindow): Promise<void>;
  /** With at least so many rows of each dimension, where it has as many. */
  find(series: Series, days: WindowDays, rows: number): Promise<SearchWindow | null>;
}

/** What changes when a pull ends. */
export type PullChange = Partial<Pick<PullRun, 'status' | 'finishedAt' | 'summary' | 'error' | 'abandoned'>>;

/** Records of pulls. */
export interface PullRunStore {
  /** Nothing happens when there is one of that id. @throws UNAVAILABLE */
  insert(run: PullRun): Promise<void>;
  find(id: string): Promise<PullRun | null>;
  /** Writes the change while the pull runs. False when it has ended, or is gone. */
  change(id: string, change: PullChange): Promise<boolean>;
  /** The newest one that runs by its record. */
  newestRunning(): Promise<PullRun | null>;
  /**
   * Ends all that run by their records and began before this one; none once this one has ended itself: whoever says so
   * late would end those that came after.
   */
  abandonEarlier(run: Pick<PullRun, 'id' | 'startedAt'>, change: PullChange): Promise<void>;
}

/** When each property was last pulled to its end. */
export interface PulledProperties {
  /** Those of the list whose last whole pull began before that moment, or that were never pulled. */
  notPulledSince(properties: readonly string[], since: Date): Promise<readonly string[]>;
  /** When the last whole pull of a property began, as a majority has it; null for none. @throws UNAVAILABLE */
  lastPulled(property: string): Promise<Date | null>;
  /** Notes a whole pull that began at that moment; an earlier one never replaces a later one. */
  notePulled(property: string, since: Date): Promise<void>;
}

/** A property whose numbers can be pulled: it is verified. */
export interface PullableProperty {
  readonly domain: string;
  /** As the search engine names it: `sc-domain:example.com`. */
  readonly siteUrl: string;
}

/** The properties as pulls use them. */
export interface PullableProperties {
  /** The domains of all that can be pulled. */
  list(page: PageRequest): Promise<Page<string>>;
  /** Null for one that is not known, not verified, or ignored. */
  find(domain: string): Promise<PullableProperty | null>;
}

/** Numbers of pages by their URL, as pieces show them. */
export interface PageNumbers {
  /** By URL; a page that the search engine has not shown is absent. The range is of the last days that are final. */
  ofPages(
    property: string,
    urls: readonly string[],
    days: number,
  ): Promise<{ readonly range: DayRange; readonly numbers: ReadonlyMap<string, SearchNumbers> } | null>;
}

/** The API's way to pulls. */
export interface PullCommands {
  /** Whether a worker that reaches the search engine was there in the last minutes. @throws UNAVAILABLE */
  isServed(): Promise<boolean>;
  /** Starts a pull of all properties. @throws PULL_IN_PROGRESS with the id of the pull that runs, when it has one; UNAVAILABLE */
  pullAll(pull: NewPull): Promise<void>;
  /**
   * Pulls one property, to its end, whatever becomes of who asked.
   * @returns null when the pull goes on after `until`
   * @throws as `pullAll`, and what the pull throws
   */
  pullOne(job: PropertyJob, until: AbortSignal): Promise<PropertyPull | null>;
  /** What holds the lease: the id of a pull, null for a pull of one property; undefined for nothing. */
  holder(): Promise<string | null | undefined>;
}
