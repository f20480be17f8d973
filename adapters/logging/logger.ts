import { type ChildLoggerOptions, type DestinationStream, type Level, type Logger, pino, stdSerializers } from 'pino';
import { createRedactor, isSensitiveName, REDACTED } from '../../domain/logs/redact.ts';
import { createBufferedOutput, type LogOutput } from './buffered-output.ts';

const STANDARD_OUTPUT = 1;

/** Pino's number for it. */
const WARN = 40;

const MAX_DEPTH = 8;
const EXACT_FIELDS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-internal-key',
  'x-api-key',
]);

export interface LoggerOptions {
  /** Names the process in every line. */
  readonly name: string;
  readonly level: Level | 'silent';
  /** Values that must never be written, such as the internal key. */
  readonly secrets?: readonly string[];
}

/**
 * JSON lines on standard output, written by this process itself: a logging thread would lose the last lines of a crash.
 * They are written in batches; a warning or an error is written at once, with all that came before it. Redacted at write (spec 2, "Log redaction"): fields with sensitive names at any depth, headers, and whatever looks
 * like a credential in any text.
 */
export function createLogger(
  options: LoggerOptions,
  output: DestinationStream & Partial<LogOutput> = createBufferedOutput(STANDARD_OUTPUT),
): Logger {
  const redactText = createRedactor({ secrets: options.secrets ?? [] });
  const settings = {
    name: options.name,
    level: options.level,
    base: { name: options.name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => redactFields(fields, redactText, MAX_DEPTH),
    },
    // The error is turned into a plain, redacted object before pino's own serializer would see it.
    serializers: { err: (error: unknown) => error },
    hooks: {
      logMethod(this: Logger, args: Parameters<Logger['info']>, method: Logger['info'], level: number) {
        const redacted = args.map((part: unknown) => (typeof part === 'string' ? redactText(part) : part));
        method.apply(this, redacted as Parameters<Logger['info']>);
        if (level >= WARN) output.flush?.();
      },
    },
  };
  return redactChildren(pino(settings, output), redactText);
}

/**
 * Fields of a child logger pass no formatter: they are redacted when the child is made, which its own children inherit.
 * Pino's `redact` would do it again for every line, and cost more than all the rest of the line.
 */
function redactChildren(logger: Logger, redactText: (text: string) => string): Logger {
  const makeChild: MakeChild = logger.child;
  const child: MakeChild = function child(fields, options) {
    return makeChild.call(this, redactFields(fields, redactText, MAX_DEPTH), options);
  };
  return Object.assign(logger, { child });
}

type MakeChild = (this: Logger, fields: Record<string, unknown>, options?: ChildLoggerOptions) => Logger;

function redactFields(
  fields: Record<string, unknown>,
  redactText: (text: string) => string,
  depth: number,
): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => {
    const hidden = EXACT_FIELDS.has(name.toLowerCase()) || isSensitiveName(name);
    return [name, hidden ? REDACTED : redactValue(value, redactText, depth)] as const;
  });
  return Object.fromEntries(entries);
}

function redactValue(value: unknown, redactText: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth === 0) return '[deeper]';
  if (Array.isArray(value)) return value.map((item: unknown) => redactValue(item, redactText, depth - 1));
  const plain = value instanceof Error ? stdSerializers.err(value) : value;
  return redactFields({ ...plain }, redactText, depth - 1);
}
