import type { z } from 'zod';
import type { BackupPlace } from '../../domain/platform-backup/ports.ts';
import type { platformBackupPlaceSection } from '../env/platform-backup.ts';
import { createFolderStore } from '../folder-store/folder-store.ts';
import { createS3ObjectStore } from '../s3/object-store.ts';

/** Where the settings say that backups of the platform lie: the folder goes before the bucket. Null: they say nothing. */
export function configuredPlace(env: z.infer<z.ZodObject<typeof platformBackupPlaceSection>>): BackupPlace | null {
  if (env.PLATFORM_BACKUP_DIR !== undefined) return createFolderStore(env.PLATFORM_BACKUP_DIR);
  const { BACKUP_MIRROR_URL: endpoint, BACKUP_MIRROR_REGION: region, PLATFORM_BACKUP_BUCKET: bucket } = env;
  const { BACKUP_MIRROR_ACCESS_KEY: accessKey, BACKUP_MIRROR_SECRET_KEY: secretKey } = env;
  if (endpoint === undefined || accessKey === undefined || secretKey === undefined) return null;
  return createS3ObjectStore({ endpoint, bucket, region, accessKey, secretKey });
}
