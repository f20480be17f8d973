import { z } from 'zod';

/** What the command line reads of the uptime monitor's replies; the rest stays untouched, for `--json`. */
const text = z.string();

export const monitorReply = z.looseObject({
  id: text,
  name: text,
  org: text.nullish(),
  environment: text,
  check: z.looseObject({ kind: text }),
  target: text,
  intervalSeconds: z.number(),
  deployedIntervalSeconds: z.number().nullish(),
  unmanaged: z.boolean(),
  isPublic: z.boolean(),
  state: text,
  since: text,
  flapping: z.boolean(),
  recurringMaintenance: z
    .array(
      z.looseObject({
        id: text,
        cron: text,
        timeZone: text,
        minutes: z.number(),
        note: text.nullish(),
        next: text.nullish(),
      }),
    )
    .default([]),
  lastCheck: z.looseObject({ at: text, outcome: text, durationMs: z.number(), message: text.nullish() }).nullish(),
});

export type MonitorReply = z.infer<typeof monitorReply>;

export const monitorDetailReply = monitorReply.extend({
  uptime: z.array(
    z.looseObject({ days: z.number(), uptime: z.number().nullish(), coverage: z.number(), downMs: z.number() }),
  ),
});

export const createdMonitorReply = monitorReply.extend({ heartbeatUrl: text.nullish() });

export const rotatedMonitorReply = monitorReply.extend({ heartbeatUrl: text, formerTokenUntil: text.nullish() });

export const incidentReply = z.looseObject({
  id: text,
  title: text,
  state: text,
  startedAt: text,
  resolvedAt: text.nullish(),
  monitorId: text.nullish(),
  cause: text.nullish(),
  updates: z.array(z.looseObject({ at: text, status: text, body: text, by: text.nullish() })),
});

export const subscriberReply = z.looseObject({ id: text, address: text, confirmedAt: text.nullish() });

export const acceptedReply = z.looseObject({ id: text });

export const channelReply = z.looseObject({
  id: text,
  org: text.nullish(),
  target: z.looseObject({
    kind: text,
    to: text.optional(),
    url: text.optional(),
    service: text.optional(),
    host: text.optional(),
  }),
  state: text.nullish(),
  quiet: z
    .looseObject({ from: text, to: text, timeZone: text, weekdays: z.array(text).nullish(), passes: text })
    .nullish(),
  lastProblem: text.nullish(),
});

export const deliveryReply = z.looseObject({
  id: text,
  channelId: text,
  audience: text.nullish(),
  subject: text,
  state: text,
  attempts: z.number(),
  lastProblem: text.nullish(),
  createdAt: text,
});

export type ChannelReply = z.infer<typeof channelReply>;

export const createdChannelReply = channelReply.extend({ secret: text.nullish() });
