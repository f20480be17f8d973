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
  objective: z.looseObject({ targetPercent: z.number(), windowDays: z.number() }).nullish(),
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
  budget: z
    .looseObject({
      allowedMs: z.number(),
      usedMs: z.number(),
      left: z.number(),
      burning: z.array(z.looseObject({ alert: text, since: text })),
    })
    .nullish(),
});

export type MonitorDetailReply = z.infer<typeof monitorDetailReply>;

export const reportRowReply = z.looseObject({
  id: text,
  name: text,
  environment: text,
  targetPercent: z.number().nullish(),
  uptime: z.number().nullish(),
  coverage: z.number(),
  downMs: z.number(),
  met: z.boolean().nullish(),
});

export type ReportRowReply = z.infer<typeof reportRowReply>;

export const createdMonitorReply = monitorReply.extend({ heartbeatUrl: text.nullish() });

/** A secret of checks: its value is in no reply. */
export const checkSecretReply = z.looseObject({
  name: text,
  hosts: z.array(text),
  usedBy: z.number(),
  setAt: text,
  setBy: text,
});

export const rotatedMonitorReply = monitorReply.extend({ heartbeatUrl: text, formerTokenUntil: text.nullish() });

export const incidentReply = z.looseObject({
  id: text,
  title: text,
  state: text,
  startedAt: text,
  resolvedAt: text.nullish(),
  monitorId: text.nullish(),
  cause: text.nullish(),
  escalation: z
    .looseObject({
      steps: z.array(z.looseObject({})),
      told: z.array(z.looseObject({ step: z.number(), at: text, channelIds: z.array(text) })),
      nextAt: text.nullish(),
    })
    .nullish(),
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

const policyReply = z.looseObject({
  steps: z.array(
    z.looseObject({
      waitMinutes: z.number(),
      channels: z.array(z.looseObject({ id: text, kind: text.nullish(), where: text.nullish(), state: text })),
    }),
  ),
  repeat: z.looseObject({ times: z.number(), waitMinutes: z.number() }).nullish(),
});

export const escalationReply = z.looseObject({ critical: policyReply.nullish(), warning: policyReply.nullish() });

export type EscalationReply = z.infer<typeof escalationReply>;

export const createdChannelReply = channelReply.extend({ secret: text.nullish() });
