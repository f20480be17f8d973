import { parseJson } from '../parse-json.ts';

/** How grave a line is, from the lowest. */
export const ENTRY_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type EntryLevel = (typeof ENTRY_LEVELS)[number];

/** What a line of a log says in the form that loggers write: one object of JSON. All null for any other line. */
export interface LogEntry {
  /** ISO time in UTC. */
  readonly ts: string | null;
  readonly level: EntryLevel | null;
  readonly msg: string | null;
}

const NONE: LogEntry = { ts: null, level: null, msg: null };

/** Of texts, in lower case; a number stands for pino's and bunyan's, a letter for MongoDB's. */
const LEVELS: Readonly<Record<string, EntryLevel>> = {
  ...Object.fromEntries(ENTRY_LEVELS.map((level) => [level, level])),
  warning: 'warn',
  err: 'error',
  critical: 'fatal',
  crit: 'fatal',
  panic: 'fatal',
  dpanic: 'fatal',
  emergency: 'fatal',
  alert: 'fatal',
  notice: 'info',
  information: 'info',
  i: 'info',
  w: 'warn',
  e: 'error',
  f: 'fatal',
};

/**
 * Reads a line of pino, zap, MongoDB, slog and the like: `level` (or `severity`, `s`) as a word or a number, `time` (or `ts`,
 * `timestamp`, `t.$date`) as text or as seconds or milliseconds since 1970, `msg` or `message`. Never throws.
 */
export function parseEntry(line: string): LogEntry {
  if (!line.startsWith('{')) return NONE;
  const entry = parseJson(line);
  if (!isRecord(entry)) return NONE;
  const { t } = entry;
  const time = entry.time ?? entry.ts ?? entry.timestamp ?? (isRecord(t) ? t.$date : t);
  const msg = entry.msg ?? entry.message;
  return {
    ts: timeOf(time),
    level: levelOf(entry.level ?? entry.severity ?? entry.s),
    msg: typeof msg === 'string' ? msg : null,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function levelOf(level: unknown): EntryLevel | null {
  if (typeof level === 'string') {
    const name = level.toLowerCase();
    return Object.hasOwn(LEVELS, name) ? (LEVELS[name] ?? null) : null;
  }
  if (typeof level !== 'number' || !Number.isFinite(level)) return null;
  return ENTRY_LEVELS[Math.min(Math.max(Math.floor(level / 10) - 1, 0), ENTRY_LEVELS.length - 1)] ?? null;
}

/** Seconds since 1970 are below it until the year 5138, milliseconds above it since 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;

function timeOf(time: unknown): string | null {
  if (typeof time === 'number') return isoTime(time < FIRST_MILLISECONDS ? time * 1_000 : time);
  return typeof time === 'string' && time.length <= 40 ? isoTime(Date.parse(time)) : null;
}

/** The years that an ISO time writes with four digits; others are no times that a reader of one takes. */
const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

function isoTime(milliseconds: number): string | null {
  return milliseconds >= FIRST_TIME && milliseconds <= LAST_TIME ? new Date(milliseconds).toISOString() : null;
}

/** Which lines are wanted: those of a level, and of all graver ones. */
export const LEVEL_FILTERS = ['all', 'warn', 'error'] as const;
export type LevelFilter = (typeof LEVEL_FILTERS)[number];

/** `warn` lets through warn, error and fatal, `error` error and fatal (spec 2, "Platform logs"); a line without a level passes `all` alone. */
export function passesLevel(level: EntryLevel | null, filter: LevelFilter): boolean {
  if (filter === 'all') return true;
  return level !== null && ENTRY_LEVELS.indexOf(level) >= ENTRY_LEVELS.indexOf(filter);
}
