import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { parseEnv } from 'node:util';
import type { Db } from 'mongodb';
import { readServiceDatabase, type StoringRow } from '../../../adapters/env/service-database.ts';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { recipientOf } from '../../../adapters/platform-backup/recovery-key.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type StoringServiceName, serviceRow } from '../../../domain/services.ts';
import { lockDataFolder, prepareDataFolder, writePrivateText } from '../data-folder.ts';
import { mongo } from '../parts/mongo.ts';
import type { Env } from '../project.ts';
import { describePart, partVariables } from '../stack-parts.ts';
import { startOnPorts } from '../stack-ports.ts';
import { readSecrets, writeSecrets } from '../stack-secrets.ts';
import { createSupervisor } from '../supervisor.ts';
import type { Reporter } from '../terminal.ts';
import { envLines } from './env-lines.ts';
import { type OpenBackupOptions, openBackup } from './open-backup.ts';
import { writeRecipient } from './recovery-file.ts';
import { endRestore, type RestoreTarget, requireFree, restoreInstallation } from './restore-installation.ts';
import { MARK_FILE, readMark, writeMark } from './restore-mark.ts';

export interface RestorePlatformOptions extends OpenBackupOptions {
  readonly dataDir: string;
  /** Where the databases are: the embedded server, unless MONGODB_URI is set. */
  readonly env: Env;
  /** Of an installation by containers: the keys are lines of this file, and not of the data folder. */
  readonly envFile: string | undefined;
  /** Nothing but the file of keys: a database server that is to be started first has its password from there. */
  readonly keysOnly?: boolean;
  readonly report: Reporter;
}

export interface RestoredPlatform {
  readonly id: string;
  readonly startedAt: string;
  readonly version: string;
}

/**
 * Restores a backup of the platform into an empty installation. Before it writes anything it has read all of the backup, and looked at the
 * installation. Cut off, it is repeated by the same call.
 * @throws NOT_RESTORABLE for a backup, CONFLICT for an installation that is not empty
 */
export async function restorePlatform(options: RestorePlatformOptions): Promise<RestoredPlatform> {
  const { dataDir, env, report } = options;
  const mark = await readMark(dataDir);
  if (mark?.stage === 'written' && (options.backupId ?? mark.backupId) === mark.backupId) {
    report.line(`${mark.backupId}: everything is there, and it is made usable`);
    await withTarget(options, undefined, (target) => endRestore(mark, target));
    return { id: mark.backupId, startedAt: mark.startedAt, version: mark.version };
  }
  const backup = await openBackup({ ...options, backupId: options.backupId ?? mark?.backupId });
  const { id, startedAt, version, parts } = backup.manifest;
  report.line(
    `${id}, begun ${startedAt} (${backup.age}) by version ${version}: ${parts.length} parts, ${Object.keys(backup.keys).length} keys`,
  );
  await requireEmptyFolder(dataDir, id);
  await requireOwnEnvFile(options.envFile, backup.keys);
  if (options.keysOnly === true && options.envFile !== undefined) {
    await writePrivateText(options.envFile, envLines(backup.keys));
    return { id, startedAt, version };
  }
  const outside = parts.flatMap(({ name }) => outsideService(name, env));
  if (outside.length > 0) {
    const { database, close } = connections(env);
    await requireFree({ database }, outside, id).finally(close);
  }
  await backup.verify(({ name, bytes }) => report.line(`checking ${name} (${bytes} bytes)`));
  await withTarget(options, id, (target) =>
    restoreInstallation(backup, target, (name) => report.line(`restoring ${name}`)),
  );
  return { id, startedAt, version };
}

/** Runs with the folder locked, and with the databases, whose server is started once one is asked for. @param emptyFor a backup; undefined: the folder has one */
async function withTarget(
  options: RestorePlatformOptions,
  emptyFor: string | undefined,
  work: (target: RestoreTarget) => Promise<void>,
): Promise<void> {
  const { dataDir, env } = options;
  await prepareDataFolder(dataDir);
  const unlock = await lockDataFolder(dataDir);
  try {
    if (emptyFor !== undefined) await requireEmptyFolder(dataDir, emptyFor);
    const server = embeddedServer(options);
    let opened: ReturnType<typeof connections> | undefined;
    try {
      await work({
        readMark: () => readMark(dataDir),
        writeMark: (next) => writeMark(dataDir, next),
        writeKeys: async (keys) => {
          if (options.envFile === undefined) await writeSecrets(dataDir, keys);
          else await writePrivateText(options.envFile, envLines(keys));
          await writeRecipient(dataDir, recipientOf(options.recoveryKey));
        },
        database: async (service) => {
          opened ??= connections(env.MONGODB_URI ? env : { ...env, ...(await server.start()) });
          return await opened.database(service);
        },
        folder: (name) => join(dataDir, name),
      });
    } finally {
      await opened?.close();
      await server.stop();
    }
  } finally {
    await unlock();
  }
}

/** The service of a part whose database is on a server of its own; none for what the data folder has. @param part as manifests name it */
function outsideService(part: string, env: Env): readonly StoringServiceName[] {
  const service = part.replace('database/', '') as StoringServiceName;
  if (service === part) return [];
  const { databaseUriVariable } = serviceRow(service);
  return env.MONGODB_URI || (databaseUriVariable !== null && env[databaseUriVariable]) ? [service] : [];
}

/** What a start leaves in a folder before it has anything of its own. */
const OF_NOBODY: ReadonlySet<string> = new Set(['.gitignore', 'logs', 'stack.lock', MARK_FILE]);

/** @throws CONFLICT for a folder that has anything, but what a restore of the same backup left */
async function requireEmptyFolder(dataDir: string, backupId: string): Promise<void> {
  const mark = await readMark(dataDir);
  if (mark?.backupId === backupId) return;
  if (mark !== null) {
    const message = `The restore of ${mark.backupId} into ${dataDir} was cut off: go on with it by --backup ${mark.backupId}, or remove the folder`;
    throw new FairleadError('CONFLICT', message);
  }
  const found = existsSync(dataDir) ? (await readdir(dataDir)).filter((name) => !OF_NOBODY.has(name)) : [];
  if (found.length === 0) return;
  const message = `${dataDir} is not empty (${found.slice(0, 5).join(', ')}): a backup is restored into an empty installation. Choose another folder by FAIRLEAD_DATA_DIR`;
  throw new FairleadError('CONFLICT', message);
}

/** @throws CONFLICT for a file that has anything but these keys; VALIDATION_FAILED for a key that no line gives back */
async function requireOwnEnvFile(path: string | undefined, keys: Readonly<Record<string, string>>): Promise<void> {
  if (path === undefined) return;
  const has = existsSync(path) ? parseEnv(await readFile(path, 'utf8')) : {};
  const isSame = Object.entries(has).every(([name, value]) => keys[name] === value);
  if (!isSame) throw new FairleadError('CONFLICT', `${path} has other keys already: name a file that is not there`);
  envLines(keys);
}

function connections(env: Env) {
  const opened = new Map<string, ReturnType<typeof connectMongo>>();
  return {
    async database(service: StoringServiceName): Promise<Db> {
      const { uri, database } = readServiceDatabase(serviceRow(service) as StoringRow, env);
      const connection = opened.get(service) ?? connectMongo(uri, 'fairlead-restore', database);
      opened.set(service, connection);
      return (await connection).db;
    },
    async close(): Promise<void> {
      for (const connection of opened.values()) await connection.then(({ close }) => close()).catch(() => undefined);
    },
  };
}

/** The MongoDB of the data folder alone, without anything that uses it. */
function embeddedServer({ dataDir, env, report }: RestorePlatformOptions) {
  let stop = async (): Promise<void> => undefined;
  return {
    async start(): Promise<Env> {
      return await startOnPorts('free', { env, needed: ['mongo'], report }, async ({ ports, handOver, release }) => {
        const { secret, values } = await readSecrets(dataDir);
        const context = { dataDir, ports, secret, env, report };
        const supervisor = createSupervisor({ logFolder: join(dataDir, 'logs'), secrets: values });
        stop = async () => {
          await supervisor.stop();
          await release();
        };
        const { children } = await describePart(mongo, context);
        await handOver(['mongo']);
        try {
          for (const child of children) await supervisor.start(child);
        } catch (error) {
          await supervisor.stop();
          throw error;
        }
        return (await partVariables([mongo], context)).everyProcess;
      });
    },
    stop: () => stop(),
  };
}

/** Whether a path lies in a folder, or is it. */
export function isWithin(path: string, folder: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
}
