import { SAMPLED_OF } from '../../infra/dev/test-sample.ts';
import { TEST_SAMPLE } from '../../infra/dev/test-variables.ts';

/**
 * Whether a point of an exhaustive matrix is played in this run. All are, but where `npm test` runs everything: then one of three,
 * other ones with the next commit, and all with `--every`.
 * @param point its number, from 0 or 1 on
 */
export function isPlayed(point: number, sample = process.env[TEST_SAMPLE]): boolean {
  return sample === undefined || sample === '' || point % SAMPLED_OF === Number(sample);
}

/** The rows of a long table that are played in this run. */
export function playedOf<Row>(rows: readonly Row[]): readonly Row[] {
  return rows.filter((_, index) => isPlayed(index));
}
