/** What one read of a growing log brought. `P` is a place between two lines, `L` a line, `S` what was read beside them. */
export interface FeedPage<P, L, S> {
  /** Behind which place it was read. */
  readonly from: P;
  readonly lines: readonly L[];
  /** Where the next read goes on. */
  readonly next: P;
  readonly state: S;
  /** Grows with each read of a feed in the order in which they began: the state of a higher one is newer. */
  readonly order: number;
}

export interface FeedPlaces<P, L, S> {
  /** Negative when `a` stands before `b`, 0 for the same place. */
  readonly compare: (a: P, b: P) => number;
  /** The place right behind a line. */
  readonly behind: (line: L) => P;
  /** Memory that a line takes, in bytes. */
  readonly bytes: (line: L) => number;
  /** What is true for one who has the first lines of a page. */
  readonly stateOfRest: (state: S) => S;
}

/** The bytes that all windows of a process hold together. */
export interface FeedBudget {
  held: number;
  readonly most: number;
}

/** The last pages of a log, without a gap between them, within so many bytes. */
export interface FeedWindow<P, L, S> {
  /** What stands behind a place; null when it is not held. */
  after(place: P): FeedPage<P, L, S> | null;
  add(page: FeedPage<P, L, S>): void;
  clear(): void;
  /** Holds nothing from now on: a read that was under way may still bring a page. */
  close(): void;
}

export function createFeedWindow<P, L, S>(
  places: FeedPlaces<P, L, S>,
  { most, budget }: { readonly most: number; readonly budget: FeedBudget },
): FeedWindow<P, L, S> {
  const held: { readonly page: FeedPage<P, L, S>; readonly bytes: number }[] = [];
  let own = 0;
  let isClosed = false;

  const drop = (): void => {
    const { bytes = 0 } = held.shift() ?? {};
    own -= bytes;
    budget.held -= bytes;
  };
  const clear = (): void => {
    while (held.length > 0) drop();
  };
  return {
    after(place) {
      const found = held.findLast(({ page }) => places.compare(page.from, place) <= 0);
      if (found === undefined || places.compare(place, found.page.next) >= 0) return null;
      return restOf(found.page, place, places);
    },
    add(page) {
      if (isClosed) return;
      const bytes = page.lines.reduce((sum, line) => sum + places.bytes(line), 0);
      held.push({ page, bytes });
      own += bytes;
      budget.held += bytes;
      while (held.length > 0 && (own > most || budget.held > budget.most)) drop();
    },
    clear,
    close() {
      isClosed = true;
      clear();
    },
  };
}

/** Null for a place that is behind no line of the page and not at its beginning: what was read beside it may not hold there. */
function restOf<P, L, S>(
  page: FeedPage<P, L, S>,
  place: P,
  { compare, behind, stateOfRest }: FeedPlaces<P, L, S>,
): FeedPage<P, L, S> | null {
  if (compare(place, page.from) === 0) return page;
  const lines = page.lines.filter((line) => compare(behind(line), place) > 0);
  if (lines.length === page.lines.length) return null;
  return { ...page, from: place, lines, state: stateOfRest(page.state) };
}
