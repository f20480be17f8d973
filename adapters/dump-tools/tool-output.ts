import { FairleadError } from '../../domain/errors.ts';
import { plainText } from '../../domain/plain-text.ts';
import { type RunOnThreadOptions, runOnThread } from '../process/run-on-thread.ts';
import { type ProcessResult, type RunProcessOptions, runProcess } from '../process/run-process.ts';

/** How a tool that dumps or restores is run. */
export interface ToolRun<Options = RunProcessOptions> {
  /** Name or path of the program. */
  readonly program: string;
  /** As people know it, where something else starts it; default: the name of the program. */
  readonly name?: string;
  readonly args: readonly string[];
  readonly options: Options;
  /** What must not be shown of what the tool prints. */
  readonly secrets: readonly string[];
  /** Of the error when the tool fails. */
  readonly code: 'DUMP_FAILED' | 'RESTORE_FAILED';
  /** What a program says of itself, as the first group. Other lines quote the database: rows, statements, and what its code prints. */
  readonly ownLine: RegExp;
}

const MOST_CHARACTERS = 300;
/** Between SIGTERM and SIGKILL: the server is told that the connection ends. */
const KILL_AFTER_MS = 5_000;

/** Runs a tool to its end. @throws `code` with what the tool said when it fails; DUMP_TOOL_MISSING; as `runProcess` */
export async function runTool(run: ToolRun): Promise<void> {
  const { program, args, options } = run;
  await orMissing(run, async () =>
    assertSucceeded(run, await runProcess(program, args, { killAfterMs: KILL_AFTER_MS, ...options })),
  );
}

/**
 * What a tool writes, a piece of which is used up once the next one is asked for. It fails at its end when the tool failed:
 * whoever stores it has then stored nothing.
 * @throws as {@link runTool}
 */
export async function readTool<T>(
  run: ToolRun<Omit<RunOnThreadOptions, 'output'>>,
  read: (output: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<{ readonly result: T; readonly stderr: string }> {
  let done: { readonly result: T; readonly stderr: string } | null = null;
  async function* checked(
    stdout: AsyncIterable<Uint8Array>,
    ended: Promise<Omit<ProcessResult, 'stdout'>>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    yield* stdout;
    assertSucceeded(run, await ended);
  }
  const output: RunOnThreadOptions['output'] = async (stdout, ended) => {
    const result = await read(checked(stdout, ended));
    done = { result, stderr: (await ended).stderr };
  };
  const { program, args, options } = run;
  await orMissing(run, async () =>
    assertSucceeded(run, await runOnThread(program, args, { killAfterMs: KILL_AFTER_MS, ...options, output })),
  );
  if (done === null) throw new FairleadError(run.code, `${program} ended before its output was read`);
  return done;
}

async function orMissing({ program }: ToolRun<unknown>, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw isMissing(error) ? toolMissing(program, error) : error;
  }
}

function assertSucceeded(run: ToolRun<unknown>, { exitCode, signal, stderr }: Omit<ProcessResult, 'stdout'>): void {
  if (exitCode === 0) return;
  const how = exitCode === null ? `was ended by ${signal}` : `ended with ${exitCode}`;
  const { program, name = nameOf(program), code } = run;
  throw new FairleadError(code, `${name} ${how}: ${saidBy(stderr, run) || 'it printed nothing'}`);
}

/** The last of what a program says of itself, on one line. */
function saidBy(stderr: string, { secrets, ownLine }: ToolRun<unknown>): string {
  const lines = stderr.split('\n').flatMap((line) => ownLine.exec(line)?.[1] ?? []);
  const said = secrets.reduce((text, secret) => text.replaceAll(secret, '[REDACTED]'), lines.join('; '));
  return plainText(said).slice(-MOST_CHARACTERS);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** @param program its name or path */
export function toolMissing(program: string, cause?: unknown): FairleadError {
  const message = `${nameOf(program)} is not installed where the worker runs: see docs/backups.md, "Tools"`;
  return new FairleadError('DUMP_TOOL_MISSING', message, { cause });
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
