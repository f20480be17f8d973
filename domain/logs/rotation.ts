/** When and how log files are rotated (spec 2, "Limits"). */
export interface LogRotation {
  /** A file is rotated before it would be larger. */
  readonly fileBytes: number;
  /** How many rotated files are kept beside the one that is written. */
  readonly retain: number;
  /** What all files of one log may take on the disk; the oldest go first. The one that is written always stays. */
  readonly quotaBytes: number;
}

const MIB = 1024 ** 2;

/** 50 MiB, and at midnight UTC; 14 rotated files, compressed. The quota is ours: noise that cannot be compressed fills no disk. */
export const LOG_ROTATION: LogRotation = { fileBytes: 50 * MIB, retain: 14, quotaBytes: 256 * MIB };

/** How often the writer of a log looks at its files: for midnight, for what is to be compressed, and for what must go. */
export const LOOK_AT_LOGS_EVERY_MS = 30_000;

/** How {@link LOG_ROTATION} is told to people: `50M`. */
export function sizeLimitText(bytes: number): string {
  return bytes % MIB === 0 ? `${bytes / MIB}M` : `${bytes}`;
}

/** What is known of the file that is written. */
export interface WrittenFile {
  readonly bytes: number;
  /** False for a file that holds no line yet: it is never rotated. */
  readonly hasLines: boolean;
  /** When it was written to last. */
  readonly writtenAt: Date;
}

/** True when the next file must be begun before so many bytes more: for its size, or because a day (UTC) has begun. */
export function isRotationDue(
  { bytes, hasLines, writtenAt }: WrittenFile,
  { fileBytes, now, more = 0 }: { readonly fileBytes: number; readonly now: Date; readonly more?: number },
): boolean {
  return hasLines && (bytes + more > fileBytes || utcDay(writtenAt) < utcDay(now));
}

function utcDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}
