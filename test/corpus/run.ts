import { parseArgs } from 'node:util';
import { deployRepository, type Outcome } from './deploy-repository.ts';
import { nameOf, outcomeRow, secondOverFirst, shareLive, tableHead } from './report.ts';
import { CORPUS, type CorpusRow } from './repositories.ts';
import { SAMPLES, type Sample } from './samples.ts';

/** Deploys the corpus, one repository after the other, and prints a table; run by `npm run corpus`, which starts a stack. */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { once: { type: 'boolean', default: false }, minutes: { type: 'string', default: '10' } },
});
const limitMs = Number(values.minutes) * 60_000;
const all: readonly (CorpusRow | Sample)[] = [...CORPUS, ...SAMPLES];
const rows = all.filter((row) => positionals.length === 0 || positionals.some((part) => nameOf(row).includes(part)));
if (rows.length === 0) throw new Error(`no repository of the corpus has ${positionals.join(' or ')} in its name`);

const results: [CorpusRow | Sample, Outcome][] = [];
console.log(tableHead());
for (const row of rows) {
  const outcome = await attempt(row);
  results.push([row, outcome]);
  console.log(outcomeRow(row, outcome));
}
const failed = results.filter(([, { wrong }]) => wrong !== null).length;
console.log(
  `\n${rows.length - failed} passed, ${failed} failed; ${shareLive(results.filter(([row]) => !('sample' in row)))}`,
);
console.log(secondOverFirst(results.map(([, outcome]) => outcome)));
process.exitCode = failed === 0 ? 0 : 1;

/** What breaks around one repository, such as its fetch, is not the end of the run. */
async function attempt(row: CorpusRow | Sample): Promise<Outcome> {
  try {
    return await deployRepository(row, { twice: !values.once, limitMs });
  } catch (error) {
    const wrong = error instanceof Error ? error.message : String(error);
    const none = { firstSeconds: null, secondSeconds: null, diagnosedSeconds: null, sizes: null };
    return { got: 'nothing', wrong, ...none };
  }
}
