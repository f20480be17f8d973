import { z } from 'zod';
import { environmentSchema } from '../../../domain/environment-schema.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import { objectiveSchema, storedCheckSchema } from '../../../domain/monitors/schema.ts';
import { readDocument } from '../read-document.ts';

export interface MonitorDocument extends Omit<Monitor, 'id'> {
  readonly _id: string;
  /** As the number says: for the holder of the shard. */
  readonly shard: number;
}

const text = z.string();
const time = z.date();

const monitorSchema = z.object({
  _id: text,
  number: z.int(),
  key: text,
  org: text.nullable(),
  serviceName: text,
  namespace: text,
  environment: environmentSchema,
  check: storedCheckSchema,
  intervalSeconds: z.int(),
  deployedIntervalSeconds: z.int().nullish(),
  unmanaged: z.boolean(),
  objective: objectiveSchema.nullish(),
  isPublic: z.boolean(),
  paused: z.object({ at: time, by: text }).nullable(),
  archivedAt: time.nullable(),
  resumedAt: time.optional(),
  maintenance: z.array(z.object({ from: time, to: time, note: text.nullable() })),
  recurring: z
    .array(
      z.object({
        ...{ id: text, cron: text, timeZone: text, minutes: z.int(), note: text.nullable() },
        ...{ since: time, until: time.nullable(), cut: z.object({ from: time, at: time }).nullable() },
      }),
    )
    .optional(),
  createdAt: time,
  updatedAt: time,
  revision: z.int(),
});

export function readMonitor(document: unknown): Monitor {
  const { _id, ...rest } = readDocument('monitor', monitorSchema, document);
  return { id: _id, ...rest };
}
