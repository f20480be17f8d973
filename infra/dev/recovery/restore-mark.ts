import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { parseJson } from '../../../domain/parse-json.ts';
import { platformParts } from '../../../domain/platform-backup/parts.ts';
import { writePrivateJson } from '../data-folder.ts';

const STORING = platformParts().flatMap((part) => (part.kind === 'database' ? [part.name] : []));

/** `restore.json` of a data folder, from the first thing that a restore writes there to the last. */
const markSchema = z.discriminatedUnion('stage', [
  z.strictObject({
    /** `pbk_…` */
    backupId: z.string(),
    stage: z.literal('writing'),
  }),
  /** Everything is there, and what marks half a restore is taken away: nothing else of the backup is needed for that than this. */
  z.strictObject({
    backupId: z.string(),
    stage: z.literal('written'),
    /** Of the backup, as its manifest has them. */
    startedAt: z.string(),
    version: z.string(),
    /** Whose databases are marked. */
    services: z.array(z.enum(STORING)),
  }),
]);

export type RestoreMark = z.infer<typeof markSchema>;
export type WrittenMark = Extract<RestoreMark, { readonly stage: 'written' }>;

export const MARK_FILE = 'restore.json';

export async function readMark(dataDir: string): Promise<RestoreMark | null> {
  const text = await readFile(join(dataDir, MARK_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : markSchema.parse(parseJson(text));
}

/** @param mark null: the restore has ended */
export async function writeMark(dataDir: string, mark: RestoreMark | null): Promise<void> {
  if (mark === null) await rm(join(dataDir, MARK_FILE), { force: true });
  else await writePrivateJson(join(dataDir, MARK_FILE), mark);
}

/** @throws CONFLICT for a folder whose restore was cut off: half a platform would start, and write over what is missing */
export async function refuseHalfRestored(dataDir: string): Promise<void> {
  const mark = await readMark(dataDir);
  if (mark === null) return;
  throw new FairleadError(
    'CONFLICT',
    `the restore of ${mark.backupId} into ${dataDir} was cut off: run it again with --backup ${mark.backupId}, or remove the folder`,
  );
}
