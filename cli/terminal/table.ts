import { fit, type Paint, printable, type Tone, widthOf } from './style.ts';

export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
}

export interface Column {
  readonly title: string;
  /** May be cut when the terminal is narrow; the others never are. */
  readonly shrinks?: boolean;
}

const GAP = '  ';
const SMALLEST = 8;

/**
 * Lines of a table that fits `width` columns: the columns that may shrink give way, widest first. Where that is not enough,
 * each row is a block of lines, one a column, so that ids and names stay whole. With `width` null (no terminal) nothing is
 * cut.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number | null,
  paint: Paint,
): string[] {
  const texts = rows.map((row) => row.map((cell) => printable(cell.text)));
  const natural = columns.map((column, index) =>
    Math.max(widthOf(column.title), ...texts.map((row) => widthOf(row[index] ?? ''))),
  );
  const widths = width === null ? natural : shrink(columns, natural, width);
  if (width !== null && totalOf(widths) > width) return asBlocks(columns, rows, paint);
  const line = (cells: readonly string[], tones: readonly Tone[]): string =>
    columns
      .map((_, index) => {
        const size = widths[index] ?? 0;
        const text = fit(cells[index] ?? '', size);
        const padded = index === columns.length - 1 ? text : text.padEnd(size + text.length - widthOf(text));
        return paint(tones[index] ?? 'plain', padded);
      })
      .join(GAP)
      .trimEnd();
  const head = line(
    columns.map((column) => column.title),
    columns.map(() => 'dim'),
  );
  const body = rows.map((row, at) =>
    line(
      texts[at] ?? [],
      row.map((cell) => cell.tone ?? 'plain'),
    ),
  );
  return [head, ...body];
}

function shrink(columns: readonly Column[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  while (totalOf(widths) > width) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const size = widths[index] ?? 0;
      if (column.shrinks === true && size > SMALLEST && size > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, size) => sum + size, 0) + GAP.length * (widths.length - 1);
}

/** `TITLE  text` for each cell that has one; an empty line between rows. */
function asBlocks(columns: readonly Column[], rows: readonly (readonly Cell[])[], paint: Paint): string[] {
  const size = Math.max(...columns.map(({ title }) => widthOf(title)));
  return rows.flatMap((row, at) => {
    const cells = row.flatMap((cell, index) => {
      const text = printable(cell.text);
      const title = columns[index]?.title ?? '';
      const label = title + ' '.repeat(size - widthOf(title));
      return text === '' ? [] : [`${paint('dim', label)}${GAP}${paint(cell.tone ?? 'plain', text)}`];
    });
    return at === 0 ? cells : ['', ...cells];
  });
}
