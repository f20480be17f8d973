import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectRoot } from './project.ts';
import { runFile, runOnStack } from './run-on-stack.ts';
import { errorLine } from './terminal.ts';
import { forgetProduction, TEST_SETTINGS } from './test-stack.ts';

/** `npm run bench -- <name> [args]`: runs `test/bench/<name>.ts`, with a stack when the file exports `needsStack = true`. */

const folder = join(projectRoot, 'test', 'bench');

async function main(name: string | undefined, args: readonly string[]): Promise<number> {
  const path = join(folder, `${name}.ts`);
  if (!name || basename(name) !== name || !existsSync(path)) {
    const names = globSync('*.ts', { cwd: folder }).map((file) => basename(file, '.ts'));
    throw new Error(
      `${name ? `no bench "${name}"` : 'which bench'}: one of ${names.sort().join(', ') || '(none yet)'}`,
    );
  }
  const needsStack = /export const needsStack = true/.test(readFileSync(path, 'utf8'));
  // The servers of a bench say that they end: its figure comes after them, last.
  let figure: string | undefined;
  const onLine = (line: string): void => {
    if (line.startsWith(`${name}: `)) figure = line;
    else console.log(line);
  };
  const code = await (needsStack
    ? runOnStack(path, args, { command: `npm run bench -- ${name}`, onLine })
    : runFile(path, args, { onLine }));
  if (figure !== undefined) console.log(figure);
  return code;
}

forgetProduction(process.env);
// For benches that start a stack of their own.
process.env.LOCAL_SOURCES_ROOT = TEST_SETTINGS.LOCAL_SOURCES_ROOT;
try {
  process.exitCode = await main(process.argv[2], process.argv.slice(3));
} catch (error) {
  process.stderr.write(`fairlead: ${errorLine(error)}\n`);
  process.exitCode = 1;
}
process.exit();
