/** What the search engine counts of a row, a day or a period. */
export interface SearchNumbers {
  readonly clicks: number;
  readonly impressions: number;
  /** Mean position of the impressions, from 1; 0 where there are none. */
  readonly position: number;
}

export const NO_NUMBERS: SearchNumbers = { clicks: 0, impressions: 0, position: 0 };

/** Both together; the position is the mean over all impressions. */
export function addNumbers(a: SearchNumbers, b: SearchNumbers): SearchNumbers {
  const impressions = a.impressions + b.impressions;
  const weight = a.position * a.impressions + b.position * b.impressions;
  return { clicks: a.clicks + b.clicks, impressions, position: impressions === 0 ? 0 : weight / impressions };
}

/** Clicks of an impression, from 0 to 1; 0 where there are no impressions. */
export function clickThroughRate({ clicks, impressions }: SearchNumbers): number {
  return impressions === 0 ? 0 : clicks / impressions;
}
