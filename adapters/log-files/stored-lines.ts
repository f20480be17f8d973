import { z } from 'zod';
import { OUTPUT_STREAMS, type OutputPosition, positionAfter } from '../../domain/logs/output-line.ts';
import type { ServiceLogLine } from '../../domain/logs/service-log.ts';

/** A line of a file, as JSON. */
export const serviceLogLineSchema = z.object({
  at: z.string(),
  stream: z.enum(OUTPUT_STREAMS),
  text: z.string(),
  release: z.string(),
  workload: z.string(),
  dropped: z.number().optional(),
});

const positionSchema = z.partialRecord(z.enum(OUTPUT_STREAMS), z.string());

/** What a writer notes between the lines: up to where the output of each workload is in the log. */
export const positionsSchema = z.object({ positions: z.record(z.string(), positionSchema) });

/** By id of the workload. */
export type Positions = Readonly<Record<string, OutputPosition>>;

export function encodeLine({ at, stream, text, release, workload, dropped }: ServiceLogLine): string {
  return `${JSON.stringify({ at, stream, text, release, workload, dropped })}\n`;
}

export function encodePositions(positions: Positions): string {
  return `${JSON.stringify({ positions })}\n`;
}

/** Of the workloads of one target: a deploy brings a new one, and old ones are of no use once they are gone. */
const MOST_WORKLOADS = 50;

/** The positions after a line was written; those of the workloads that were silent longest are given up. */
export function notedPositions(positions: Positions, lines: readonly ServiceLogLine[]): Positions {
  const noted = new Map(Object.entries(positions));
  for (const line of lines) {
    const position = positionAfter(noted.get(line.workload) ?? {}, line);
    // Behind all others: the map keeps the order of the last writes.
    noted.delete(line.workload);
    noted.set(line.workload, position);
  }
  return Object.fromEntries([...noted].slice(-MOST_WORKLOADS));
}
