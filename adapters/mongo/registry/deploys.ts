import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import { ENVIRONMENTS, type Environment } from '../../../domain/environment.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { DEPLOYS_KEPT, type DeployRecord } from '../../../domain/registry/deploy-record.ts';
import type { DeployRecordStore } from '../../../domain/registry/ports.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { decodeCursor, olderThan, timeAndId, toPage } from '../cursor.ts';
import { COLLECTIONS } from './indexes.ts';

interface DeployDocument {
  readonly _id: string;
  readonly serviceId: string;
  readonly environment: Environment;
  readonly at: Date;
  readonly [part: string]: unknown;
}

interface Target {
  readonly serviceId: string;
  readonly environment: Environment;
}

export interface DeployRecordOptions {
  readonly db: Db;
  /** Records of a service and environment that are kept; another number in tests only. */
  readonly kept?: number;
}

const text = z.string();
const names = z.array(text);
const NEWEST = { at: -1, _id: -1 } as const;

const deploySchema = z.object({
  _id: text,
  serviceId: text,
  environment: z.enum(ENVIRONMENTS),
  at: z.date(),
  manifest: z
    .object({
      commit: text,
      // Names of packages hold dots, which field names of documents may not.
      sdkVersions: z.array(z.tuple([text, text])).transform((versions) => Object.fromEntries(versions)),
      deployedBy: text,
    })
    .nullable()
    .default(null),
  snapshot: z
    .object({
      releaseId: text,
      commit: text.nullable(),
      imageDigest: text,
      port: z.int(),
      podTier: text,
      healthEndpoint: text,
      config: names,
      secrets: names,
    })
    .nullable()
    .default(null),
});

/** Manifests and snapshots of deploys in MongoDB: one document a build. */
export function createDeployRecordStore({ db, kept = DEPLOYS_KEPT }: DeployRecordOptions): DeployRecordStore {
  const collection = db.collection<DeployDocument>(COLLECTIONS.deploys);

  /** Writes the part unless it is there. */
  async function write(
    { buildId, serviceId, environment }: Parameters<DeployRecordStore['put']>[0],
    part: object,
    at: Date,
  ) {
    const [[name, value] = ['', null]] = Object.entries(part);
    const key = { _id: buildId, serviceId, environment };
    try {
      const absent = { ...key, [name]: { $exists: false } } as Filter<DeployDocument>;
      const update = { $set: { [name]: value }, $setOnInsert: { at } };
      await mongoCall(() => collection.updateOne(absent, update, { upsert: true }));
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const there = await mongoCall(() => collection.findOne({ _id: buildId }));
      if (there?.serviceId !== serviceId || there.environment !== environment) {
        throw new FairleadError('CONFLICT', `Build ${buildId} is of another service or environment`);
      }
      // Another part was written by somebody else at the same moment: now there is a document to write to.
      if (there[name] === undefined) await write({ buildId, serviceId, environment }, part, at);
    }
  }

  async function lastManifest({ serviceId, environment }: Target): Promise<DeployDocument | undefined> {
    const filter = { serviceId, environment, manifest: { $exists: true } } as Filter<DeployDocument>;
    const [document] = await mongoCall(() => collection.find(filter).sort(NEWEST).limit(1).toArray());
    return document;
  }

  /** The last manifest stays however many deploys failed after it: the next one is compared with it. */
  async function prune({ serviceId, environment }: Target): Promise<void> {
    const [oldestKept, outdated] = await mongoCall(() =>
      collection
        .find({ serviceId, environment })
        .sort(NEWEST)
        .skip(kept - 1)
        .limit(2)
        .toArray(),
    );
    if (oldestKept === undefined || outdated === undefined) return;
    const last = await lastManifest({ serviceId, environment });
    const older = {
      serviceId,
      environment,
      ...olderThan('at', [oldestKept.at.getTime(), oldestKept._id]),
    } as Filter<DeployDocument>;
    const filter = last === undefined ? older : { $and: [older, { _id: { $ne: last._id } }] };
    await mongoCall(() => collection.deleteMany(filter as Filter<DeployDocument>));
  }

  return {
    async put({ buildId, serviceId, environment }, part, at) {
      const stored =
        'manifest' in part
          ? { manifest: { ...part.manifest, sdkVersions: Object.entries(part.manifest.sdkVersions) } }
          : part;
      await write({ buildId, serviceId, environment }, stored, at);
      await prune({ serviceId, environment });
    },
    async list({ serviceId, environment }, { cursor, limit }) {
      const before = decodeCursor(cursor, timeAndId);
      const filter = { serviceId, environment, ...olderThan('at', before) } as Filter<DeployDocument>;
      const documents = await mongoCall(() =>
        collection
          .find(filter)
          .sort(NEWEST)
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readDeploy), limit, ({ at, buildId }) => [at.getTime(), buildId]);
    },
    async lastManifest(target) {
      const document = await lastManifest(target);
      return document === undefined ? null : readDeploy(document);
    },
    async removeService(serviceId) {
      await mongoCall(() => collection.deleteMany({ serviceId }));
    },
  };
}

function readDeploy(document: unknown): DeployRecord {
  const { _id, ...fields } = deploySchema.parse(document);
  return { buildId: _id, ...fields };
}
