import { z } from 'zod';
import type { CliFailure } from './cli-failure.ts';
import { exitCode } from './exit-codes.ts';
import { createPaint, type Paint, printable } from './terminal/style.ts';
import { type Cell, type Column, renderTable } from './terminal/table.ts';
import { asTyped } from './typed-name.ts';

export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly colour: boolean;
  /** How the user types this program; the command lines that messages propose are shown so. */
  readonly typed?: string;
}

/**
 * Where a command writes. Results go to stdout; notes, progress and errors for people to stderr. With `--json`, stdout
 * carries JSON alone: one envelope `{success,data}` or `{success:false,error}`, or for a followed build one event a
 * line of which the last is `{"event":"result",…}`.
 */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly paint: Paint;
  /** True when stdout is a terminal that people look at. */
  readonly interactive: boolean;
  readonly columns: number;
  /** A line of the result for people; nothing with `--json`. */
  print(line?: string): void;
  /** A remark for people on stderr; nothing with `--json` or `--quiet`. */
  note(line: string): void;
  /** The one result of a command with `--json`. */
  document(data: unknown): void;
  /** One event of a followed build with `--json`. */
  event(event: string, fields: Readonly<Record<string, unknown>>): void;
  table(columns: readonly Column[], rows: readonly (readonly Cell[])[]): void;
  failure(failure: CliFailure): void;
  /** Writes to the terminal as it is, for the live view. */
  raw(text: string): void;
}

export function createOutput(options: OutputOptions, stdout: OutputStream, stderr: OutputStream): Output {
  const tty = stdout.isTTY === true;
  const columns = stdout.columns ?? 80;
  const paint = createPaint(tty && options.colour);
  const paintErrors = createPaint(stderr.isTTY === true && options.colour);
  const { json, quiet, typed = 'fairlead' } = options;
  const say = (stream: OutputStream, line: string): void => void stream.write(`${asTyped(line, typed)}\n`);
  // Once events were written, a failure has to end that stream and not to begin another kind of document.
  let events = false;
  const out = (value: unknown): void => void stdout.write(`${plainJson(value)}\n`);
  return {
    json,
    quiet,
    paint,
    interactive: tty && !json && !quiet,
    columns,
    print: (line = '') => {
      if (!json) say(stdout, line);
    },
    note: (line) => {
      if (!json && !quiet) say(stderr, line);
    },
    document: (data) => {
      if (json) out({ success: true, data });
    },
    event: (event, fields) => {
      events = true;
      if (json) out({ event, ...fields });
    },
    table: (head, rows) => {
      if (json) return;
      for (const line of renderTable(head, rows, tty ? columns : null, paint)) stdout.write(`${line}\n`);
    },
    failure: (failure) => {
      if (json) {
        const body = { success: false, error: errorBody(failure), exitCode: exitCode(failure.exit) };
        out(events ? { event: 'result', ...body } : body);
        return;
      }
      // Ctrl-C is the user's wish and no error.
      const wished = failure.exit === 'interrupted';
      const head = wished ? '' : `${paintErrors('bad', 'error')} ${paintErrors('dim', failure.code)} `;
      say(stderr, `${head}${clean(failure.message)}`);
      for (const line of detailLines(failure)) say(stderr, `  ${printable(line)}`);
      if (failure.remedy !== null) say(stderr, failure.remedy);
    },
    raw: (text) => void stdout.write(text),
  };
}

/** JSON that commands no terminal: what JSON itself leaves as it is of control characters and changes of direction is escaped. */
function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function errorBody({ code, message, remedy, details }: CliFailure): Record<string, unknown> {
  return {
    code,
    message,
    ...(details === undefined ? {} : { details }),
    ...(remedy === null ? {} : { remedy }),
  };
}

/** The API's list of refused fields, one line each, unless its message names them; other details are for `--json`. */
function detailLines({ details, message }: CliFailure): string[] {
  const fields = z.array(z.object({ field: z.string(), message: z.string() })).safeParse(details);
  const lines =
    fields.data?.map(({ field, message: text }) => (text.startsWith(`${field}: `) ? text : `${field}: ${text}`)) ?? [];
  return lines.filter((line) => !message.includes(line));
}

function clean(message: string): string {
  return message.split('\n').map(printable).join('\n');
}
