/** Lines of a Markdown table as Biome formats them. The first row is the head; each has as many cells. */
export function tableLines(table: readonly (readonly string[])[]): string[] {
  const [columns = []] = table;
  const widths = columns.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = '', ...body] = table.map((row) => line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body];
}

/** The page with another table in the place of the first one under a heading. @throws Error when there is none */
export function withTable(
  page: string,
  heading: string,
  rowsFrom: (old: readonly string[]) => readonly string[],
): string {
  const lines = page.split('\n');
  const at = lines.indexOf(heading);
  const first = lines.findIndex((line, index) => index > at && line.startsWith('|'));
  if (at < 0 || first < 0) throw new Error(`the page has no table under "${heading}"`);
  const length = lines.slice(first).findIndex((line) => !line.startsWith('|'));
  return lines.toSpliced(first, length, ...rowsFrom(lines.slice(first, first + length))).join('\n');
}
