import type { Dimension } from '../../../domain/search-pulls/dimensions.ts';

/** Whose traffic the vendor makes up, and how much: always the same of one seed. */
export interface SiteTraffic {
  readonly seed: number;
  /** Most rows of a day, by dimension. */
  readonly rows: Readonly<Partial<Record<Dimension, number>>>;
  /** The first day with a search. */
  readonly since: string;
  /** Of seven days, on how many nobody searched. */
  readonly silentDays?: number;
}

/** A row as the API answers it. */
export interface VendorRow {
  readonly keys: readonly string[];
  readonly clicks: number;
  readonly impressions: number;
  readonly ctr: number;
  readonly position: number;
}

const COUNTRIES = ['aut', 'bra', 'che', 'deu', 'esp', 'fra', 'gbr', 'ind', 'ita', 'jpn', 'nld', 'pol', 'prt', 'usa'];
const KEYS: Readonly<Record<Exclude<Dimension, 'date'>, (index: number, seed: number) => string>> = {
  query: (index) => `how to ${index.toString(36)} küche`,
  page: (index, seed) => `https://www.site-${seed}.example/pages/${index}?lang=de`,
  country: (index) => COUNTRIES[index % COUNTRIES.length] ?? 'zzz',
  device: (index) => ['DESKTOP', 'MOBILE', 'TABLET'][index % 3] ?? 'DESKTOP',
  searchAppearance: (index) => ['AMP_BLUE_LINK', 'RICHCARD', 'VIDEO', 'WEBLITE'][index % 4] ?? 'VIDEO',
};
const MOST: Readonly<Partial<Record<Dimension, number>>> = {
  country: COUNTRIES.length,
  device: 3,
  searchAppearance: 4,
};
const USUAL: Readonly<Record<Exclude<Dimension, 'date'>, number>> = {
  ...{ query: 12, page: 6, country: 4, device: 3, searchAppearance: 2 },
};

/** All rows of a day, the most clicks first. @param share of the searches that is counted so far, 1 for a final day */
export function rowsOfDay(
  traffic: SiteTraffic,
  day: string,
  asked: { readonly type: string; readonly dimension: Dimension; readonly share: number },
): readonly VendorRow[] {
  if (day < traffic.since || asked.share === 0 || isSilent(traffic, day)) return [];
  if (asked.dimension === 'date') {
    const total = totalOf(traffic, day, asked);
    return total === null ? [] : [{ ...total, keys: [day] }];
  }
  const { dimension, type, share } = asked;
  const random = createRandom(`${traffic.seed} ${type} ${dimension} ${day}`);
  const most = Math.min(traffic.rows[dimension] ?? USUAL[dimension], MOST[dimension] ?? Number.POSITIVE_INFINITY);
  const count = Math.ceil(most * (0.6 + 0.4 * random()));
  const rows: VendorRow[] = [];
  for (let index = 0; index < count; index += 1) {
    const impressions = Math.floor((1 + random() * (2_000 / (index + 1))) * share);
    const clicks = Math.floor(impressions * random() * 0.3);
    const position = Math.round((1 + random() * 30) * 1_000) / 1_000;
    // Some keys are seen on this day, and others on the next.
    const key = KEYS[dimension](
      most < 20 ? index : Math.floor(index * (1 + random() * 0.2)) * 2 + (index % 2),
      traffic.seed,
    );
    if (impressions > 0) rows.push({ keys: [key], clicks, impressions, ctr: clicks / impressions, position });
  }
  const distinct = new Map(rows.map((row) => [row.keys[0], row]));
  return [...distinct.values()].sort((a, b) => b.clicks - a.clicks);
}

/** The totals of a day, which are more than its rows: the vendor leaves out what few people searched for. */
function totalOf(traffic: SiteTraffic, day: string, asked: { readonly type: string; readonly share: number }) {
  const devices = rowsOfDay(traffic, day, { ...asked, dimension: 'device' });
  const impressions = devices.reduce((sum, row) => sum + row.impressions, 0);
  if (impressions === 0) return null;
  const clicks = devices.reduce((sum, row) => sum + row.clicks, 0);
  const weight = devices.reduce((sum, row) => sum + row.impressions * row.position, 0);
  return { clicks, impressions, ctr: clicks / impressions, position: weight / impressions };
}

function isSilent({ seed, silentDays = 0 }: SiteTraffic, day: string): boolean {
  return (Math.floor(Date.parse(day) / 86_400_000) + seed) % 7 < silentDays;
}

/** mulberry32, begun with a hash of the text. */
function createRandom(text: string): () => number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
