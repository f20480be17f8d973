import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { platformBackupPlaceSection } from '../../adapters/env/platform-backup.ts';
import { readSection } from '../../adapters/env.ts';
import { createFolderStore } from '../../adapters/folder-store/folder-store.ts';
import { ownVersion } from '../../adapters/own-version.ts';
import { readRecoveryKey } from '../../adapters/platform-backup/recovery-key.ts';
import { createS3ObjectStore } from '../../adapters/s3/object-store.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { BackupPlace } from '../../domain/platform-backup/ports.ts';
import { defaultDataFolder, type Env } from './project.ts';
import { restorePlatform } from './recovery/restore-platform.ts';
import { createReporter, errorLine } from './terminal.ts';

/** `npm run restore-platform`: brings an installation back from a backup of the platform, on a machine that has none. */

const USAGE = `usage: npm run restore-platform -- --from <folder or address> --key <file> [--backup <id>]
                                   [--env-file <file> [--keys-only]]

  --from <where>     the folder of PLATFORM_BACKUP_DIR, or a bucket: https://s3.example.com/platform-backups, with
                     BACKUP_MIRROR_ACCESS_KEY and BACKUP_MIRROR_SECRET_KEY in the environment
  --key <file>       the recovery key
  --backup <id>      this backup (default: the newest complete one, where it is not older than two days)
  --env-file <file>  of an installation by containers: writes the keys there as lines, and not into the data folder
  --keys-only        writes nothing else: its database server starts with a password of that file

It restores into the data folder (.fairlead, or FAIRLEAD_DATA_DIR) and its MongoDB, or the one of MONGODB_URI. Both have to be empty.
It reads the whole backup first and refuses before it writes anything. One that was cut off is repeated by the same command.`;

/** @throws VALIDATION_FAILED */
export function placeOf(from: string, env: Env): BackupPlace {
  if (!/^https?:\/\//.test(from)) return createFolderStore(resolve(from));
  const { origin, pathname } = new URL(from);
  const bucket = pathname.replaceAll('/', '');
  const { BACKUP_MIRROR_REGION: region, ...keys } = readSection(platformBackupPlaceSection, env);
  const { BACKUP_MIRROR_ACCESS_KEY: accessKey, BACKUP_MIRROR_SECRET_KEY: secretKey } = keys;
  if (bucket === '' || accessKey === undefined || secretKey === undefined) {
    const message =
      'A bucket is named as https://s3.example.com/<bucket>, with BACKUP_MIRROR_ACCESS_KEY and BACKUP_MIRROR_SECRET_KEY set';
    throw new FairleadError('VALIDATION_FAILED', message);
  }
  return createS3ObjectStore({ endpoint: origin, bucket, region, accessKey, secretKey });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      key: { type: 'string' },
      backup: { type: 'string' },
      'env-file': { type: 'string' },
      'keys-only': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const { from, key, backup: backupId, 'env-file': envFile, 'keys-only': keysOnly } = values;
  if (from === undefined || key === undefined || (keysOnly && envFile === undefined))
    throw new FairleadError('VALIDATION_FAILED', USAGE);
  const recoveryKey = readRecoveryKey(await readFile(key, 'utf8'));
  const report = createReporter(process.stderr);
  const dataDir = defaultDataFolder(process.env);
  const place = placeOf(from, process.env);
  const options = { place, recoveryKey, backupId, version: await ownVersion(), now: new Date() };
  const { id } = await restorePlatform({ ...options, dataDir, env: process.env, envFile, keysOnly, report });
  const next = 'Next: npm start, and what docs/operate.md says under "After a restore"';
  console.log(keysOnly ? `The keys of ${id} are in ${envFile}` : `${id} is restored into ${dataDir}. ${next}`);
}

if (import.meta.main) {
  // Interrupted, it is repeated: it has no clean-up to wait for, and its server ends with it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
  await main()
    .then(() => process.exit(0))
    .catch((error) => {
      process.stderr.write(`fairlead: ${errorLine(error)}\n`);
      process.exit(1);
    });
}
