import { median } from '../bench/parts/median.ts';
import type { Outcome } from './deploy-repository.ts';
import { type CorpusRow, FAULTS, type Need, OUTSIDE } from './repositories.ts';
import type { Sample } from './samples.ts';

/** The table of a run in Markdown, row by row, so that a run which is stopped has shown what it knows. */

const MAX_DIAGNOSIS = 300;
const COLUMNS = [
  ...['repository', 'framework', 'needs', 'expected', 'got', 'first build (s)', 'second (s)', 'diagnosis after (s)'],
  ...['image (MB)', 'its base (MB)', 'its packages (MB)', 'passed', 'diagnosis'],
];

export function tableHead(): string {
  return `${tableRow(COLUMNS)}\n${tableRow(COLUMNS.map(() => '---'))}`;
}

export function outcomeRow(row: CorpusRow | Sample, outcome: Outcome): string {
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
    megabytes(sizes?.packages ?? 0),
    wrong === null ? 'yes' : 'no',
    diagnosis.slice(0, MAX_DIAGNOSIS),
  ]);
}

/** Which part of the repositories that need nothing from outside is live, and what keeps the others from it. */
export function shareLive(results: readonly (readonly [Pick<CorpusRow, 'needs'>, Pick<Outcome, 'got'>])[]): string {
  const alone = results.filter(([{ needs }]) => !isOutside(needs));
  const live = alone.filter(([, { got }]) => got === 'live').length;
  const kept = FAULTS.flatMap((fault) => {
    const count = alone.filter(([{ needs }, { got }]) => needs === fault && got !== 'live').length;
    return count === 0 ? [] : [`${count} need ${fault}`];
  });
  const share = alone.length === 0 ? '' : ` (${Math.round((100 * live) / alone.length)} %)`;
  const why = kept.length === 0 ? '' : `; ${kept.join(', ')}`;
  return `${live} of the ${alone.length} that need nothing from outside are live${share}${why}`;
}

/** How long a build after a change of one line takes beside the first: the median of those that were built twice. */
export function secondOverFirst(outcomes: readonly Pick<Outcome, 'firstSeconds' | 'secondSeconds'>[]): string {
  const ratios = outcomes.flatMap(({ firstSeconds, secondSeconds }) =>
    firstSeconds === null || secondSeconds === null ? [] : [secondSeconds / firstSeconds],
  );
  if (ratios.length === 0) return 'none was built twice';
  return `the second build over the first, median of ${ratios.length}: ${median(ratios).toFixed(2)}`;
}

function isOutside(needs: Need | undefined): boolean {
  return OUTSIDE.some((one) => one === needs);
}

/** `owner/name` and, in parentheses, the folder inside it; `samples/name` of our own making. */
export function nameOf(row: CorpusRow | Sample): string {
  if ('sample' in row) return `samples/${row.sample}`;
  const { repository, directory } = row;
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
