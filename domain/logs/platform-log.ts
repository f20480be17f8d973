import type { OutputStream } from './output-line.ts';
import type { LogRotation } from './rotation.ts';
import type { LogPlace } from './service-log.ts';

/** The log of one output of a part: a program of the platform, such as the worker or the database. */
export interface PlatformLogTarget {
  /** Name of the part, as in `state.json`. */
  readonly part: string;
  readonly stream: OutputStream;
}

/** A name that a part can have: it names a folder. */
export const PART_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

export interface PlatformLogFile extends PlatformLogTarget {
  /** Relative to the folder of all logs. */
  readonly path: string;
  /** On the disk: of a rotated file compressed, when it is. */
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

export interface PlatformLogInventory {
  /** Those that are written. */
  readonly files: readonly PlatformLogFile[];
  readonly rotated: readonly PlatformLogFile[];
  /** As their writer says; null when it is not known, because somebody else writes the logs of this installation. */
  readonly rotation: Pick<LogRotation, 'fileBytes' | 'retain'> | null;
}

/** A line as a part wrote it: not redacted by its form, and with whatever characters it has. */
export interface PlatformLogLine {
  readonly text: string;
  /** Behind the line: who has it goes on from here. */
  readonly next: LogPlace;
}

/** Reading what the parts of the platform print. Every call reads a bounded part of a log, whatever its size. */
export interface PlatformLogReader {
  inventory(): Promise<PlatformLogInventory>;
  has(target: PlatformLogTarget): Promise<boolean>;
  /** The last lines that match, oldest first; `truncated` when older lines were not looked at or not taken. */
  last(
    target: PlatformLogTarget,
    wanted: { readonly count: number; readonly matches: (line: PlatformLogLine) => boolean },
  ): Promise<{ readonly lines: readonly PlatformLogLine[]; readonly next: LogPlace; readonly truncated: boolean }>;
  /** The next lines after a place, in order; `lost` when lines after it are not kept any more. */
  after(
    target: PlatformLogTarget,
    place: LogPlace,
  ): Promise<{ readonly lines: readonly PlatformLogLine[]; readonly next: LogPlace; readonly lost: boolean }>;
}
