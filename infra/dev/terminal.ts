import { plainText } from '../../domain/plain-text.ts';
import type { Env } from './project.ts';

/** What set-up and start tell the person in front of them. */
export interface Reporter {
  /** One line about something finished or noteworthy. */
  readonly line: (text: string) => void;
  /** Work that takes a while: says how long it usually takes, then how long it took. */
  readonly work: <T>(title: string, usual: string, run: () => Promise<T>) => Promise<T>;
}

const REPEAT_MS = 20_000;

/** Writes progress to a stream: a line at the start, one every 20 s, one at the end. */
export function createReporter(out: { write(text: string): unknown }): Reporter {
  const line = (text: string): void => {
    out.write(`${text}\n`);
  };
  return {
    line,
    work: async (title, usual, run) => {
      const startedAt = performance.now();
      const elapsed = (): string => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
      line(`${title} (usually ${usual}) …`);
      const timer = setInterval(() => line(`  ${title}: ${elapsed()} so far (usually ${usual})`), REPEAT_MS);
      try {
        const result = await run();
        line(`  ${title}: done in ${elapsed()}`);
        return result;
      } finally {
        clearInterval(timer);
      }
    },
  };
}

/** A reporter that says nothing. */
export const silentReporter: Reporter = { line: () => {}, work: (_title, _usual, run) => run() };

export type Paint = (text: string) => string;

/** Colours for a terminal; plain text elsewhere or with `NO_COLOR`. */
export function createColours(stream: { isTTY?: boolean }, env: Env): Record<'bold' | 'dim' | 'green' | 'red', Paint> {
  const on = stream.isTTY === true && !env.NO_COLOR;
  const paint = (code: number): Paint => (on ? (text) => `\u001b[${code}m${text}\u001b[0m` : (text) => text);
  return { bold: paint(1), dim: paint(2), green: paint(32), red: paint(31) };
}

/** Lays rows out in columns two blanks apart. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** What a failed command ends with: mostly a line. It may quote others, and has nothing that a terminal would obey. */
export function errorLine(error: unknown): string {
  return plainText(error instanceof Error ? error.message : String(error));
}
