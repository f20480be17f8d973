import type { Db, Filter, UpdateFilter } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import type { BuildRecord, BuildStep, Diagnostic } from '../../../domain/deploys/build.ts';
import type { BuildEnd, BuildFilter, BuildStore } from '../../../domain/deploys/build-store.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { type BuildStatus, statusesBefore } from '../../../domain/deploys/status.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { createAttachedRequests } from './attached-requests.ts';
import { createBuildLockfiles } from './build-lockfiles.ts';
import { createBuildOutlines } from './build-outlines.ts';
import { readBuild } from './documents.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import { COLLECTIONS } from './indexes.ts';

interface BuildDocument {
  readonly _id: string;
  readonly status: BuildStatus;
  readonly warnings: string[];
  readonly diagnostics: Diagnostic[];
  /** Absent where version 0.1 made the record. */
  readonly epoch?: number | null;
}

const OPEN = statusesBefore('failed');

/** Facts that are fields of the record as well (spec 2, "Build record": commitSha is backfilled). */
const BACKFILLED = ['commitSha', 'imageTag', 'imageDigest', 'releaseId', 'url', 'healthReportsCommit'] as const;

/** Build records in MongoDB: one document each, and every write conditional on the build being open. */
export function createBuildStore(deps: { db: Db; now: Clock }): BuildStore {
  const collection = deps.db.collection<BuildDocument>(COLLECTIONS.builds);

  /** True when the update matched. @throws BUILD_NOT_FOUND when there is no such build at all. */
  async function updateOpen(
    id: string,
    update: UpdateFilter<BuildDocument>,
    options: {
      statuses?: readonly BuildStatus[];
      arrayFilters?: Record<string, unknown>[];
      condition?: Filter<BuildDocument>;
    } = {},
  ): Promise<boolean> {
    const { statuses = OPEN, arrayFilters, condition = {} } = options;
    const filter: Filter<BuildDocument> = { ...condition, _id: id, status: { $in: [...statuses] } };
    const result = await mongoCall(() =>
      collection.updateOne(filter, update, arrayFilters === undefined ? {} : { arrayFilters }),
    );
    return result.matchedCount === 1;
  }

  async function requireOpenWrite(id: string, matched: boolean | Promise<boolean>): Promise<boolean> {
    if (await matched) return true;
    const exists = await mongoCall(() => collection.countDocuments({ _id: id }, { limit: 1 }));
    if (exists === 0) throw new FairleadError('BUILD_NOT_FOUND', `No build has the id ${id}`);
    return false;
  }

  return {
    ...createBuildOutlines(collection),
    ...createAttachedRequests(deps),
    ...createIdempotencyKeys(deps),
    ...createBuildLockfiles(deps),
    async create({ id, ...record }) {
      const change = { $setOnInsert: toDocument(record) } as UpdateFilter<BuildDocument>;
      const document = await upsertOnceMore(() =>
        collection.findOneAndUpdate({ _id: id }, change, { upsert: true, returnDocument: 'after' }),
      );
      if (document === null) throw new Error(`the record of build ${id} was neither found nor made`);
      return readBuild(document);
    },
    async find(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      return document === null ? null : readBuild(document);
    },
    async list(filter, { cursor, limit }) {
      const before = decodeCursor(cursor, timeAndId);
      const documents = await mongoCall(() =>
        collection
          .find({ ...queryOf(filter), ...olderThan('createdAt', before) } as Filter<BuildDocument>)
          .sort({ createdAt: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readBuild), limit, (build) => [build.createdAt.getTime(), build.id]);
    },
    async giveEpoch(id, epoch) {
      const without: Filter<BuildDocument> = { _id: id, status: { $in: [...OPEN] }, epoch: null };
      const { matchedCount } = await mongoCall(() => collection.updateOne(without, { $set: { epoch } }));
      if (matchedCount === 1) return epoch;
      const document = await mongoCall(() => collection.findOne({ _id: id }, { projection: { epoch: 1 } }));
      if (document === null) throw new FairleadError('BUILD_NOT_FOUND', `No build has the id ${id}`);
      if (typeof document.epoch === 'number') return document.epoch;
      throw new FairleadError('CONFLICT', `Build ${id} has ended before it installed anything`);
    },
    async setSteps(id, steps) {
      const update = { $set: { steps: steps.map(stepDocument) } };
      await requireOpenWrite(id, updateOpen(id, update, { condition: hasBegunAsIn(steps) }));
    },
    async markStep(id, { key, stage }, changes, { facts = {}, warnings = [], attempt } = {}) {
      const condition = attempt === undefined ? {} : mayWrite(key, attempt);
      const fields = Object.entries(changes).map(([field, value]) => [`steps.$[step].${field}`, value] as const);
      const set = { ...Object.fromEntries(fields), ...factsUpdate(facts) };
      const add = warnings.length === 0 ? {} : { $addToSet: { warnings: { $each: [...warnings] } } };
      const mark = (statuses: readonly BuildStatus[], more: object, update: object) => ({
        updateOne: {
          filter: { ...condition, _id: id, status: { $in: [...statuses] } },
          update: { $set: { ...set, ...more }, ...add, ...update },
          ...(fields.length === 0 ? {} : { arrayFilters: [{ 'step.key': key }] }),
        },
      });
      const startedAt = changes.startedAt ?? deps.now();
      // One call; each write is whole, and the second repeats what the first has done.
      const writes = [
        ...(entersStage(changes.state)
          ? [mark(statusesBefore(stage), { status: stage }, { $min: { startedAt } })]
          : []),
        ...(Object.keys(set).length + warnings.length > 0 ? [mark(OPEN, {}, {})] : []),
      ];
      if (writes.length === 0) return true;
      const { matchedCount } = await mongoCall(() => collection.bulkWrite(writes));
      return await requireOpenWrite(id, matchedCount > 0);
    },
    async addWarnings(id, warnings) {
      if (warnings.length === 0) return;
      // A set, so that a second attempt of the same step adds nothing.
      await requireOpenWrite(id, updateOpen(id, { $addToSet: { warnings: { $each: [...warnings] } } }));
    },
    async removeWarnings(id, warnings, { key, attempt }) {
      if (warnings.length === 0) return;
      const condition = mayWrite(key, attempt);
      await requireOpenWrite(id, updateOpen(id, { $pull: { warnings: { $in: [...warnings] } } }, { condition }));
    },
    async addDiagnostic(id, diagnostic) {
      await requireOpenWrite(id, updateOpen(id, { $addToSet: { diagnostics: diagnostic } }));
    },
    async setWaiting(id, waiting, at) {
      const { blockedGrants = [], ...times } = waiting ?? {};
      const update = { $set: { waiting: waiting === null ? null : times, blockedGrants: [...blockedGrants] } };
      const condition = at === undefined ? {} : mayWrite(at.key, at.attempt);
      return requireOpenWrite(id, updateOpen(id, update as UpdateFilter<BuildDocument>, { condition }));
    },
    async finish(id, end) {
      const { update, options } = endUpdate(end);
      return requireOpenWrite(id, updateOpen(id, update, options));
    },
    async finishUnbegun(id, end) {
      const { update, options } = endUpdate(end);
      return requireOpenWrite(id, updateOpen(id, update, { ...options, condition: hasBegunAsIn([]) }));
    },
  };
}

/** True of a build whose step is not in the hands of a later attempt, and was not ended by this one. */
function mayWrite(key: string, attempt: number): Filter<BuildDocument> {
  const own = { attempt, state: { $in: ['pending', 'running'] } };
  return { steps: { $elemMatch: { key, $or: [{ attempt: { $lt: attempt } }, own] } } } as Filter<BuildDocument>;
}

/** True of a build whose steps that have begun are these, in the same states. */
function hasBegunAsIn(steps: readonly BuildStep[]): Filter<BuildDocument> {
  const begun = steps.filter(({ startedAt }) => startedAt !== null);
  const same = begun.map(({ key, attempt, state }) => ({ steps: { $elemMatch: { key, attempt, state } } }));
  const other = { key: { $nin: begun.map(({ key }) => key) }, startedAt: { $ne: null } };
  const noOther = { $nor: [{ steps: { $elemMatch: other } }] };
  return { $and: [...same, noOther] } as Filter<BuildDocument>;
}

/** A step that is planned, skipped or called off says nothing about how far the build is. */
function entersStage(state: BuildStep['state'] | undefined): boolean {
  return state === 'running' || state === 'completed' || state === 'failed' || state === 'warned';
}

function endUpdate(end: BuildEnd) {
  const calledOff = end.reason === 'cancelled' || end.reason === 'superseded';
  const update = {
    $set: {
      ...end,
      waiting: null,
      // In this order: not every server judges both filters by the document as it was, as MongoDB does.
      'steps.$[unended].finishedAt': end.finishedAt,
      'steps.$[running].state': calledOff ? 'cancelled' : 'failed',
    },
  };
  const unended = { 'unended.state': 'running', 'unended.finishedAt': null };
  return { update, options: { arrayFilters: [{ 'running.state': 'running' }, unended] } };
}

function factsUpdate(facts: BuildFacts): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) set[`facts.${name}`] = value;
  }
  for (const name of BACKFILLED) {
    if (facts[name] !== undefined) set[name] = facts[name];
  }
  return set;
}

function queryOf(filter: BuildFilter): Record<string, unknown> {
  const conditions: Record<string, unknown>[] = [];
  if (filter.serviceId !== undefined) conditions.push({ serviceId: filter.serviceId });
  if (filter.serviceIds !== undefined) conditions.push({ serviceId: { $in: [...filter.serviceIds] } });
  if (filter.environment !== undefined) conditions.push({ environment: filter.environment });
  if (filter.status !== undefined) conditions.push({ status: filter.status });
  if (filter.open === true) conditions.push({ status: { $in: [...OPEN] } });
  return conditions.length === 0 ? {} : { $and: conditions };
}

/** Null times are left out, so that `$min` can set the first start atomically. */
function toDocument({ startedAt, ...rest }: Omit<BuildRecord, 'id'>): Record<string, unknown> {
  const { finishedAt, steps, ...fields } = rest;
  return {
    ...fields,
    steps: steps.map(stepDocument),
    ...(startedAt === null ? {} : { startedAt }),
    ...(finishedAt === null ? {} : { finishedAt }),
  };
}

function stepDocument(step: BuildStep): BuildStep {
  return { ...step, warnings: [...step.warnings] };
}
