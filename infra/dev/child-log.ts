import { join } from 'node:path';
import { openPartLog } from '../../adapters/log-files/part-log.ts';
import { partLogFolder } from '../../adapters/log-files/part-log-folder.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { OutputStream } from '../../domain/logs/output-line.ts';
import { LOG_ROTATION } from '../../domain/logs/rotation.ts';

/** What a child prints, its outputs apart. */
export interface ChildLog {
  /** In which the files are: `out/1.log`, `error/1.log` and those of later numbers. */
  readonly folder: string;
  /** Writes before it returns: what a child said last must be there when the supervisor dies with it. Never throws. */
  write(stream: OutputStream, chunk: Buffer): void;
  /** The child has ended: so has its last line. */
  end(): void;
  /** To be called every half a minute. @throws errors of the file system */
  look(): Promise<void>;
  close(): void;
}

interface ChildLogOptions {
  readonly logFolder: string;
  readonly part: string;
  /** Values that must not be written, whoever prints them. */
  readonly secrets: readonly string[];
}

/** Opens the log of a child. @throws errors of the file system; INTERNAL for a name that is no part's */
export function openChildLog({ logFolder, part, secrets }: ChildLogOptions): ChildLog {
  const open = (stream: OutputStream) => {
    const folder = partLogFolder(logFolder, { part, stream });
    if (folder === null) throw new FairleadError('INTERNAL', `${part} is no name of a part`);
    return openPartLog(folder, { rotation: LOG_ROTATION, now: () => new Date(), secrets });
  };
  const logs = { out: open('out'), error: open('error') };
  const both = [logs.out, logs.error];
  return {
    folder: join(logFolder, part),
    write: (stream, chunk) => logs[stream].write(chunk),
    end() {
      for (const log of both) log.end();
    },
    async look() {
      for (const log of both) await log.look();
    },
    close() {
      for (const log of both) log.close();
    },
  };
}
