import type { Environment } from '../environment.ts';
import type { OutputLine, OutputPosition } from './output-line.ts';

/** The log of a service in one environment: what all its workloads there printed. */
export interface ServiceLogTarget {
  readonly serviceId: string;
  readonly environment: Environment;
}

/** A line as it is kept: redacted, and safe to print. */
export interface ServiceLogLine extends OutputLine {
  /** Id of the release whose workload wrote it. */
  readonly release: string;
  /** Id of the workload, as its runtime calls it. */
  readonly workload: string;
  /** How many lines were left out here, in a line that the platform wrote in their place; 0 when nobody can know. */
  readonly dropped?: number;
}

/** A place between two lines of a log. It keeps its meaning when the log grows and when it is rotated. */
export interface LogPlace {
  /** Number of the file: the first is 1, each rotation begins the next. 0 is before the first. */
  readonly file: number;
  /** Bytes from the beginning of the file. */
  readonly offset: number;
}

export interface StoredLine {
  readonly line: ServiceLogLine;
  /** Behind the line: who has it goes on from here. */
  readonly next: LogPlace;
}

/** A place as an id of an event: `<file>:<offset>`. */
export function formatPlace({ file, offset }: LogPlace): string {
  return `${file}:${offset}`;
}

/** The place of an id; null for text that is none. */
export function parsePlace(id: string): LogPlace | null {
  const [, file, offset] = /^(\d{1,9}):(\d{1,12})$/.exec(id) ?? [];
  return file === undefined || offset === undefined ? null : { file: Number(file), offset: Number(offset) };
}

export interface LastLines {
  /** At most so many lines. About 2 KiB for each are looked at, from the end backwards. */
  readonly count: number;
  readonly matches: (line: ServiceLogLine) => boolean;
  /** Times as lines have them: from the first on, and before the second, from which it is then looked backwards. */
  readonly since?: string;
  readonly until?: string;
}

/** Reading the logs of services. Every call reads a bounded part of a log, whatever its size. */
export interface ServiceLogReader {
  /** The last lines that match, oldest first; `truncated` when older lines were not looked at or not taken. */
  last(
    target: ServiceLogTarget,
    wanted: LastLines,
  ): Promise<{ readonly lines: readonly StoredLine[]; readonly next: LogPlace; readonly truncated: boolean }>;
  /**
   * The next lines after a place, in order; `next` is where to go on. `lost` when lines after the place are not kept any
   * more: those that follow are the oldest that are.
   */
  after(
    target: ServiceLogTarget,
    place: LogPlace,
  ): Promise<{ readonly lines: readonly StoredLine[]; readonly next: LogPlace; readonly lost: boolean }>;
}

/** The log of one target, open for its one writer. */
export interface OpenServiceLog {
  /** Up to where the output of a workload is in the log; what was appended counts, and nothing else. */
  position(workload: string): OutputPosition;
  /**
   * Appends all of the lines, or none. Calls take effect in their order.
   * @throws CONFLICT when a later writer has taken over; DISK_FULL (retryable), and then another call may succeed
   */
  append(lines: readonly ServiceLogLine[]): Promise<void>;
  close(): Promise<void>;
}

/** Writes the logs of services, until another one takes over. */
export interface ServiceLogWriter {
  open(target: ServiceLogTarget): Promise<OpenServiceLog>;
  /**
   * Looks after all logs: begins the next file of those that had none since midnight UTC, compresses what was rotated, and
   * removes the oldest files beyond the limits. To be called every half a minute; calls while one runs wait for that one.
   */
  look(): Promise<void>;
}

/** The logs of services. Each is bounded in bytes: its oldest lines go when new ones need the room. */
export interface ServiceLogs extends ServiceLogReader {
  /**
   * Begins to write. Whoever wrote before is refused from here on, also one that was paused and does not know. Which
   * process is the writer is decided elsewhere: here is only seen to it that an earlier one adds nothing.
   */
  takeOver(): Promise<ServiceLogWriter>;
  /** Removes the logs of a service in every environment. No error when there are none. */
  remove(serviceId: string): Promise<void>;
  /** The services that have logs. */
  serviceIds(): Promise<readonly string[]>;
}
