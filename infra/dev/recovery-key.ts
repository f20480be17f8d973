import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs, parseEnv } from 'node:util';
import {
  makeRecoveryKey,
  type RecoveryKey,
  readRecoveryKey,
  recipientOf,
  sealInstallationKeys,
} from '../../adapters/platform-backup/recovery-key.ts';
import { FairleadError } from '../../domain/errors.ts';
import { GENERATED_SECRETS } from '../../domain/services.ts';
import { makePrivateFolder } from './data-folder.ts';
import { defaultDataFolder, type Env } from './project.ts';
import { envLine, envLines, replaceEnvLine } from './recovery/env-lines.ts';
import { readRecipient, writeRecipient } from './recovery/recovery-file.ts';
import { isWithin } from './recovery/restore-platform.ts';
import { errorLine } from './terminal.ts';

/** `npm run recovery-key`: the key that opens backups of the platform, which is kept elsewhere than the platform. */

const USAGE = `usage: npm run recovery-key -- --out <file> [--replace]
       npm run recovery-key -- --key <file> [--replace]
       npm run recovery-key -- (--out <file> | --key <file>) --env-file <file> [--write <file>]

  --out <file>       makes a recovery key and writes it there. Take the file elsewhere, and keep it: without it no backup opens
  --key <file>       takes a recovery key that is there already
  --replace          later backups are for this key, and no more for the one before
  --env-file <file>  of an installation by containers: encrypts the keys that are lines of this file, and prints the line
                     PLATFORM_RECOVERY=… for the worker. Do it again whenever the file has another key
  --write <file>     puts that line into this file, in the place of the one that it has, and prints nothing. Whoever reads the
                     line can make backups that a restore believes: the file is closed to everybody but its owner

Without --env-file it is about the data folder (.fairlead, or FAIRLEAD_DATA_DIR): the next \`npm start\` backs up for the key.`;

const LINE = 'PLATFORM_RECOVERY';

interface Options {
  readonly out?: string | undefined;
  readonly key?: string | undefined;
  readonly envFile?: string | undefined;
  readonly write?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** @returns what standard output gets: a line for the worker, or nothing. @throws VALIDATION_FAILED, CONFLICT */
export async function useRecoveryKey(options: Options, env: Env, tell: (line: string) => void): Promise<string> {
  const { out, key, envFile, write, replace = false } = options;
  const isWhole = (out === undefined) !== (key === undefined) && (write === undefined || envFile !== undefined);
  if (!isWhole) throw new FairleadError('VALIDATION_FAILED', USAGE);
  const dataDir = defaultDataFolder(env);
  const before = envFile === undefined ? await readRecipient(dataDir) : null;
  const given = key === undefined ? null : readRecoveryKey(await readFile(key, 'utf8'));
  const isOther = before !== null && before.publicKey.x !== given?.privateKey.x;
  if (isOther && !replace) {
    const message = `${dataDir} has a recovery key already: give --replace for another one. Backups of until now open by the former alone`;
    throw new FairleadError('CONFLICT', message);
  }
  const installation = envFile === undefined ? null : await keysIn(envFile);
  const recoveryKey = given ?? (await writeNew(out ?? '', dataDir, tell));
  const recipient = recipientOf(recoveryKey);
  if (installation !== null) {
    const line = await sealInstallationKeys(recipient, installation);
    if (write === undefined) {
      tell('For the environment of the worker alone, and as secret as the keys: whoever has it can make backups');
      return envLine(LINE, line);
    }
    await replaceEnvLine(write, LINE, line);
    tell(`${LINE} is in ${write}, which its owner alone reads: for the environment of the worker alone`);
    return '';
  }
  await makePrivateFolder(dataDir);
  await writeRecipient(dataDir, recipient);
  tell(
    `The next \`npm start\` on ${dataDir} backs up for it. Where to: PLATFORM_BACKUP_DIR, or BACKUP_MIRROR_URL (docs/operate.md)`,
  );
  return '';
}

async function writeNew(path: string, dataDir: string, tell: (line: string) => void): Promise<RecoveryKey> {
  if (isWithin(path, dataDir)) {
    throw new FairleadError(
      'VALIDATION_FAILED',
      `${path} is in the data folder, and goes with it: name a file elsewhere`,
    );
  }
  const made = await makeRecoveryKey(new Date());
  await writeFile(path, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true }).catch(
    (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'EEXIST'
          ? 'is there already: it may be the only copy of a key'
          : `cannot be written (${cause.code})`;
      throw new FairleadError('CONFLICT', `${path} ${why}. Name another file`, { cause });
    },
  );
  tell(`The recovery key is in ${path}. Take it off this machine, and keep two copies: without it no backup opens.`);
  return made;
}

/** @throws VALIDATION_FAILED naming the keys of an installation that are not there, and one that a restore could not write again */
async function keysIn(envFile: string): Promise<Readonly<Record<string, string>>> {
  const lines = Object.entries(parseEnv(await readFile(envFile, 'utf8')));
  const keys = Object.fromEntries(
    lines.flatMap(([name, value]) => (value === undefined || value === '' || name === LINE ? [] : [[name, value]])),
  );
  const missing = GENERATED_SECRETS.map(({ variable }) => variable).filter((name) => keys[name] === undefined);
  envLines(keys);
  if (missing.length === 0) return keys;
  throw new FairleadError('VALIDATION_FAILED', `${envFile} lacks keys of the installation: ${missing.join(', ')}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      key: { type: 'string' },
      'env-file': { type: 'string' },
      write: { type: 'string' },
      replace: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const { out, key, replace, write, 'env-file': envFile } = values;
  const tell = (line: string): void => void process.stderr.write(`${line}\n`);
  process.stdout.write(await useRecoveryKey({ out, key, replace, envFile, write }, process.env, tell));
}

if (import.meta.main) {
  await main().catch((error) => {
    process.stderr.write(`fairlead: ${errorLine(error)}\n`);
    process.exitCode = 1;
  });
}
