import { z } from 'zod';
import { dueStep } from './escalation.ts';
import { INCIDENT_STATES, type Incident, UPDATE_STATES } from './incident.ts';
import { toIncidentView } from './incident-view.ts';

/** Incidents as replies show them. */

const moment = z.iso.datetime();
const text = z.string();

export const incidentViewSchema = z.object({
  id: text,
  org: text.nullable(),
  monitorId: text.nullable().describe('null: a person wrote it'),
  title: text,
  isPublic: z.boolean(),
  state: z.enum(INCIDENT_STATES),
  startedAt: moment,
  acknowledged: z.object({ at: moment, by: text }).nullable(),
  resolvedAt: moment.nullable(),
  flapping: z.boolean(),
  cause: text.nullable().describe('What the check saw'),
  escalation: z
    .object({
      steps: z.array(z.object({ waitMinutes: z.int(), channelIds: z.array(text) })),
      repeat: z.object({ times: z.int(), waitMinutes: z.int() }).nullable(),
      told: z
        .array(z.object({ step: z.int(), at: moment, channelIds: z.array(text) }))
        .describe('Who was told when; steps are counted from 0, repeats included'),
      nextAt: moment
        .nullable()
        .describe('When the next step is told, at the earliest, unless somebody acknowledges it'),
    })
    .nullable()
    .describe('The policy of its org when it began; null: every channel was told at once'),
  updates: z.array(z.object({ at: moment, status: z.enum(UPDATE_STATES), body: text, by: text.nullable() })),
});

export function incidentReply(incident: Incident): z.input<typeof incidentViewSchema> {
  const view = toIncidentView(incident);
  return { ...view, updates: [...view.updates], escalation: shownEscalation(view) };
}

function shownEscalation(view: ReturnType<typeof toIncidentView>): z.input<typeof incidentViewSchema>['escalation'] {
  const { escalation } = view;
  if (escalation === undefined) return null;
  const { policy, told } = escalation;
  const due = dueStep(view);
  return {
    steps: policy.steps.map((step) => ({ ...step, channelIds: [...step.channelIds] })),
    repeat: policy.repeat,
    told: told.map((step) => ({ ...step, channelIds: [...step.channelIds] })),
    nextAt: due === null ? null : new Date(due.at).toISOString(),
  };
}
