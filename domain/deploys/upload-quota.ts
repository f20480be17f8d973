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
 * Keeps an org below its quota: archives whose builds have ended make room, the oldest first.
 * @param kept what the org has, with the new upload
 * @throws UPLOAD_QUOTA_EXCEEDED when builds still need what is left
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
  const fits = () => left.bytes <= quota.bytes && left.archives <= quota.archives;
  for (const upload of kept.toSorted((one, other) => one.savedAt.getTime() - other.savedAt.getTime())) {
    if (fits()) return;
    if (now.getTime() - upload.savedAt.getTime() < RECORDED_AFTER_MS || (await isNeeded(upload.id))) continue;
    await remove(upload);
    left.bytes -= upload.sizeBytes;
    left.archives -= 1;
  }
  if (fits()) return;
  const mib = Math.floor(quota.bytes / 1024 ** 2);
  const message = `Uploads of ${org} may take ${mib} MiB in ${quota.archives} archives until they are built; retry when builds have ended, or cancel some`;
  throw new FairleadError('UPLOAD_QUOTA_EXCEEDED', message, { details: { quota } });
}
