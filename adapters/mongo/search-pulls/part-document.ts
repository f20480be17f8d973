import { z } from 'zod';
import { ROW_DIMENSIONS } from '../../../domain/search-pulls/dimensions.ts';
import type { PartRef, RowPart } from '../../../domain/search-pulls/ports.ts';
import type { RowColumns } from '../../../domain/search-pulls/search-rows.ts';
import type { Series, StoredPeriod } from '../../../domain/search-pulls/stored-period.ts';
import { readDocument } from '../read-document.ts';
import { periodId } from './period-document.ts';

export interface PartDocument extends RowColumns {
  readonly _id: string;
  /** Id of the period. */
  readonly of: string;
  readonly period: string;
  readonly pulledAt: Date;
  readonly dimension: string;
  readonly bucket: number;
}

const numbers = z.array(z.number());

const partSchema = z
  .object({
    period: z.string(),
    dimension: z.enum(ROW_DIMENSIONS),
    bucket: z.int(),
    keys: z.array(z.string()),
    clicks: numbers,
    impressions: numbers,
    positions: numbers,
  })
  .refine(({ keys, clicks, impressions, positions }) =>
    [clicks, impressions, positions].every(({ length }) => length === keys.length),
  );

export function partId(series: Series, { period, generation, dimension, bucket }: PartRef): string {
  return `${periodId(series, period)}/${generation}/${dimension}/${bucket}`;
}

export function toPartDocument(period: StoredPeriod, { dimension, bucket, columns }: RowPart): PartDocument {
  const { generation, pulledAt } = period;
  return {
    _id: partId(period, { period: period.period, generation, dimension, bucket }),
    of: periodId(period, period.period),
    ...{ period: period.period, pulledAt, dimension, bucket, ...columns },
  };
}

export function readPart(document: unknown): RowPart & Pick<PartRef, 'period'> {
  const { period, dimension, bucket, ...columns } = readDocument('part of search rows', partSchema, document);
  return { period, dimension, bucket, columns };
}
