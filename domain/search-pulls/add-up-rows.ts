import { FairleadError } from '../errors.ts';
import type { RowDimension } from './dimensions.ts';
import { bucketsOfShare, createRowSums, firstRows, sharesFor } from './merge-rows.ts';
import type { PartRef, SearchRowStore } from './ports.ts';
import type { SearchRow } from './search-rows.ts';
import type { Series, StoredPeriod } from './stored-period.ts';

/** Rows of a dimension that are stored in several periods, and in which order they are added up. */
export interface AddedRows {
  readonly series: Series;
  readonly periods: readonly StoredPeriod[];
  readonly dimension: RowDimension;
}

/** Into how many shares the rows are divided, see {@link eachShare}. */
export function sharesOf({ periods, dimension }: AddedRows): number {
  return sharesFor(periods.map(({ dimensions }) => dimensions[dimension]));
}

/**
 * Adds up the rows of several periods, one share of the keys after the other, so that few are in memory at a time.
 * @throws CONFLICT (retryable) when one of the periods was replaced meanwhile: read the periods again
 */
export async function* eachShare(
  store: Pick<SearchRowStore, 'read'>,
  added: AddedRows,
  shares: number,
): AsyncGenerator<readonly SearchRow[]> {
  const { series, periods, dimension } = added;
  for (let share = 0; share < shares; share += 1) {
    const parts = periods.flatMap(({ period, generation, dimensions }): PartRef[] =>
      bucketsOfShare(dimensions[dimension], share, shares).map((bucket) => ({ period, generation, dimension, bucket })),
    );
    const sums = createRowSums(share, shares);
    let found = 0;
    for await (const { columns } of store.read(series, parts)) {
      found += 1;
      sums.add(columns);
    }
    if (found < parts.length) throw replaced(series);
    yield sums.rows();
  }
}

/** The first rows of all. @throws as {@link eachShare} */
export async function topRows(
  store: Pick<SearchRowStore, 'read'>,
  added: AddedRows,
  limit: number,
): Promise<readonly SearchRow[]> {
  let top: readonly SearchRow[] = [];
  for await (const rows of eachShare(store, added, sharesOf(added))) top = firstRows([...top, ...rows], limit);
  return top;
}

function replaced({ property }: Series): FairleadError {
  return new FairleadError('CONFLICT', `The numbers of ${property} were replaced while they were read; try again`, {
    retryable: true,
  });
}
