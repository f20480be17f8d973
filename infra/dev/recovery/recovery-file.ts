import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Recipient,
  recipientSchema,
  sealInstallationKeys,
} from '../../../adapters/platform-backup/recovery-key.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { parseJson } from '../../../domain/parse-json.ts';
import { GENERATED_SECRETS } from '../../../domain/services.ts';
import { writePrivateJson } from '../data-folder.ts';
import type { Env } from '../project.ts';
import type { StackSecrets } from '../stack-secrets.ts';

/** `recovery.json` of a data folder: for whom its stack encrypts backups of the platform. It opens none. */
const pathIn = (dataDir: string): string => join(dataDir, 'recovery.json');

/** Null where nobody made a recovery key. @throws VALIDATION_FAILED */
export async function readRecipient(dataDir: string): Promise<Recipient | null> {
  const text = await readFile(pathIn(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const { data } = recipientSchema.safeParse(parseJson(text));
  if (data !== undefined) return data;
  throw new FairleadError(
    'VALIDATION_FAILED',
    `${pathIn(dataDir)} is damaged: write it again by \`npm run recovery-key -- --key <file>\``,
  );
}

export async function writeRecipient(dataDir: string, recipient: Recipient): Promise<void> {
  await writePrivateJson(pathIn(dataDir), recipient);
}

/**
 * The keys of a stack as they are now, those of its operator before those that it made, encrypted for the recovery key: what its worker gets
 * as PLATFORM_RECOVERY. So the worker, which makes backups, never holds the keys of people. Empty where there is no recovery key.
 */
export async function sealedKeysOf({
  dataDir,
  secrets,
  env,
}: {
  readonly dataDir: string;
  readonly secrets: Pick<StackSecrets, 'all'>;
  readonly env: Env;
}): Promise<string> {
  const recipient = await readRecipient(dataDir);
  if (recipient === null) return '';
  const given = GENERATED_SECRETS.flatMap(({ variable }) =>
    env[variable] ? [[variable, env[variable]] as const] : [],
  );
  return await sealInstallationKeys(recipient, { ...secrets.all, ...Object.fromEntries(given) });
}
