/** A run of characters of one look. `codes` are SGR numbers, such as 32 for green. */
export interface Span {
  readonly text: string;
  readonly codes: readonly number[];
}

interface Cell {
  readonly character: string;
  readonly codes: readonly number[];
}

/** The escape character, made visible before anything is read. */
const ESCAPE = '␛';
const TOKEN = /␛\[([?0-9;]*)([A-Za-z])|␛.|\r|\n|[^␛\r\n]/gu;

/** The SGR numbers that end what another began. */
const ENDS: Readonly<Record<number, (code: number) => boolean>> = {
  0: () => true,
  22: (code) => code === 1 || code === 2,
  24: (code) => code === 4,
  39: (code) => code >= 30 && code <= 37,
};

/**
 * What a terminal shows after it was sent these bytes: understands line ends, cursor up and back to column one, erasing,
 * and colours; enough for what the command line writes.
 */
export function readScreen(bytes: string): Span[][] {
  const screen: Cell[][] = [];
  let [row, column] = [0, 0];
  let codes: readonly number[] = [];
  const move: Readonly<Record<string, (count: number) => void>> = {
    A: (count) => {
      row = Math.max(0, row - (count || 1));
    },
    B: (count) => {
      row += count || 1;
    },
    G: (count) => {
      column = (count || 1) - 1;
    },
    J: () => {
      screen.splice(row + 1);
      screen[row]?.splice(column);
    },
    K: (count) => {
      screen[row]?.splice(count === 2 ? 0 : column);
    },
  };
  for (const [token, given, letter] of bytes.replaceAll('\u001b', ESCAPE).matchAll(TOKEN)) {
    if (token === '\r') column = 0;
    else if (token === '\n') row += 1;
    else if (letter === 'm') codes = applyCodes(codes, given ?? '');
    else if (letter !== undefined) move[letter]?.(Number(given));
    else if (!token.startsWith(ESCAPE)) {
      putCell(screen, row, column, { character: token, codes });
      column += 1;
    }
  }
  return Array.from(screen, (line) => joinCells(line ?? []));
}

function putCell(screen: Cell[][], row: number, column: number, cell: Cell): void {
  while (screen.length <= row) screen.push([]);
  const line = screen[row] ?? [];
  while (line.length < column) line.push({ character: ' ', codes: [] });
  line[column] = cell;
}

function applyCodes(before: readonly number[], given: string): readonly number[] {
  let codes = before;
  for (const code of given.split(';').map(Number)) {
    const ends = ENDS[code];
    codes = ends === undefined ? [...codes, code] : codes.filter((one) => !ends(one));
  }
  return codes;
}

function joinCells(line: readonly Cell[]): Span[] {
  const spans: Span[] = [];
  for (const { character, codes } of line) {
    const last = spans.at(-1);
    if (last !== undefined && last.codes.join() === codes.join()) {
      spans[spans.length - 1] = { text: last.text + character, codes };
    } else spans.push({ text: character, codes });
  }
  return spans;
}
