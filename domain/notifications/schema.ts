import { z } from 'zod';
import { isPlainText } from '../plain-text.ts';
import { isTimeZone } from '../wall-clock.ts';
import { CHAT_TEMPLATES } from './chat-templates.ts';
import { MOST_REPEATS, MOST_STEPS, MOST_WAIT_MINUTES, OUTAGE_SEVERITIES } from './escalation.ts';
import { MOST_CHANNELS } from './ports.ts';
import { PASSING, problemOfQuiet, WEEKDAYS } from './quiet-hours.ts';

const address = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .refine((text) => URL.parse(text)?.username === '', 'an address without a user name');
const secret = z.string().min(1).max(500).refine(isPlainText, 'text without control characters');

/** The settings of a chat, as they are sealed. */
export const chatSettingsSchema = z.object({
  address: z.string(),
  token: z.string().nullable(),
  room: z.string().nullable(),
});

const byAddress = { address: address.describe('Of its incoming webhook; shown to nobody later') };

/** `POST /api/alerts/channels` */
export const newChannelSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('mail'), to: z.email().max(254) }),
  z.strictObject({ kind: z.literal('webhook'), url: address }),
  z.strictObject({ kind: z.literal('slack'), ...byAddress }),
  z.strictObject({ kind: z.literal('discord'), ...byAddress }),
  z.strictObject({ kind: z.literal('teams'), ...byAddress }),
  z.strictObject({
    kind: z.literal('telegram'),
    address: address.default(CHAT_TEMPLATES.telegram.address ?? ''),
    token: secret.regex(/^\d+:[\w-]+$/, 'the token of a bot').describe('Of the bot; shown to nobody later'),
    room: z.string().regex(/^(-?\d{1,20}|@\w{1,64})$/, 'the id of a chat, or @channel'),
  }),
  z.strictObject({
    kind: z.literal('ntfy'),
    address: address
      .refine((text) => new URL(text).pathname.length > 1, 'an address with a topic')
      .describe('With the topic'),
    token: secret.nullable().default(null),
  }),
  z.strictObject({
    kind: z.literal('pagerduty'),
    address: address.default(CHAT_TEMPLATES.pagerduty.address ?? ''),
    token: secret.describe('The integration key of Events v2; shown to nobody later'),
  }),
]);

const waitMinutes = z.int().min(1).max(MOST_WAIT_MINUTES);

/** `/api/alerts/escalation/:severity` */
export const severityParams = z.strictObject({ severity: z.enum(OUTAGE_SEVERITIES) });

/** `PUT /api/alerts/escalation/:severity` */
export const escalationPolicySchema = z
  .strictObject({
    steps: z
      .array(
        z.strictObject({
          waitMinutes: z
            .union([z.literal(0), waitMinutes])
            .default(0)
            .describe('Since the step before was told; 0 of the first one, which is told at once'),
          channelIds: z
            .array(z.string().min(1).max(100))
            .min(1, 'at least one channel')
            .max(MOST_CHANNELS)
            .refine((ids) => new Set(ids).size === ids.length, 'each channel once'),
        }),
      )
      .min(1, 'at least one step')
      .max(MOST_STEPS),
    repeat: z
      .strictObject({ times: z.int().min(1).max(MOST_REPEATS), waitMinutes })
      .nullable()
      .default(null)
      .describe('How often all steps are told once more, and how long after the last one'),
  })
  .superRefine(({ steps }, context) => {
    for (const [index, step] of steps.entries()) {
      if ((index === 0) === (step.waitMinutes === 0)) continue;
      const message = index === 0 ? '0: the first step is told at once' : 'at least 1 minute';
      context.addIssue({ code: 'custom', path: ['steps', index, 'waitMinutes'], message });
    }
  });

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** `PUT /api/alerts/channels/:id/quiet-hours` */
export const quietHoursSchema = z
  .strictObject({
    from: z.string().regex(TIME, 'a time of day, such as 22:00').describe('A time of day, such as `22:00`'),
    to: z
      .string()
      .refine((text) => TIME.test(text) || text === '24:00', 'a time of day, such as 07:00, or 24:00')
      .describe('A time of day, such as `07:00`, or `24:00`; of the next day where it is no later than `from`'),
    timeZone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'a time zone of the IANA database, such as Europe/Berlin')
      .default('UTC')
      .describe('They are by the clocks of this time zone, in summer and in winter'),
    weekdays: z
      .array(z.enum(WEEKDAYS))
      .min(1, 'at least one day, or null for each day')
      .max(WEEKDAYS.length)
      .nullable()
      .default(null)
      .describe('The days on which they begin; null: each day'),
    passes: z
      .enum(PASSING)
      .default('critical')
      .describe('What is as urgent is told at once, and what is more so; nothing keeps back what is critical'),
  })
  .superRefine((quiet, context) => {
    const problem = problemOfQuiet(quiet);
    if (problem === null) return;
    const [field = '', message = ''] = problem.split(/: (.*)/s);
    context.addIssue({ code: 'custom', path: [field], message });
  });
