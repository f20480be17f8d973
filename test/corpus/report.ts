import type { Outcome } from './deploy-repository.ts';
import type { CorpusRow } from './repositories.ts';

/** The table of a run in Markdown, row by row, so that a run which is stopped has shown what it knows. */

const MAX_DIAGNOSIS = 300;
const COLUMNS = [
  ...['repository', 'framework', 'needs', 'expected', 'got', 'first build (s)', 'second (s)', 'diagnosis after (s)'],
  ...['image (MB)', 'its base (MB)', 'passed', 'diagnosis'],
];

export function tableHead(): string {
  return `${tableRow(COLUMNS)}\n${tableRow(COLUMNS.map(() => '---'))}`;
}

export function outcomeRow(row: CorpusRow, outcome: Outcome): string {
  const { got, wrong, firstSeconds, secondSeconds, diagnosedSeconds, sizes } = outcome;
  const diagnosis = [wrong, got === 'live' ? null : got].filter((text) => text !== null).join(': ');
  return tableRow([
    nameOf(row),
    row.framework,
    row.needs ?? '',
    row.expected === 'live' ? 'live' : `\`${row.expected.source}\``,
    got === 'live' ? 'live' : 'not live',
    seconds(firstSeconds),
    seconds(secondSeconds),
    seconds(diagnosedSeconds),
    megabytes(sizes?.image ?? 0),
    megabytes(sizes?.base ?? 0),
    wrong === null ? 'yes' : 'no',
    diagnosis.slice(0, MAX_DIAGNOSIS),
  ]);
}

/** `owner/name` and, in parentheses, the folder inside it. */
export function nameOf({ repository, directory }: CorpusRow): string {
  return directory === undefined ? repository : `${repository} (${directory})`;
}

export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()).join(' | ')} |`;
}

function seconds(value: number | null): string {
  return value === null ? '' : value.toFixed(1);
}

function megabytes(bytes: number): string {
  return bytes === 0 ? '' : (bytes / 1e6).toFixed(0);
}
