import { parseArgs } from 'node:util';
import { checkout } from './checkout.ts';
import { nixpacksCommands, ourCommands } from './commands.ts';
import { type CommandKind, explainDifference } from './explain-difference.ts';
import { nameOf, tableRow } from './report.ts';
import { CORPUS } from './repositories.ts';

/**
 * What Nixpacks would run to install, build and start each repository of the corpus where we would run something else, and
 * why: `npm run corpus -- --compare-nixpacks`. Neither runs any of it. `NIXPACKS` names the program, else it is on `PATH`.
 */

const { positionals } = parseArgs({ allowPositionals: true });
const rows = CORPUS.filter((row) => positionals.length === 0 || positionals.some((part) => nameOf(row).includes(part)));
const KINDS: readonly CommandKind[] = ['install', 'build', 'start'];

console.log(tableRow(['repository', 'command', 'Nixpacks', 'ours', 'why']));
console.log(tableRow(KINDS.map(() => '---').concat('---', '---')));
let unexplained = 0;
for (const row of rows) {
  await using source = await checkout(row);
  const [theirs, ours] = await Promise.all([
    nixpacksCommands(source.app),
    ourCommands(source.folder, row.directory ?? ''),
  ]);
  const differences = KINDS.map((kind) => ({ kind, why: explainDifference(kind, theirs, ours) }));
  if (differences.some(({ why }) => why?.startsWith('UNEXPLAINED'))) unexplained += 1;
  for (const { kind, why } of differences) {
    if (why !== null)
      console.log(tableRow([nameOf(row), kind, theirs[kind] ?? 'nothing', ours[kind] ?? 'nothing', why]));
  }
}
console.log(`\n${rows.length - unexplained} explained, ${unexplained} with a difference that is not`);
process.exitCode = unexplained === 0 ? 0 : 1;
