import { stat } from 'node:fs/promises';
import type { Clock } from '../../domain/clock.ts';
import { isRotationDue } from '../../domain/logs/rotation.ts';
import type { OpenServiceLog } from '../../domain/logs/service-log.ts';
import { fileNumbers, filePath, isMissing, type LogFolder } from './log-folder.ts';
import { type LogFileLimits, type OpenLogFiles, openLog } from './write-log.ts';

interface WrittenLogsOptions {
  readonly requireWriter: () => Promise<void>;
  readonly limits: LogFileLimits;
  readonly now: Clock;
}

/** The logs of one writer: those that are open, and the silent ones, which it opens for a rotation alone. */
export interface WrittenLogs {
  open(folder: LogFolder): Promise<OpenServiceLog>;
  /** Begins the next file of a log, open or silent, when a day (UTC) has begun since its last line. */
  rotateIfDue(folder: LogFolder): Promise<void>;
  /** Begins the next file of a log, open or silent, if the newest has a line. */
  rotate(folder: LogFolder): Promise<void>;
}

export function createWrittenLogs(options: WrittenLogsOptions): WrittenLogs {
  const { limits, now } = options;
  const opened = new Map<OpenLogFiles, LogFolder>();
  /** Number of the newest file of silent logs that were looked into: what is in it does not change. */
  const rested = new Map<string, number>();
  let last: Promise<unknown> = Promise.resolve();

  /** No log is opened or closed while a silent one is rotated: nobody writes on to a file that was rotated. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const find = ({ path }: LogFolder): OpenLogFiles | undefined =>
    [...opened].find(([, folder]) => folder.path === path)?.[0];
  const withLog = async (folder: LogFolder, work: (log: OpenLogFiles) => Promise<void>): Promise<void> => {
    const log = find(folder);
    if (log !== undefined) return await work(log);
    // Nothing is made for a service that was removed meanwhile.
    if ((await newestPlain(folder)) === null) return;
    const silent = await openLog(folder, options);
    try {
      await work(silent);
    } finally {
      await silent.close();
    }
  };

  return {
    open: (folder) =>
      inTurn(async () => {
        const log = await openLog(folder, options);
        opened.set(log, folder);
        rested.delete(folder.path);
        return {
          ...log,
          close: () =>
            inTurn(async () => {
              opened.delete(log);
              await log.close();
            }),
        };
      }),
    rotateIfDue: (folder) =>
      inTurn(async () => {
        if (find(folder) === undefined) {
          const newest = await newestPlain(folder);
          if (newest === null || rested.get(folder.path) === newest.number) return;
          const file = { bytes: 0, hasLines: newest.bytes > 0, writtenAt: newest.writtenAt };
          if (!isRotationDue(file, { fileBytes: limits.fileBytes, now: now() })) return;
        }
        await withLog(folder, (log) => log.rotateIfDue());
        const newest = find(folder) === undefined ? await newestPlain(folder) : null;
        if (newest !== null) rested.set(folder.path, newest.number);
      }),
    rotate: (folder) => inTurn(() => withLog(folder, (log) => log.rotate())),
  };
}

/** The newest file of a log; null when there is none, or it was compressed. @throws errors of the file system */
async function newestPlain(folder: LogFolder) {
  const number = (await fileNumbers(folder)).at(-1);
  if (number === undefined) return null;
  const file = await stat(filePath(folder, number)).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  return file === null ? null : { number, bytes: file.size, writtenAt: file.mtime };
}
