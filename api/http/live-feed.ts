import { setTimeout as sleep } from 'node:timers/promises';
import { createFeedWindow, type FeedBudget, type FeedPage, type FeedPlaces, type FeedWindow } from './feed-window.ts';
import { createReadSlots, type ReadSlots } from './read-slots.ts';

export interface FeedSource<P, L, S> extends FeedPlaces<P, L, S> {
  /** What stands behind a place, a bounded part of it. `state` is read before the lines. */
  readonly read: (place: P) => Promise<Pick<FeedPage<P, L, S>, 'lines' | 'next' | 'state'>>;
}

/** A growing log with everyone who follows it. */
export interface LiveFeed<P, L, S> {
  /**
   * What stands behind a place of a watcher, who asks again from `next`. At the end of the log it waits for the next read,
   * whose page has no lines when there is nothing new.
   * @throws what reading throws, to all who wait for it: the next call reads again; the signal's reason once it aborts
   */
  next(place: P, signal: AbortSignal): Promise<FeedPage<P, L, S>>;
}

export interface FeedTimes {
  /** Between two reads at the end of the log. */
  readonly pollMs: number;
}

export interface LiveFeedOptions<P, L, S> extends FeedTimes {
  readonly source: FeedSource<P, L, S>;
  readonly window: FeedWindow<P, L, S>;
  /** In which watchers read for themselves; all feeds have them together. */
  readonly slots: ReadSlots;
}

/**
 * One reader for all who follow a log, however many they are. It reads on when somebody who has everything asks for more,
 * and keeps the last pages. Whoever stands in these is given them; whoever stands before them, or behind the end that the
 * reader knows, reads for himself until the two meet, in turn with the others who do. So each has every line once and in its
 * order, and nobody waits for the slowest.
 */
export function createLiveFeed<P, L, S>({
  source,
  window,
  pollMs,
  slots,
}: LiveFeedOptions<P, L, S>): LiveFeed<P, L, S> {
  /** Up to where the reader has read; null before the first read. */
  let end: P | null = null;
  let reading: Promise<FeedPage<P, L, S>> | null = null;
  let wasEmpty = false;
  let order = 0;

  const read = async (from: P): Promise<FeedPage<P, L, S>> => {
    order += 1;
    const own = order;
    return { from, order: own, ...(await source.read(from)) };
  };
  const readOn = async (at: P): Promise<FeedPage<P, L, S>> => {
    if (wasEmpty) await sleep(pollMs);
    // Whoever found nothing before the end has moved it back meanwhile.
    const from = end ?? at;
    const page = await read(from);
    const isSame = end === null || source.compare(end, from) === 0;
    wasEmpty = page.lines.length === 0;
    if (!isSame) return page;
    if (source.compare(page.next, from) < 0) window.clear();
    else if (!wasEmpty) window.add(page);
    end = page.next;
    return page;
  };
  const shared = (at: P): Promise<FeedPage<P, L, S>> => {
    if (reading !== null) return reading;
    reading = readOn(at).finally(() => {
      reading = null;
    });
    // Also when everybody who waited has gone.
    reading.catch(() => undefined);
    return reading;
  };
  /** A watcher's own read, where the reader is not. */
  const catchUp = async (place: P, signal: AbortSignal): Promise<FeedPage<P, L, S>> => {
    const page = await slots(() => read(place), signal);
    if (page.lines.length > 0 || source.compare(page.next, place) !== 0) return page;
    // There is nothing between this place and the end: the reader was sent too far, by a place that no log has reached.
    if (end !== null && source.compare(place, end) < 0) {
      window.clear();
      end = place;
    }
    await untilAborted(shared(place), signal);
    return page;
  };

  return {
    async next(place, signal) {
      for (;;) {
        signal.throwIfAborted();
        end ??= place;
        const held = window.after(place);
        if (held !== null) return held;
        if (source.compare(place, end) !== 0) return await catchUp(place, signal);
        const page = await untilAborted(shared(place), signal);
        // From elsewhere when the end was moved while it was read: that tells nothing of this place.
        if (source.compare(page.from, place) === 0) return page;
      }
    },
  };
}

/** Waits for what others wait for too, and no longer than the signal. */
async function untilAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([shared, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** One watcher's part in a feed. */
export interface LiveWatch<P, L, S, X> {
  readonly feed: LiveFeed<P, L, S>;
  /** What the watchers of this log share besides. */
  readonly shared: X;
  /** The feed ends with its last watcher. */
  leave(): void;
}

export interface LiveFeedsOptions<K, P, L, S, X> extends FeedTimes {
  /** Keys of one log have the same name. */
  readonly nameOf: (key: K) => string;
  readonly source: (key: K) => FeedSource<P, L, S>;
  readonly share: (key: K) => X;
  /** Bytes of lines that are kept of one log, and of all together. */
  readonly keep?: FeedBounds;
}

export interface FeedBounds {
  readonly perLog: number;
  readonly inAll: number;
}

const MIB = 1024 ** 2;
const KEEP: FeedBounds = { perLog: MIB, inAll: 64 * MIB };
/** Watchers who read for themselves at one moment, each holding a page: the others wait for their turn. */
const MOST_READING = 8;

/** The feeds of the logs that are followed now. @returns begins to watch one */
export function createLiveFeeds<K, P, L, S, X>({
  nameOf,
  source,
  share,
  keep = KEEP,
  pollMs,
}: LiveFeedsOptions<K, P, L, S, X>): (key: K) => LiveWatch<P, L, S, X> {
  const budget: FeedBudget = { held: 0, most: keep.inAll };
  const slots = createReadSlots(MOST_READING);
  const begin = (key: K) => {
    const places = source(key);
    const window = createFeedWindow<P, L, S>(places, { most: keep.perLog, budget });
    return { feed: createLiveFeed({ source: places, window, pollMs, slots }), shared: share(key), window, watchers: 0 };
  };
  const followed = new Map<string, ReturnType<typeof begin>>();
  return (key) => {
    const name = nameOf(key);
    const one = followed.get(name) ?? begin(key);
    followed.set(name, one);
    one.watchers += 1;
    let isIn = true;
    const leave = (): void => {
      if (!isIn) return;
      isIn = false;
      one.watchers -= 1;
      if (one.watchers > 0) return;
      followed.delete(name);
      one.window.close();
    };
    return { feed: one.feed, shared: one.shared, leave };
  };
}
