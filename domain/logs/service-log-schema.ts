import { z } from 'zod';
import { environmentSchema } from '../environment-schema.ts';
import { MAX_LOG_LINES, OUTPUT_STREAMS } from './output-line.ts';
import { ENTRY_LEVELS, LEVEL_FILTERS } from './parse-entry.ts';

const MAX_CONTAINS = 200;

const moment = z.iso.datetime({ offset: true });

/** How many of the last lines are asked for (spec 2, "Limits"). */
export const linesSchema = z.coerce
  .number()
  .int()
  .min(1)
  .max(MAX_LOG_LINES)
  .default(200)
  .describe('At most so many lines, from the end');

/** Which lines of a service's log are asked for. */
export const serviceLogQuerySchema = z.strictObject({
  environment: environmentSchema.optional().describe('`prod` unless it is named'),
  env: environmentSchema.optional().describe('The same, in short'),
  lines: linesSchema,
  release: z.string().min(1).max(64).optional().describe('Only what the workloads of this release printed'),
  stream: z.enum(['all', ...OUTPUT_STREAMS]).default('all'),
  level: z
    .enum(LEVEL_FILTERS)
    .default('all')
    .describe(
      '`warn`: warn, error and fatal; `error`: error and fatal. A line that names no level has `error` on standard error, and else none',
    ),
  since: moment.optional().describe('Only lines from then on'),
  until: moment.optional().describe('Only lines before then: the last ones before it. Not for a log that is followed'),
  contains: z
    .string()
    .min(1)
    .max(MAX_CONTAINS)
    .optional()
    .describe('Plain text that a line has, in upper or lower case'),
});

/** A line as it is shown. */
export const serviceLogLineViewSchema = z.object({
  id: z.string().describe('Behind this line: what a follower resumes by, as Last-Event-ID'),
  at: z.string().describe('When the engine received it: UTC with nanoseconds'),
  stream: z.enum(OUTPUT_STREAMS),
  release: z.string().describe('The release whose workload printed it'),
  level: z.enum(ENTRY_LEVELS).nullable().describe('That a line of JSON names; else `error` on standard error'),
  text: z.string(),
  dropped: z
    .number()
    .int()
    .optional()
    .describe(
      'In a line of the platform: how many lines were left out here, since the service printed too fast; 0 when the engine did not keep them, and nobody knows',
    ),
});

export type ServiceLogLineView = z.output<typeof serviceLogLineViewSchema>;

export const serviceLogPageSchema = z.object({
  environment: environmentSchema,
  items: z.array(serviceLogLineViewSchema).describe('Oldest first'),
  truncated: z.boolean().describe('Older lines were not looked at, or are more than was asked for'),
  live: z.boolean().describe('Whether a release serves in the environment'),
});
