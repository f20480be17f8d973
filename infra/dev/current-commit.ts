import { projectRoot } from './project.ts';
import { runProgram } from './tools/run-program.ts';

/** The commit of this checkout; `unknown` for a copy without its history, such as an unpacked archive. */
export async function currentCommit(): Promise<string> {
  return runProgram('git', ['rev-parse', 'HEAD'], { cwd: projectRoot }).then(
    (output) => output.trim(),
    () => 'unknown',
  );
}
