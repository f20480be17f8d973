import { join } from 'node:path';
import { projectRoot } from './project.ts';
import { runFile, runOnStack } from './run-on-stack.ts';
import { errorLine } from './terminal.ts';
import { forgetProduction } from './test-stack.ts';

/**
 * `npm run corpus [-- part of a name …]`: deploys public repositories as they are, see `test/corpus/`.
 * `npm run corpus -- --compare-nixpacks [part of a name …]`: what Nixpacks would run, beside what we would.
 */

const folder = join(projectRoot, 'test', 'corpus');
const COMPARE = '--compare-nixpacks';

/** As users have it: with the 120 s that a start may take, not the few of tests. */
const VARIABLES = { READINESS_TIMEOUT_SECONDS: '120' };

forgetProduction(process.env);
const args = process.argv.slice(2);
try {
  process.exitCode = args.includes(COMPARE)
    ? await runFile(
        join(folder, 'compare-nixpacks.ts'),
        args.filter((arg) => arg !== COMPARE),
      )
    : await runOnStack(join(folder, 'run.ts'), args, { command: 'npm run corpus', variables: VARIABLES });
} catch (error) {
  process.stderr.write(`fairlead: ${errorLine(error)}\n`);
  process.exitCode = 1;
}
process.exit();
