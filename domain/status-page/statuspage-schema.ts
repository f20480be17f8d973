import { z } from 'zod';

/**
 * The public JSON of Atlassian Statuspage, version 2, field by field: what its clients read. Bare, without the envelope.
 */

const moment = z.iso.datetime();
const text = z.string();

const pageShape = z.object({ id: text, name: text, url: text, time_zone: text, updated_at: moment });
const statusShape = z.object({
  indicator: z.enum(['none', 'minor', 'major', 'critical', 'maintenance']),
  description: text,
});

const componentShape = z.object({
  id: text,
  name: text,
  status: z.enum(['operational', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance']),
  created_at: moment,
  updated_at: moment,
  position: z.int(),
  description: text.nullable(),
  showcase: z.boolean(),
  start_date: text.nullable(),
  group_id: text.nullable(),
  page_id: text,
  group: z.boolean(),
  only_show_if_degraded: z.boolean(),
  /** Of a group: the ids of its components. */
  components: z.array(text).optional(),
});

const incidentStatus = z.enum(['investigating', 'identified', 'monitoring', 'resolved']);

const updateShape = z.object({
  id: text,
  status: incidentStatus,
  body: text,
  incident_id: text,
  created_at: moment,
  updated_at: moment,
  display_at: moment,
  affected_components: z.null(),
  deliver_notifications: z.boolean(),
});

const incidentShape = z.object({
  id: text,
  name: text,
  status: incidentStatus,
  impact: z.enum(['none', 'minor', 'major', 'critical']),
  created_at: moment,
  updated_at: moment,
  monitoring_at: moment.nullable(),
  resolved_at: moment.nullable(),
  started_at: moment,
  shortlink: text,
  page_id: text,
  incident_updates: z.array(updateShape),
  components: z.array(componentShape),
});

export const summarySchema = z.object({
  page: pageShape,
  components: z.array(componentShape),
  incidents: z.array(incidentShape),
  scheduled_maintenances: z.array(incidentShape),
  status: statusShape,
});

export const statusSchema = summarySchema.pick({ page: true, status: true });
export const componentsSchema = summarySchema.pick({ page: true, components: true });
export const incidentsSchema = summarySchema.pick({ page: true, incidents: true });

export const maintenancesSchema = summarySchema.pick({ page: true, scheduled_maintenances: true });

export type StatuspageSummary = z.output<typeof summarySchema>;
