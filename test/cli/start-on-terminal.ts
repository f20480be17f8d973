import { spawn } from 'node:child_process';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';
import { ENTRY } from './run-cli.ts';

/** The command line on a pseudo terminal of 80 columns, whose keyboard is `type`. */
export function startOnTerminal(variables: Readonly<Record<string, string>>, args: string) {
  const { PATH, HOME } = process.env;
  const child = spawn('script', ['-qec', `stty cols 80; '${process.execPath}' '${ENTRY}' ${args}`, '/dev/null'], {
    env: { ...runtimeVariables(process.env), PATH, HOME, TERM: 'xterm-256color', ...variables },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const type = (keys: string): void => void child.stdin.write(keys);
  const done = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { done, type, text: () => text };
}
