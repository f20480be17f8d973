import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError } from '../../domain/errors.ts';
import type { ServiceLogs } from '../../domain/logs/service-log.ts';
import { isMissing, isServiceId, logFolder } from './log-folder.ts';
import { createLogReader } from './read-log.ts';
import { type LogFileLimits, openLog } from './write-log.ts';

export interface ServiceLogOptions {
  /** `DATA_DIR/service-logs`; made when it is missing. */
  readonly directory: string;
  readonly limits?: Partial<LogFileLimits>;
}

const MIB = 1024 ** 2;
/** Two files of a service in an environment: 20 MiB. */
const LIMITS: LogFileLimits = { fileBytes: 10 * MIB, files: 2, noteEveryBytes: MIB / 4 };

/**
 * The logs of services as files: `<service id>/<environment>/<number>.jsonl`, one line of JSON for each line, readable for
 * their owner alone. A rotation begins the file of the next number and removes the oldest: nothing is renamed, so a place
 * in a log stays what it is. One process writes, any number read.
 */
export function createServiceLogs({ directory, limits }: ServiceLogOptions): ServiceLogs {
  return {
    ...createLogReader(directory),
    async takeOver() {
      const writer = randomUUID();
      await nameWriter(directory, writer);
      const requireWriter = () => requireCurrent(directory, writer);
      return {
        async open(target) {
          const folder = logFolder(directory, target);
          if (folder === null) throw new FairleadError('INTERNAL', `${target.serviceId} is no id of a service`);
          return await openLog(folder, { requireWriter, limits: { ...LIMITS, ...limits } });
        },
      };
    },
    async remove(serviceId) {
      if (isServiceId(serviceId)) await rm(join(directory, serviceId), { recursive: true, force: true });
    },
    async serviceIds() {
      const names = await readdir(directory).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      return names.filter(isServiceId);
    },
  };
}

/** The file that names the one writer. A new one takes it over in one step; earlier ones find out before they write. */
const writerPath = (directory: string): string => join(directory, 'writer');

async function nameWriter(directory: string, writer: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${writerPath(directory)}.${writer}`;
  try {
    await writeFile(draft, writer, { mode: 0o600 });
    await rename(draft, writerPath(directory));
  } finally {
    await rm(draft, { force: true });
  }
}

async function requireCurrent(directory: string, writer: string): Promise<void> {
  const current = await readFile(writerPath(directory), 'utf8');
  if (current === writer) return;
  throw new FairleadError('CONFLICT', 'Another process writes the logs of services by now');
}
