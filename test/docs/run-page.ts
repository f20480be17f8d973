import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';
import { differences, type Step } from './read-page.ts';

/** Enough for a page of many commands on a busy machine. */
const PAGE_MS = 700_000;

/**
 * Runs the blocks of a page in one shell (`bash -euo pipefail`), in a folder of its own, with nothing in the
 * environment but the variables the page names and those that every process of the platform has. @throws Error naming the line of the block that failed, with what it
 * printed, or whose reply is not as shown
 */
export async function runPage(
  page: string,
  steps: readonly Step[],
  options: { readonly preamble: string; readonly variables: Readonly<Record<string, string>> },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-docs-'));
  try {
    const script = steps.map(
      // The page may go to another folder.
      ({ shell, line }, index) => `echo ${index} ${line} > ${folder}/step\n{\n${shell}} > ${folder}/reply-${index}\n`,
    );
    await writeFile(join(folder, 'page.sh'), [options.preamble, ...script].join('\n'));
    const { code, output } = await runShell(folder, options.variables);
    const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8').catch(() => '');
    if (code !== 0) {
      const [index, line] = (await read('step')).trim().split(' ');
      throw new Error(`${page}:${line}: the block ended with ${code}\n${output}\n${await read(`reply-${index}`)}`);
    }
    for (const [index, { expected, line }] of steps.entries()) {
      if (expected !== undefined) compare(`${page}:${line}`, expected, await read(`reply-${index}`));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runShell(folder: string, variables: Readonly<Record<string, string>>) {
  const child = spawn('bash', ['-euo', 'pipefail', 'page.sh'], {
    cwd: folder,
    env: { ...runtimeVariables(process.env), ...variables, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PAGE_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const [code, signal] = await once(child, 'exit');
  return { code: code ?? signal, output };
}

/** @throws Error when the reply is no JSON or not as the page shows it */
function compare(place: string, expected: unknown, reply: string): void {
  let actual: unknown;
  try {
    actual = JSON.parse(reply);
  } catch {
    throw new Error(`${place}: the page shows JSON, but the block printed: ${reply}`);
  }
  const found = differences(expected, actual);
  if (found.length > 0) throw new Error(`${place}: the reply is not as shown: ${found.join('; ')}\n${reply}`);
}
