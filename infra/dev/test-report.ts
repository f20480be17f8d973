import { ALLOWED_SKIPS, isAllowed } from './allowed-skips.ts';
import { formatTable } from './terminal.ts';
import type { Tally } from './test-tally.ts';

const SLOWEST = 15;

/** Adds what makes a run fail besides its tests: a skip that nobody allowed, or no test at all. */
export function addVerdicts(tally: Tally): void {
  for (const skip of tally.skips.filter((one) => !isAllowed(one))) {
    const reason = `skipped (${skip.because}), and infra/dev/allowed-skips.ts does not name it`;
    tally.failures.push({ name: skip.name, file: skip.file, reason });
  }
  if (tally.passed + tally.failures.length === 0) {
    tally.failures.push({ name: 'at least one test runs', file: '', reason: 'no test matched' });
  }
}

/** What a run ends with: the slowest files, the skips, the failures, and `N passed, N failed` in the last line. */
export function summaryOf(tally: Tally, seconds: number): string {
  const { passed, failures, files } = tally;
  return [
    ...slowestFiles(files),
    ...skipsOf(tally),
    ...failuresOf(tally),
    `\n${files.length} files in ${(seconds / 60).toFixed(1)} minutes`,
    `${passed} passed, ${failures.length} failed`,
  ].join('\n');
}

function slowestFiles(files: Tally['files']): readonly string[] {
  if (files.length < 2) return [];
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const rows = slowest.map(({ file, seconds, tests }) => [seconds.toFixed(1).padStart(8), file, `${tests} tests`]);
  return ['\nslowest files, in seconds:', formatTable(rows)];
}

function skipsOf({ skips }: Tally): readonly string[] {
  const rows = skips.map((skip) => {
    const allowed = ALLOWED_SKIPS.find(({ file, name }) => file === skip.file && name === skip.name);
    return `  ${skip.name} (${skip.file}): ${allowed?.because ?? skip.because}`;
  });
  return rows.length === 0 ? [] : ['\nskipped:', ...rows];
}

function failuresOf({ failures }: Tally): readonly string[] {
  const rows = failures.map(({ name, file, reason }) => `  ✖ ${name}${file ? ` (${file})` : ''}\n      ${reason}`);
  return rows.length === 0 ? [] : ['\nfailed:', ...rows];
}
