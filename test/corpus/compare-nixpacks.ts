import { parseArgs } from 'node:util';
import { checkout } from './checkout.ts';
import { type Commands, nixpacksCommands, ourCommands } from './commands.ts';
import { nameOf, tableRow } from './report.ts';
import { CORPUS } from './repositories.ts';

/**
 * What Nixpacks would run to install, build and start each repository of the corpus, beside what we would, and why ours
 * differs: `npm run corpus -- --compare-nixpacks`. Neither runs any of it. `NIXPACKS` names the program, else it is on `PATH`.
 */

const { positionals } = parseArgs({ allowPositionals: true });
const rows = CORPUS.filter((row) => positionals.length === 0 || positionals.some((part) => nameOf(row).includes(part)));
const KINDS = ['install', 'build', 'start'] as const;

console.log(tableRow(['repository', 'command', 'Nixpacks', 'ours', 'why ours']));
console.log(tableRow(['---', '---', '---', '---', '---']));
let alone = 0;
for (const row of rows) {
  await using source = await checkout(row);
  const [theirs, ours] = await Promise.all([nixpacksCommands(source.app), ourCommands(source.app)]);
  if (theirs.start !== null && ours.start === null) alone += 1;
  for (const kind of KINDS) {
    console.log(tableRow([nameOf(row), kind, ...pair(theirs, ours, kind), ours.reasons[kind] ?? '']));
  }
}
console.log(`\n${rows.length} compared; Nixpacks alone would start ${alone}`);
process.exitCode = alone === 0 ? 0 : 1;

function pair(theirs: Commands, ours: Commands, kind: (typeof KINDS)[number]): readonly [string, string] {
  return [theirs[kind] ?? 'nothing', ours[kind] ?? 'nothing'];
}
