import { z } from 'zod';
import { environmentSchema } from '../environment-schema.ts';
import { orgSlugSchema } from '../org-slug.ts';
import { isPlainText } from '../plain-text.ts';
import { serviceNameSchema } from '../service-name.ts';
import { isTimeZone } from '../wall-clock.ts';
import { DNS_TYPES, MOST_EXPECTED_CHARACTERS, type MonitorCheck } from './check-kinds.ts';
import { parseCron } from './cron.ts';
import { headersSchema, storedHeadersSchema } from './header-schema.ts';
import { TOKEN_OVERLAP_HOURS } from './heartbeat.ts';
import { isHost, MOST_HOST_CHARACTERS } from './host-name.ts';
import { INTERVAL_SECONDS } from './monitor.ts';
import { OBJECTIVE_DAYS, TARGET_PERCENT } from './objective.ts';
import { MOST_RECURRING_MINUTES } from './recurring-maintenance.ts';
import type { Registration } from './registration.ts';

const plain = (most: number) => z.string().min(1).max(most).refine(isPlainText, 'text without control characters');
const url = (protocol: RegExp) =>
  z.url({ protocol }).max(2_000).refine(hasNoLogin, 'an address without a user name and a password');
const webUrl = url(/^https?$/);
const host = z.string().max(MOST_HOST_CHARACTERS).refine(isHost, 'a host name or address');
const port = z.int().min(1).max(65_535);
const status = z.int().min(100).max(599);
const expected = plain(MOST_EXPECTED_CHARACTERS);
const interval = z.int().min(INTERVAL_SECONDS.min).max(INTERVAL_SECONDS.max);

/** `POST /api/pulse/register` (spec 3, "Monitor record"). A field that is absent or null is as if it were not named. */
export const registrationSchema = z
  .object({
    serviceName: serviceNameSchema,
    org: orgSlugSchema.nullish(),
    namespace: plain(100).nullish(),
    environment: environmentSchema,
    url: webUrl,
    healthEndpoint: z.string().startsWith('/').max(1_000).nullish(),
    interval: interval.nullish().describe('Seconds; 30 in prod at an address of the platform, else 60'),
    unmanaged: z.boolean().nullish(),
    expectStatus: status.nullish().describe('The status that counts as up, in the place of any 2xx'),
    expectBodyContains: expected.nullish(),
  })
  .transform(
    (body): Registration => ({
      serviceName: body.serviceName,
      org: body.org ?? null,
      namespace: body.namespace ?? `${body.serviceName}-${body.environment}`,
      environment: body.environment,
      url: body.url,
      healthEndpoint: body.healthEndpoint ?? null,
      interval: body.interval ?? null,
      unmanaged: body.unmanaged ?? false,
      expectStatus: body.expectStatus ?? null,
      expectBodyContains: body.expectBodyContains ?? null,
    }),
  );

/** `POST /api/pulse/unregister`: what a registration is known by. */
export const unregistrationSchema = z.object({
  serviceName: serviceNameSchema,
  environment: environmentSchema,
  url: webUrl,
});

/** Whoever sees a monitor, or its page, would read it. */
function hasNoLogin(text: string): boolean {
  const parsed = URL.parse(text);
  return parsed?.username === '' && parsed.password === '';
}

const seconds = (most: number) => z.int().min(1).max(most);

/** A check that a person asks for. Of a heartbeat the token is made, and so not asked for. */
export const checkSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('http'),
    url: webUrl,
    method: z.enum(['GET', 'HEAD', 'POST']).default('GET'),
    expectStatus: status.nullable().default(null),
    expectBodyContains: expected.nullable().default(null),
    json: z
      .strictObject({
        path: z.string().regex(/^\$(?:\.[\w-]+|\[\d{1,6}\]){1,20}$/, 'such as $.status'),
        equals: expected,
      })
      .nullable()
      .default(null),
    latencyBudgetMs: z.int().min(1).max(10_000).nullable().default(null),
    headers: headersSchema.optional(),
  }),
  z.strictObject({
    kind: z.literal('tls'),
    ...{ host, port: port.default(443) },
    serverName: host,
    warnDays: z.int().min(0).max(365).default(14),
  }),
  z.strictObject({ kind: z.literal('tcp'), host, port }),
  z.strictObject({
    kind: z.literal('dns'),
    name: host,
    type: z.enum(DNS_TYPES).default('A'),
    expect: expected.nullable().default(null),
  }),
  z.strictObject({ kind: z.literal('websocket'), url: url(/^wss?$/) }),
  z.strictObject({ kind: z.literal('postgres'), host, port: port.default(5432) }),
  z.strictObject({ kind: z.literal('mongodb'), host, port: port.default(27_017) }),
  z.strictObject({
    kind: z.literal('heartbeat'),
    periodSeconds: seconds(31 * 86_400),
    graceSeconds: seconds(86_400).default(60),
  }),
]);

/** As {@link checkSchema}, without the token of a heartbeat. */
export type AskedCheck = z.output<typeof checkSchema>;

/** As it is stored. Headers are judged when they are sent: a rule that comes later keeps no shard from being read. */
export const storedCheckSchema: z.ZodType<MonitorCheck> = z.union([
  checkSchema.options[0].extend({ headers: storedHeadersSchema.optional() }),
  checkSchema.options[1],
  checkSchema.options[2],
  checkSchema.options[3],
  checkSchema.options[4],
  checkSchema.options[5],
  checkSchema.options[6],
  checkSchema.options[7].extend({
    tokenHash: z.string(),
    formerToken: z.object({ tokenHash: z.string(), until: z.date() }).optional(),
  }),
]);

/** `POST /api/monitors` */
export const newMonitorSchema = z.strictObject({
  name: serviceNameSchema,
  environment: environmentSchema.default('prod'),
  check: checkSchema,
  intervalSeconds: interval.default(60),
  isPublic: z.boolean().default(false),
});

export const objectiveSchema = z.strictObject({
  targetPercent: z
    .number()
    .min(TARGET_PERCENT.min)
    .max(TARGET_PERCENT.max)
    .refine((percent) => Number(percent.toFixed(3)) === percent, 'at most three digits after the point, such as 99.95')
    .describe('How much of the time it has to be up'),
  windowDays: z.literal(OBJECTIVE_DAYS).default(30).describe('Over the last so many days'),
});

/** `PATCH /api/monitors/:id` */
export const monitorChangeSchema = z.strictObject({
  intervalSeconds: interval
    .nullable()
    .optional()
    .describe('Stays when the service is deployed again; null: as the deploy says'),
  isPublic: z.boolean().optional(),
  objective: objectiveSchema.nullable().optional().describe('null: it has none'),
  paused: z.boolean().optional(),
  headers: headersSchema.optional().describe('Of a check over HTTP, all that it sends from now on; `[]`: none'),
});

/** `POST /api/monitors/:id/rotate-token` */
export const tokenRotationSchema = z.strictObject({
  overlapHours: z
    .int()
    .min(0)
    .max(TOKEN_OVERLAP_HOURS.most)
    .default(TOKEN_OVERLAP_HOURS.usual)
    .describe('So long the token before this one counts as well; 0 where somebody else has it'),
});

/** `GET /api/monitor-reports` */
export const monthSchema = z
  .string()
  .regex(/^20\d{2}-(?:0[1-9]|1[0-2])$/, 'a month, such as 2026-11')
  .describe('Of the last 13 months, UTC; the running one as far as it is known');

/** `POST /api/monitors/:id/maintenance`; how long and when it may be: `withWindow`. */
export const maintenanceSchema = z
  .strictObject({
    from: z.iso.datetime().transform((text) => new Date(text)),
    to: z.iso.datetime().transform((text) => new Date(text)),
    note: plain(200).nullable().default(null),
  })
  .refine(({ from, to }) => from < to, 'to: a time after from');

/** `POST /api/monitors/:id/recurring-maintenance` */
export const recurringSchema = z.strictObject({
  cron: plain(100)
    .refine((text) => parseCron(text) !== null, 'minute hour day month weekday, such as `30 3 * * sun`')
    .describe(
      'One time of day, on some days: `minute hour day month weekday`, such as `30 3 * * sun` or `0 22 1,15 * *`',
    ),
  timeZone: z.string().max(64).refine(isTimeZone, 'a time zone, such as Europe/Berlin').default('UTC'),
  minutes: z.int().min(1).max(MOST_RECURRING_MINUTES),
  note: plain(200).nullable().default(null),
});
