import { z } from 'zod';
import { environmentSchema } from '../environment-schema.ts';
import { DNS_TYPES } from './check-kinds.ts';
import { OUTCOMES, PROBLEMS } from './check-result.ts';
import { MONITOR_STATES } from './condition.ts';
import { BURN_ALERT_NAMES } from './objective.ts';
import { objectiveSchema } from './schema.ts';

/** Monitors as replies show them. */

const moment = z.iso.datetime();
const text = z.string();
const count = z.int().min(0);
const share = z.number().min(0).max(1);
const endpoint = { host: text, port: count } as const;

/** A heartbeat is shown without its token. */
const checkView = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('http'),
    url: text,
    method: text,
    expectStatus: count.nullable(),
    expectBodyContains: text.nullable(),
    json: z.object({ path: text, equals: text }).nullable(),
    latencyBudgetMs: count.nullable(),
    headers: z
      .array(z.union([z.object({ name: text, value: text }), z.object({ name: text, secret: text })]))
      .optional()
      .describe('Of a secret its name; viewers see no value'),
  }),
  z.object({ kind: z.literal('tls'), ...endpoint, serverName: text, warnDays: count }),
  z.object({ kind: z.literal('tcp'), ...endpoint }),
  z.object({ kind: z.literal('dns'), name: text, type: z.enum(DNS_TYPES), expect: text.nullable() }),
  z.object({ kind: z.literal('websocket'), url: text }),
  z.object({ kind: z.literal('postgres'), ...endpoint }),
  z.object({ kind: z.literal('mongodb'), ...endpoint }),
  z.object({ kind: z.literal('heartbeat'), periodSeconds: count, graceSeconds: count }),
]);

export const checkResultViewSchema = z.object({
  at: moment,
  outcome: z.enum(OUTCOMES),
  durationMs: count,
  problem: z.enum(PROBLEMS).nullable(),
  status: count.nullable(),
  message: text.nullable(),
});

export const recurringViewSchema = z.object({
  id: text,
  cron: text,
  timeZone: text,
  minutes: count,
  note: text.nullable(),
  next: moment.nullable().describe('When it is next, or since when it runs; null: not within a year'),
});

export const maintenanceViewSchema = z.object({ from: moment, to: moment, note: text.nullable() });

export const monitorViewSchema = z.object({
  id: text,
  name: text.describe('The service, or what a person called it'),
  org: text.nullable(),
  namespace: text,
  environment: environmentSchema,
  check: checkView,
  target: text.describe('What is checked, in one line'),
  intervalSeconds: count,
  deployedIntervalSeconds: count
    .nullable()
    .describe('What deploys say, where a person set another interval; null where they did not'),
  unmanaged: z.boolean().describe('Added by a person or an operator: the reconcile leaves it alone'),
  isPublic: z.boolean(),
  state: z.enum(MONITOR_STATES),
  since: moment.describe('Since when it is in this state'),
  flapping: z.boolean(),
  objective: objectiveSchema.nullable(),
  paused: z.object({ at: moment, by: text }).nullable(),
  archivedAt: moment.nullable(),
  maintenance: z.array(maintenanceViewSchema),
  recurringMaintenance: z.array(recurringViewSchema),
  lastCheck: checkResultViewSchema.nullable(),
  createdAt: moment,
  updatedAt: moment,
});

export const uptimeViewSchema = z.object({
  days: count,
  uptime: share.nullable().describe('up / (up + down), of time; null without data'),
  coverage: share.describe('Share of the time of which something is known'),
  downMs: count,
});

export const budgetViewSchema = z.object({
  allowedMs: count.describe('How long it may be down in the window of its objective'),
  usedMs: count,
  left: z.number().describe('1: all of it; 0: nothing; below 0 the objective is missed'),
  burning: z.array(z.object({ alert: z.enum(BURN_ALERT_NAMES), since: moment })).describe('Alerts that are not over'),
});

export const monitorDetailSchema = monitorViewSchema.extend({
  uptime: z.array(uptimeViewSchema),
  budget: budgetViewSchema.nullable().describe('null: it has no objective'),
});

/** One monitor in a monthly report. */
export const reportRowSchema = z.object({
  id: text,
  name: text,
  environment: environmentSchema,
  org: text.nullable(),
  targetPercent: z.number().nullable().describe('What its objective asks for by now'),
  uptime: share.nullable(),
  coverage: share,
  downMs: count,
  maintenanceMs: count,
  met: z
    .boolean()
    .nullable()
    .describe('Whether the month was as good as the objective asks; null without one, or without data'),
});

/** The token of a heartbeat is shown once. */
export const createdMonitorSchema = monitorViewSchema.extend({
  heartbeatUrl: text.nullable().describe('Of a heartbeat, the address that its job calls; shown this once'),
});

export const rotatedMonitorSchema = createdMonitorSchema.extend({
  formerTokenUntil: moment.nullable().describe('Until when the token before this one counts; null: not any more'),
});

export const dayViewSchema = z.object({
  day: text,
  upMs: count,
  degradedMs: count,
  downMs: count,
  maintenanceMs: count,
  checks: count,
  failed: count,
  p50Ms: count.nullable(),
  p95Ms: count.nullable(),
});

export const seriesPointSchema = z.object({
  startsAt: moment,
  length: z.enum(['5m', '1h', '1d']),
  checks: count,
  failed: count,
  p50Ms: count.nullable(),
  p95Ms: count.nullable(),
});

/** Reply of `POST /api/pulse/unregister`. */
export const unregisteredSchema = z.object({ archived: z.boolean() });

/** Reply of `POST /api/pulse/register`: the builder keeps the id as `pulseMonitorId`. */
export const registeredSchema = z.object({ pulseMonitorId: text, id: text });

export const pulseStatusSchema = z.object({
  org: text.nullable(),
  asOf: moment,
  status: z.object({ indicator: text, description: text }),
  monitors: z.array(
    z.object({ id: text, name: text, environment: text, state: z.enum(MONITOR_STATES), since: moment }),
  ),
});

export type MonitorView = z.input<typeof monitorViewSchema>;
