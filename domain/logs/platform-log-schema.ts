import { z } from 'zod';
import { OUTPUT_STREAMS } from './output-line.ts';
import { ENTRY_LEVELS, LEVEL_FILTERS } from './parse-entry.ts';
import { PART_NAME } from './platform-log.ts';

const file = {
  part: z.string().describe('The program that wrote it, such as `worker` or `mongodb`'),
  stream: z.enum(OUTPUT_STREAMS),
  sizeBytes: z.int().describe('On the disk'),
  sizeHuman: z.string(),
  modifiedAt: z.iso.datetime(),
};

/** The log files of the platform's parts (spec 2, "Platform logs"). */
export const platformLogsSchema = z.object({
  files: z
    .array(z.object({ ...file, path: z.string().describe('Relative to the folder of the logs') }))
    .describe('Those that are written'),
  rotated: z.array(z.object({ ...file, name: z.string().describe('Relative to the folder of the logs') })),
  totalBytes: z.int(),
  totalHuman: z.string(),
  rotation: z
    .object({
      enabled: z.boolean().nullable(),
      maxSize: z.string().nullable(),
      retain: z.int().nullable(),
      compress: z.boolean().nullable(),
    })
    .describe('All null when it is not known who rotates the logs'),
});

/** The tail asks for more than there may be: what is above the limit is lowered to it (spec 2). */
const clampedLines = z.coerce
  .number()
  .int()
  .min(1)
  .default(200)
  .describe('At most so many lines, from the end; more than 1,000 count as 1,000');

export const platformTailQuerySchema = z.strictObject({
  part: z
    .string()
    .regex(PART_NAME, 'must be the name of a part, as in `files`')
    .optional()
    .describe('Which program; the one of the builder unless it is named'),
  stream: z.enum(OUTPUT_STREAMS).default('out'),
  lines: clampedLines,
  level: z.enum(LEVEL_FILTERS).default('all').describe('`warn`: warn, error and fatal; `error`: error and fatal'),
});

/** A line as it is shown: redacted. */
export const platformLogLineSchema = z.object({
  ts: z.iso.datetime().nullable(),
  level: z.enum(ENTRY_LEVELS).nullable(),
  msg: z.string().nullable(),
  raw: z.string(),
});

export type PlatformLogLineView = z.output<typeof platformLogLineSchema>;

export const platformTailSchema = z.object({
  part: z.string(),
  stream: z.enum(OUTPUT_STREAMS),
  lines: z.array(platformLogLineSchema).describe('Oldest first'),
  returned: z.int(),
  truncated: z.boolean().describe('Older lines were not looked at, or are more than was asked for'),
  next: z.string().describe('Behind the last line: what a follower resumes by, as Last-Event-ID'),
});
