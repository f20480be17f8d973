import { z } from 'zod';
import { environmentSchema } from '../environment-schema.ts';
import { WORKLOAD_STATUSES } from './workload-state.ts';

const time = z.iso.datetime();

/** How what runs of a service was a minute ago at most (the paths are ours). */
export const runtimeStateSchema = z.object({
  status: z.enum(WORKLOAD_STATUSES).describe('`restarting`: its process ended, and is started again'),
  since: time.nullable().describe('When its process last started, or ended'),
  restarts: z.int().describe('How often its process was started again since it was installed'),
  outOfMemory: z.boolean().describe('Its process was last killed for using more memory than its tier has'),
  health: z
    .object({
      ok: z.boolean(),
      status: z.int().nullable().describe('HTTP status; null when nothing answered'),
      path: z.string(),
    })
    .nullable()
    .describe('What its health endpoint answered; null where it was not asked'),
  memoryBytes: z.number().nullable().describe('Without files that are kept in memory while there is room'),
  memoryLimitBytes: z.number().nullable(),
  cpuMillis: z
    .number()
    .nullable()
    .describe('Milli-cores, the mean of about a minute; null before the second measurement'),
  cpuLimitMillis: z.number().nullable(),
  measuredAt: time,
});

export const runtimeEnvironmentSchema = z.object({
  environment: environmentSchema,
  releaseId: z.string(),
  buildId: z.string().describe('The build that started what runs'),
  state: runtimeStateSchema.nullable().describe('Null where nothing was measured in the last hour'),
});

/** Reply of GET /services/:id/runtime. */
export const runtimeReplySchema = z.object({ environments: z.array(runtimeEnvironmentSchema) });

export type RuntimeState = z.output<typeof runtimeStateSchema>;
export type RuntimeEnvironment = z.output<typeof runtimeEnvironmentSchema>;
