import type { Output } from '../output.ts';

const ESC = '\u001b[';
const HIDE_CURSOR = `${ESC}?25l`;
const SHOW_CURSOR = `${ESC}?25h`;

/** The last lines of a terminal, drawn over and over, with lines that stay printed above them. */
export interface LiveRegion {
  /** Replaces the region. Each line must fit the terminal's width. */
  draw(lines: readonly string[]): void;
  /** Prints lines that stay, above the region. */
  print(lines: readonly string[]): void;
  /** Clears the region and gives the cursor back. */
  close(): void;
}

export function createLiveRegion(output: Pick<Output, 'raw'>): LiveRegion {
  let current: readonly string[] = [];
  let open = false;
  const erase = (): string => (current.length === 0 ? '' : `${ESC}${current.length}A\r${ESC}0J`);
  const body = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  return {
    draw: (lines) => {
      output.raw(`${open ? '' : HIDE_CURSOR}${erase()}${body(lines)}`);
      open = true;
      current = lines;
    },
    print: (lines) => {
      output.raw(`${erase()}${body(lines)}${body(current)}`);
    },
    close: () => {
      if (open) output.raw(`${erase()}${SHOW_CURSOR}`);
      open = false;
      current = [];
    },
  };
}
