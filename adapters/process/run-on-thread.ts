import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ProcessResult, RunProcessOptions } from './run-process.ts';
import { bytesOf, createSlots, type PieceMessage, THREAD_LIMITS } from './shared-pieces.ts';

/** As for `runProcess`, as far as a thread can be given it. */
export interface RunOnThreadOptions extends Pick<RunProcessOptions, 'cwd' | 'env' | 'signal' | 'killAfterMs'> {
  /** Standard input. */
  readonly input?: string;
  /** As for `runProcess`. A piece is used up once the next one is asked for. */
  readonly output: NonNullable<RunProcessOptions['output']>;
}

/** What the thread is told at first. Then it gets back slots by their numbers, and `stop` ends the command. */
export interface ThreadRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: Omit<RunOnThreadOptions, 'signal' | 'output'>;
  /** See `createSlots`. */
  readonly slots: SharedArrayBuffer;
}

export type ThreadRunMessage =
  | PieceMessage
  | { readonly type: 'ended'; readonly result: ProcessResult }
  | { readonly type: 'failed'; readonly message: string; readonly code: string | undefined };

/**
 * `runProcess` for a command that prints much, on a thread of its own: what a command prints comes as buffers of their own,
 * one for each of its writes, and the thread has next to nothing that a collector would have to mark for them.
 *
 * Ends once both the command and whoever reads have ended. The thread takes the command with it, however it ends.
 * @throws as `runProcess`
 */
export async function runOnThread(
  command: string,
  args: readonly string[],
  { signal, output, ...options }: RunOnThreadOptions,
): Promise<ProcessResult> {
  signal.throwIfAborted();
  const workerData: ThreadRun = { command, args, options, slots: createSlots() };
  const thread = new Worker(new URL('./run-on-thread-main.ts', import.meta.url), {
    ...{ workerData, env: {}, execArgv: [], resourceLimits: THREAD_LIMITS },
  });
  const exited = new Promise((resolve) => thread.once('exit', resolve));
  const ended = endOf(thread);
  const printed = piecesOf(thread, workerData.slots, ended);
  const stop = (): void => thread.postMessage('stop');
  signal.addEventListener('abort', stop);
  try {
    await output(printed, ended);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    // What nobody reads must not hold the command.
    stop();
    await exited;
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  return await ended;
}

function endOf(thread: Worker): Promise<ProcessResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ProcessResult>();
  // Whoever does not ask how the command ended is told by the result.
  promise.catch(() => undefined);
  thread.on('message', (message: ThreadRunMessage) => {
    if (message.type === 'ended') resolve(message.result);
    if (message.type === 'failed') reject(Object.assign(new Error(message.message), { code: message.code }));
  });
  thread.once('error', reject);
  thread.once('exit', () => reject(new Error('the thread of a command ended before the command')));
  return promise;
}

function piecesOf(
  thread: Worker,
  slots: SharedArrayBuffer,
  ended: Promise<ProcessResult>,
): AsyncGenerator<Uint8Array, void, undefined> {
  // From now on: a piece may come before anybody asks for one.
  const messages = on(thread, 'message', { close: ['exit'] });
  return (async function* () {
    for await (const [message] of messages as AsyncIterable<[ThreadRunMessage]>) {
      if (message.type !== 'piece') break;
      yield bytesOf(slots, message);
      thread.postMessage(message.slot);
    }
    await ended;
  })();
}
