import { z } from 'zod';
import { SEARCH_TYPES } from '../../../domain/search-pulls/dimensions.ts';
import { byDimension, type Series, type StoredPeriod } from '../../../domain/search-pulls/stored-period.ts';
import { readDocument } from '../read-document.ts';

export interface PeriodDocument extends StoredPeriod {
  readonly _id: string;
}

const rowsSchema = z.object({ rows: z.int(), buckets: z.int(), truncatedDays: z.int() });

const periodSchema = z.object({
  property: z.string(),
  type: z.enum(SEARCH_TYPES),
  period: z.string(),
  isFinal: z.boolean(),
  pulledAt: z.date(),
  generation: z.string(),
  totals: z.object({ clicks: z.number(), impressions: z.number(), position: z.number() }),
  dimensions: z.object(byDimension(() => rowsSchema)),
});

/** Days and months of a series lie side by side, each in the order of time. */
export function periodId({ property, type }: Series, period: string): string {
  return `${property}/${type}/${period.length === 7 ? 'month' : 'day'}/${period}`;
}

export function toPeriodDocument(period: StoredPeriod): PeriodDocument {
  return { _id: periodId(period, period.period), ...period };
}

export function readPeriod(document: unknown): StoredPeriod {
  return readDocument('period of search numbers', periodSchema, document);
}
