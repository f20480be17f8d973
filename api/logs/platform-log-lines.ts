import { type EntryLevel, parseEntry } from '../../domain/logs/parse-entry.ts';
import type { PlatformLogLine } from '../../domain/logs/platform-log.ts';
import type { PlatformLogLineView } from '../../domain/logs/platform-log-schema.ts';
import { printableText } from '../../domain/logs/printable-text.ts';
import { createRedactor } from '../../domain/logs/redact.ts';

/** Lines were redacted when they were written; what looks like a credential goes here again (spec 2, "Log redaction"). */
const redact = createRedactor({ secrets: [] });

/** What a terminal would obey goes first: it could stand in the middle of a secret. */
const shown = (text: string): string => redact(printableText(text));

/** A line as it is shown; of one that no logger wrote, `ts`, `level` and `msg` are null (spec 2, "Platform logs"). */
export function platformLineView({ text }: PlatformLogLine): PlatformLogLineView {
  const { ts, level, msg } = parseEntry(text);
  return { ts, level, msg: msg === null ? null : shown(msg), raw: shown(text) };
}

export function platformLineLevel({ text }: PlatformLogLine): EntryLevel | null {
  return parseEntry(text).level;
}

/** Bytes for people: `512 B`, `3.4 MiB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1_024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1_024 ** power).toFixed(1).replace(/\.0$/, '')} ${units[power]}`;
}
