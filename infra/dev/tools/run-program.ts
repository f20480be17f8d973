import { spawn } from 'node:child_process';

export interface RunProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
  /** The error carries all of the output, not its last lines alone. */
  readonly keepOutput?: boolean;
}

const KEPT_CHARACTERS = 20_000;

/**
 * Runs a program to its end and returns what it wrote to both streams.
 * @throws Error with the end of the output when it fails, is missing, or runs over `timeoutMs`.
 */
export function runProgram(command: string, args: readonly string[], options: RunProgramOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-KEPT_CHARACTERS);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new Error(`${command} is not installed`, { cause: error }) : error),
    );
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const ended = signal
        ? `was ended by ${signal}${options.timeoutMs ? ' (time limit)' : ''}`
        : `failed with ${code}`;
      reject(new Error(`${command} ${args[0] ?? ''} ${ended}: ${options.keepOutput ? output : lastLines(output)}`));
    });
  });
}

function lastLines(output: string): string {
  return output.trim().split('\n').filter(Boolean).slice(-3).join(' | ').slice(-500);
}
