import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { LOG_ROTATION } from '../../domain/logs/rotation.ts';
import type { ServiceLogs } from '../../domain/logs/service-log.ts';
import { isServiceId, namesIn } from './log-folder.ts';
import { createLogReader } from './read-log.ts';
import { createServiceLogWriter } from './service-log-writer.ts';
import type { LogFileLimits } from './write-log.ts';

export interface ServiceLogOptions {
  /** `DATA_DIR/service-logs`; made when it is missing. */
  readonly directory: string;
  readonly limits?: Partial<LogFileLimits>;
  /** Of the logs of all services. */
  readonly quotaBytes?: number;
  /** The org of a service, so that no org takes the room of others by many services; null for one that is not known. */
  readonly orgOf?: (serviceId: string) => Promise<string | null>;
  readonly now?: Clock;
}

const MIB = 1024 ** 2;
const LIMITS: LogFileLimits = { ...LOG_ROTATION, noteEveryBytes: MIB / 4 };

/** What the logs of all services may take on the disk together. */
const QUOTA_BYTES = 4 * 1024 * MIB;

/**
 * The logs of services as files: `<service id>/<environment>/<number>.jsonl`, one line of JSON for each line, readable for
 * their owner alone. A rotation begins the file of the next number; the others are compressed, and the oldest removed.
 * Nothing is renumbered, so a place in a log stays what it is. One process writes, any number read.
 */
export function createServiceLogs({ directory, limits, quotaBytes, orgOf, now }: ServiceLogOptions): ServiceLogs {
  const serviceIds = async () => (await namesIn(directory)).filter(isServiceId);
  return {
    ...createLogReader(directory),
    async takeOver() {
      const writer = randomUUID();
      await nameWriter(directory, writer);
      return createServiceLogWriter({
        directory,
        requireWriter: () => requireCurrent(directory, writer),
        limits: { ...LIMITS, ...limits },
        quotaBytes: quotaBytes ?? QUOTA_BYTES,
        orgOf: orgOf ?? (async () => null),
        now: now ?? (() => new Date()),
      });
    },
    async remove(serviceId) {
      if (isServiceId(serviceId)) await rm(join(directory, serviceId), { recursive: true, force: true });
    },
    serviceIds,
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
