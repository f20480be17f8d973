import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Binary, type Db } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../../../domain/clock.ts';
import { LOCKFILE_LIMIT_BYTES, requireReadable } from '../../../domain/deploys/build-lockfile.ts';
import type { BuildStore } from '../../../domain/deploys/build-store.ts';
import { mongoCall } from '../connect.ts';
import { createExpirySweep } from '../expiry-sweep.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS, LOCKFILE_EXPIRY } from './indexes.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** A lockfile of a build, compressed: a fifth of its text. */
const lockfileSchema = z.object({
  serviceId: z.string(),
  name: z.string(),
  content: z.instanceof(Binary),
  keptAt: z.date(),
});

type LockfileDocument = z.infer<typeof lockfileSchema> & { readonly _id: string };

/** Lockfiles that installs of builds wrote, in MongoDB: one document each, forgotten after a while. */
export function createBuildLockfiles(deps: {
  readonly db: Db;
  readonly now: Clock;
}): Pick<BuildStore, 'keepLockfile' | 'lockfileOf' | 'removeLockfiles'> {
  const collection = deps.db.collection<LockfileDocument>(COLLECTIONS.lockfiles);
  const sweep = createExpirySweep(deps, COLLECTIONS.lockfiles, LOCKFILE_EXPIRY);
  return {
    async keepLockfile({ buildId: id, serviceId }, { name, text }) {
      requireReadable({ name, text });
      await sweep();
      const document = { serviceId, name, content: new Binary(await compress(text)), keptAt: deps.now() };
      await upsertOnceMore(() => collection.replaceOne({ _id: id }, document, { upsert: true }));
    },
    async lockfileOf(id) {
      const document = await mongoCall(() => collection.findOne({ _id: id }));
      if (document === null) return null;
      const { name, content, keptAt } = lockfileSchema.parse(document);
      if (deps.now().getTime() - keptAt.getTime() >= LOCKFILE_EXPIRY.keptSeconds * 1_000) return null;
      const text = await decompress(content.buffer, { maxOutputLength: LOCKFILE_LIMIT_BYTES });
      return { name, text: text.toString('utf8') };
    },
    async removeLockfiles(serviceId) {
      await mongoCall(() => collection.deleteMany({ serviceId }));
    },
  };
}
