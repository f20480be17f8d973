import { z } from 'zod';
import { INCIDENT_STATES, UPDATE_STATES } from './incident.ts';

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
  updates: z.array(z.object({ at: moment, status: z.enum(UPDATE_STATES), body: text, by: text.nullable() })),
});
