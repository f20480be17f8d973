import { FairleadError } from '../errors.ts';

/** What the archives of one org may take together. */
export interface UploadQuota {
  readonly bytes: number;
  readonly archives: number;
}

/** Ten archives of the largest size, and more small ones than builds of one org wait at any time. */
export const UPLOAD_QUOTA: UploadQuota = { bytes: 1024 ** 3, archives: 100 };

/** An archive that is younger may belong to a build that is not recorded yet. */
const RECORDED_AFTER_MS = 10 * 60 * 1000;

export interface KeptUpload {
  readonly id: string;
  readonly sizeBytes: number;
  readonly savedAt: Date;
}

/**
 * Keeps an org below its quota: archives whose builds have ended make room, the oldest first. None does for an upload
 * that is larger than the whole quota.
 * @param kept what the org has, with the new upload
 * @throws UPLOAD_QUOTA_EXCEEDED when builds still need what is left, or the upload alone is too large
 */
export async function makeRoom<T extends KeptUpload>(
  kept: readonly T[],
  options: {
    readonly org: string;
    readonly quota: UploadQuota;
    readonly now: Date;
    readonly isNeeded: (id: string) => Promise<boolean>;
    readonly remove: (upload: T) => Promise<void>;
  },
): Promise<void> {
  const { org, quota, now, isNeeded, remove } = options;
  const left = { bytes: kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0), archives: kept.length };
  const oldestFirst = kept.toSorted((one, other) => one.savedAt.getTime() - other.savedAt.getTime());
  const size = oldestFirst.at(-1)?.sizeBytes ?? 0;
  if (size > quota.bytes) {
    const message = `This upload has ${mib(size)}, and all uploads of ${org} together may have ${mib(quota.bytes)}: name what the build does not need in .gitignore, deploy from git, or ask an operator to raise ORG_UPLOAD_QUOTA_BYTES`;
    throw new FairleadError('UPLOAD_QUOTA_EXCEEDED', message, { details: { quota } });
  }
  const fits = () => left.bytes <= quota.bytes && left.archives <= quota.archives;
  for (const upload of oldestFirst) {
    if (fits()) return;
    if (now.getTime() - upload.savedAt.getTime() < RECORDED_AFTER_MS || (await isNeeded(upload.id))) continue;
    await remove(upload);
    left.bytes -= upload.sizeBytes;
    left.archives -= 1;
  }
  if (fits()) return;
  const message = `Uploads of ${org} may take ${mib(quota.bytes)} in ${quota.archives} archives until they are built; retry when builds have ended, or cancel some`;
  throw new FairleadError('UPLOAD_QUOTA_EXCEEDED', message, { details: { quota } });
}

const mib = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
