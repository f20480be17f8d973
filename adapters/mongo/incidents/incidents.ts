import type { Collection, Db, Filter } from 'mongodb';
import { z } from 'zod';
import { INCIDENT_STATES, type Incident, UPDATE_STATES } from '../../../domain/incidents/incident.ts';
import type { IncidentFilter, IncidentPart, IncidentStore } from '../../../domain/incidents/ports.ts';
import { OUTAGE_SEVERITIES } from '../../../domain/notifications/escalation.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { escalationPolicySchema } from '../escalation-policy-schema.ts';
import { insertIfNew, insertMissing } from '../insert-new.ts';
import { readDocument } from '../read-document.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS } from './indexes.ts';

type IncidentDocument = Omit<Incident, 'id'> & {
  readonly _id: string;
  /** Its workflow has written it. */
  readonly begun?: boolean;
};

/** Documents of one command. */
const AT_ONCE = 500;

const text = z.string();
const time = z.date();
/** Of an escalation. A worker that knows none writes it as the workflow has it, with its times in ISO. */
const timeOfStep = z.union([time, z.iso.datetime().transform((at) => new Date(at))]);

const incidentSchema = z.object({
  _id: text,
  org: text.nullable(),
  monitorId: text.nullable(),
  sequence: z.int().nullable(),
  title: text,
  isPublic: z.boolean(),
  state: z.enum(INCIDENT_STATES),
  startedAt: time,
  acknowledged: z.object({ at: time, by: text }).nullable(),
  resolvedAt: time.nullable(),
  flapping: z.boolean(),
  cause: text.nullable(),
  severity: z.enum(OUTAGE_SEVERITIES).optional(),
  escalation: z
    .object({
      policy: escalationPolicySchema,
      told: z.array(z.object({ step: z.int(), at: timeOfStep, channelIds: z.array(text) })),
    })
    .optional(),
  updates: z.array(z.object({ at: time, status: z.enum(UPDATE_STATES), body: text, by: text.nullable() })),
  changes: z.int().default(0),
});

/** Incidents in MongoDB: one document each, replaced whole by its workflow. */
export function createIncidentStore({ db }: { readonly db: Db }): IncidentStore {
  const collection: Collection<IncidentDocument> = db.collection(COLLECTIONS.incidents);
  return {
    async find(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      return document === null ? null : readIncident(document);
    },
    async list(filter, { cursor, limit }, part) {
      const older = olderThan('startedAt', decodeCursor(cursor, timeAndId)) as Filter<IncidentDocument>;
      const documents = await mongoCall(() =>
        collection
          .find({ $and: [conditionsOf(filter), older] }, part === undefined ? {} : { projection: projectionOf(part) })
          .sort({ startedAt: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      const page = toPage(documents, limit, ({ startedAt, _id }) => [startedAt.getTime(), _id]);
      return { ...page, items: page.items.map(readIncident) };
    },
    async announce(incidents) {
      const known = new Map<string, Incident>();
      for (let first = 0; first < incidents.length; first += AT_ONCE) {
        const part = incidents.slice(first, first + AT_ONCE).map(({ id, ...fields }) => ({ _id: id, ...fields }));
        await insertMissing(collection, part);
        const ids = part.map(({ _id }) => _id);
        const documents = await mongoCall(() => collection.find({ _id: { $in: ids } }).toArray());
        for (const incident of documents.map(readIncident)) known.set(incident.id, incident);
      }
      return incidents.map((each) => known.get(each.id) ?? each);
    },
    async insert({ id, ...fields }) {
      const update = { $setOnInsert: fields, $set: { begun: true } };
      await upsertOnceMore(() => collection.updateOne({ _id: id }, update, { upsert: true }));
    },
    async isBegun(id) {
      return (await mongoCall(() => collection.findOne({ _id: id, begun: true }, { projection: { _id: 1 } }))) !== null;
    },
    async put({ id, ...fields }) {
      // Those of an earlier version have no count.
      const older: Filter<IncidentDocument> = {
        $or: [{ changes: { $exists: false } }, { changes: { $lt: fields.changes } }],
      };
      const written = { ...fields, begun: true };
      const { matchedCount } = await mongoCall(() => collection.replaceOne({ _id: id, ...older }, written));
      if (matchedCount === 0) await insertIfNew(collection, { _id: id, ...written });
    },
  };
}

const EACH_FIELD = Object.fromEntries(Object.keys(incidentSchema.shape).map((field) => [field, 1]));

/**
 * An incident may have hundreds of kilobytes of updates: those that nobody asked for stay in the database. Each other field
 * is named, since not every database gives those beside a slice that are not.
 */
const projectionOf = ({ newestUpdates }: IncidentPart) => ({ ...EACH_FIELD, updates: { $slice: -newestUpdates } });

function conditionsOf({ org, open, monitorId, publicOnly }: IncidentFilter): Filter<IncidentDocument> {
  return {
    ...(org !== null && { org }),
    ...(open === true && { resolvedAt: null }),
    ...(open === false && { resolvedAt: { $ne: null } }),
    ...(monitorId !== undefined && { monitorId }),
    ...(publicOnly === true && { isPublic: true }),
  };
}

function readIncident(document: unknown): Incident {
  const { _id, ...rest } = readDocument('incident', incidentSchema, document);
  return { id: _id, ...rest };
}
