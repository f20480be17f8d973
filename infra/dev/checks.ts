import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkedFiles } from './checked-files.ts';
import { projectRoot } from './project.ts';
import { errorLine } from './terminal.ts';
import { runProgram } from './tools/run-program.ts';

const FOLDERS = [
  'domain',
  'workflows',
  'activities',
  'adapters',
  'api',
  'workers',
  'cli',
  'sdk',
  'web',
  'infra',
  'test',
];

interface Check {
  readonly name: string;
  readonly command: string;
  readonly args: () => readonly string[] | Promise<readonly string[]>;
}

/** What earlier runs of these checkers found of files that have not changed: a second run takes seconds. */
const CACHE = join('node_modules', '.cache', 'fairlead');

/** What the source itself must satisfy, before any test of its behaviour. */
const CHECKS: readonly Check[] = [
  {
    name: 'types are sound (tsc)',
    command: 'tsc',
    args: () => ['-p', '.', '--incremental', '--tsBuildInfoFile', join(CACHE, 'types.tsbuildinfo')],
  },
  {
    name: 'format and lint are clean (biome)',
    command: 'biome',
    args: async () => ['check', '--files-ignore-unknown=true', ...(await checkedFiles(projectRoot))],
  },
  {
    name: 'imports follow the direction of the layers (dependency-cruiser)',
    command: 'depcruise',
    args: () => [
      ...['--config', '.dependency-cruiser.json', '--output-type', 'err'],
      ...['--cache', join(CACHE, 'imports'), '--cache-strategy', 'content'],
      ...FOLDERS.filter((folder) => existsSync(join(projectRoot, folder))),
    ],
  },
];

export interface CheckOutcome {
  readonly name: string;
  /** What the checker wrote, when it failed. */
  readonly failure: string | undefined;
}

/** Runs the checks one after the other and prints each outcome. */
export async function runChecks(print: (line: string) => void): Promise<readonly CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  for (const [index, { name, command, args }] of CHECKS.entries()) {
    const startedAt = performance.now();
    const program = join(projectRoot, 'node_modules', '.bin', command);
    const outcome = await runProgram(program, await args(), { cwd: projectRoot, keepOutput: true }).then(
      () => undefined,
      (error) => errorLine(error),
    );
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    print(`${outcome === undefined ? '✔' : '✖'} check ${index + 1}: ${name} (${seconds} s)`);
    if (outcome !== undefined) print(outcome);
    outcomes.push({ name, failure: outcome });
  }
  return outcomes;
}
