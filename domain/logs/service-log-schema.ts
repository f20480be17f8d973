import { z } from 'zod';
import { environmentSchema } from '../environment-schema.ts';
import { MAX_LOG_LINES, OUTPUT_STREAMS } from './output-line.ts';

const MAX_CONTAINS = 200;

/** Which lines of a service's log are asked for. */
export const serviceLogQuerySchema = z.strictObject({
  environment: environmentSchema.default('prod'),
  lines: z.coerce.number().int().min(1).max(MAX_LOG_LINES).default(200).describe('At most so many lines, from the end'),
  stream: z.enum(['all', ...OUTPUT_STREAMS]).default('all'),
  contains: z.string().min(1).max(MAX_CONTAINS).optional().describe('Plain text that a line has; case matters'),
});

/** A line as it is shown. */
export const serviceLogLineViewSchema = z.object({
  id: z.string().describe('Behind this line: what a follower resumes by, as Last-Event-ID'),
  at: z.string().describe('When the engine received it: UTC with nanoseconds'),
  stream: z.enum(OUTPUT_STREAMS),
  release: z.string().describe('The release whose workload printed it'),
  text: z.string(),
  dropped: z.number().int().optional().describe('How many lines were left out here: the service printed too fast'),
});

export type ServiceLogLineView = z.output<typeof serviceLogLineViewSchema>;

export const serviceLogPageSchema = z.object({
  environment: environmentSchema,
  items: z.array(serviceLogLineViewSchema).describe('Oldest first'),
  truncated: z.boolean().describe('Older lines were not looked at, or are more than was asked for'),
  live: z.boolean().describe('Whether a release serves in the environment'),
});
