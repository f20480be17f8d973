import type { Collection, Filter } from 'mongodb';
import { z } from 'zod';
import { FAILURE_REASONS } from '../../../domain/deploys/build.ts';
import type { BuildOutline, BuildStore } from '../../../domain/deploys/build-store.ts';
import { BUILD_STATUSES, type BuildStatus, isTerminal, statusesBefore } from '../../../domain/deploys/status.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';

const FIELDS = {
  serviceId: 1,
  service: 1,
  environment: 1,
  createdAt: 1,
  imageTag: 1,
  imageDigest: 1,
  releaseId: 1,
} as const;
const NEWEST = { createdAt: -1, _id: -1 } as const;
const IS_OPEN = { status: { $in: [...statusesBefore('failed')] } };

const outlineSchema = z.object({
  _id: z.string(),
  serviceId: z.string(),
  service: z.string(),
  environment: z.enum(ENVIRONMENTS),
  createdAt: z.date(),
  imageTag: z.string().nullable(),
  imageDigest: z.string().nullable(),
  releaseId: z.string().nullable(),
});

const statusSchema = z.object({
  _id: z.string(),
  status: z.enum(BUILD_STATUSES),
  reason: z.enum(FAILURE_REASONS).nullable(),
});

type Outlines = Pick<BuildStore, 'listOpen' | 'stateOf' | 'statusesOf' | 'newest' | 'needsArchive'>;

/** Short answers about builds in MongoDB, for whoever goes through many of them. They read no plan, facts or log lines. */
export function createBuildOutlines<T extends { readonly _id: string }>(collection: Collection<T>): Outlines {
  return {
    async listOpen(target, { cursor, limit }) {
      const before = decodeCursor(cursor, timeAndId);
      const filter = { $and: [{ ...target, ...IS_OPEN }, olderThan('createdAt', before)] } as Filter<T>;
      const documents = await mongoCall(() =>
        collection
          .find(filter, { projection: FIELDS })
          .sort(NEWEST)
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readOutline), limit, (build) => [build.createdAt.getTime(), build.id]);
    },
    async stateOf(id) {
      const filter = { _id: id } as Filter<T>;
      const document = await mongoCall(() =>
        collection.findOne<{ status: BuildStatus }>(filter, { projection: { status: 1 } }),
      );
      if (document === null) return null;
      return isTerminal(document.status) ? 'ended' : 'open';
    },
    async statusesOf(ids) {
      if (ids.length === 0) return new Map();
      const filter = { _id: { $in: [...ids] } } as unknown as Filter<T>;
      const projection = { status: 1, reason: 1 };
      const documents = await mongoCall(() => collection.find(filter, { projection }).toArray());
      const found = documents.map((document) => statusSchema.parse(document));
      return new Map(found.map(({ _id, status, reason }) => [_id, { status, reason }]));
    },
    async newest({ service, environment }) {
      const filter = { service, environment } as unknown as Filter<T>;
      const document = await mongoCall(() => collection.findOne(filter, { projection: FIELDS, sort: NEWEST }));
      return document === null ? null : readOutline(document);
    },
    async needsArchive(archiveId) {
      const filter = { ...IS_OPEN, 'source.archiveId': archiveId, waiting: null } as unknown as Filter<T>;
      return (await mongoCall(() => collection.countDocuments(filter, { limit: 1 }))) > 0;
    },
  };
}

function readOutline(document: unknown): BuildOutline {
  const { _id, ...rest } = outlineSchema.parse(document);
  return { id: _id, ...rest };
}
