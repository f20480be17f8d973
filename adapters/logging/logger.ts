import { type ChildLoggerOptions, type DestinationStream, type Level, type Logger, pino } from 'pino';
import { createRedactor } from '../../domain/logs/redact.ts';
import { createBufferedOutput, type LogOutput } from './buffered-output.ts';
import { createFieldRedactor } from './redact-fields.ts';

const STANDARD_OUTPUT = 1;

/** Pino's number for it. */
const WARN = 40;

export interface LoggerOptions {
  /** Names the process in every line. */
  readonly name: string;
  readonly level: Level | 'silent';
  /** Values that must never be written, such as the internal key. */
  readonly secrets?: readonly string[];
}

/**
 * JSON lines on standard output, written by this process itself: a logging thread would lose the last lines of a crash.
 * They are written in batches; a warning or an error is written at once, with all that came before it. Redacted at write
 * (spec 2, "Log redaction"): fields with sensitive names at any depth, headers, and whatever looks like a credential in
 * any text.
 */
export function createLogger(
  options: LoggerOptions,
  output: DestinationStream & Partial<LogOutput> = createBufferedOutput(STANDARD_OUTPUT),
): Logger {
  const redactText = createRedactor({ secrets: options.secrets ?? [] });
  const redactFields = createFieldRedactor(redactText);
  const settings = {
    name: options.name,
    level: options.level,
    base: { name: options.name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: redactFields,
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
  return redactChildren(pino(settings, output), redactFields);
}

/**
 * Fields of a child logger pass no formatter: they are redacted when the child is made, which its own children inherit.
 * Pino's `redact` would do it again for every line, and cost more than all the rest of the line.
 */
function redactChildren(logger: Logger, redactFields: Redact): Logger {
  const makeChild: MakeChild = logger.child;
  const child: MakeChild = function child(fields, options) {
    return makeChild.call(this, redactFields(fields), options);
  };
  return Object.assign(logger, { child });
}

type Redact = (fields: Record<string, unknown>) => Record<string, unknown>;

type MakeChild = (this: Logger, fields: Record<string, unknown>, options?: ChildLoggerOptions) => Logger;
