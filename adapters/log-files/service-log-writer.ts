import { join } from 'node:path';
import type { Clock } from '../../domain/clock.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ServiceLogTarget, ServiceLogWriter } from '../../domain/logs/service-log.ts';
import { isServiceId, type LogFolder, namesIn, serviceLogFolder } from './log-folder.ts';
import { bytesOf, retireFiles } from './retire-files.ts';
import { shareQuota } from './share-quota.ts';
import type { LogFileLimits } from './write-log.ts';
import { createWrittenLogs } from './written-logs.ts';

interface WriterOptions {
  readonly directory: string;
  readonly requireWriter: () => Promise<void>;
  readonly limits: LogFileLimits;
  readonly quotaBytes: number;
  /** The org of a service; null for one that is not known. */
  readonly orgOf: (serviceId: string) => Promise<string | null>;
  readonly now: Clock;
}

/** The one writer of the logs of services, until `requireWriter` refuses it. */
export function createServiceLogWriter(options: WriterOptions): ServiceLogWriter {
  const { directory, requireWriter, limits, quotaBytes, orgOf, now } = options;
  const written = createWrittenLogs({ requireWriter, limits, now });
  let looking: Promise<void> | null = null;

  const ownersOf = async (logs: readonly FoundLog[], onError: (error: unknown) => void) => {
    const owners = new Map<string, string>();
    for (const serviceId of new Set(logs.map((log) => log.serviceId))) {
      const org = await orgOf(serviceId).catch(onError);
      owners.set(serviceId, typeof org === 'string' ? `org ${org}` : serviceId);
    }
    return owners;
  };
  const lookNow = async (): Promise<void> => {
    await requireWriter();
    const failed: unknown[] = [];
    const onError = (error: unknown): void => void failed.push(error);
    const retire = (folder: LogFolder) => retireFiles(folder, limits, requireWriter).catch(onError);
    const logs: (FoundLog & { readonly bytes: number })[] = [];
    for (const log of await foundLogs(directory)) {
      await written.rotateIfDue(log.folder).catch(onError);
      await retire(log.folder);
      // One whose files could not be compressed, such as on a full disk, takes most.
      await bytesOf(log.folder).then((bytes) => void logs.push({ ...log, bytes }), onError);
    }
    if (logs.reduce((sum, { bytes }) => sum + bytes, 0) > quotaBytes) {
      const owners = await ownersOf(logs, onError);
      const owned = logs.map((log) => ({ ...log, owner: owners.get(log.serviceId) ?? log.serviceId }));
      const rotate = async (folder: LogFolder): Promise<number> => {
        await written.rotate(folder);
        await retire(folder);
        return await bytesOf(folder);
      };
      await shareQuota(owned, { quotaBytes, requireWriter, rotate, onError });
    }
    // One log must not keep the others from being looked after.
    if (failed.length > 0) throw failed[0];
  };

  return {
    async open(target: ServiceLogTarget) {
      const folder = serviceLogFolder(directory, target);
      if (folder === null) throw new FairleadError('INTERNAL', `${target.serviceId} is no id of a service`);
      return await written.open(folder);
    },
    look() {
      looking ??= lookNow().finally(() => {
        looking = null;
      });
      return looking;
    },
  };
}

interface FoundLog {
  readonly serviceId: string;
  readonly folder: LogFolder;
}

async function foundLogs(directory: string): Promise<readonly FoundLog[]> {
  const found: FoundLog[] = [];
  for (const serviceId of (await namesIn(directory)).filter(isServiceId)) {
    for (const name of await namesIn(join(directory, serviceId))) {
      const environment = environmentSchema.safeParse(name).data;
      const folder = environment === undefined ? null : serviceLogFolder(directory, { serviceId, environment });
      if (folder !== null) found.push({ serviceId, folder });
    }
  }
  return found;
}
