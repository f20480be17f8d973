import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { bytesOf, createSlots, type PieceMessage, THREAD_LIMITS } from '../process/shared-pieces.ts';

/** One download, as the thread is told of it. */
export interface ReadingRequest {
  /** A presigned address: a secret until it expires. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** After so long without a byte the download has failed. */
  readonly idleMs: number;
  /** See `createSlots`. */
  readonly memory: SharedArrayBuffer;
}

/** Null for a header that is not there. */
export interface ReadingAnswer {
  readonly status: number;
  readonly bytes: number | null;
  readonly etag: string | null;
  /** `bytes <first>-<last>/<all>` (RFC 9110, 14.4). */
  readonly contentRange: string | null;
}

/** What the thread says. */
export type ReadingMessage =
  | ({ readonly type: 'answer' } & ReadingAnswer)
  | PieceMessage
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly code: string };

/** What the answer to a download says, and its content. */
export interface ThreadReading {
  readonly answer: ReadingAnswer;
  /** Each is used up once the next one is asked for. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** For an answer whose content nobody reads. */
  end(): Promise<void>;
}

/**
 * Downloads on a thread of its own. What a stream of Node.js reads are buffers of their own, and for some ten MB of them the
 * collector marks everything that the process has; a thread has next to nothing to mark.
 * @throws an `Error` with the code of a connection that failed; the reason of the signal
 */
export async function readOnThread(
  request: Omit<ReadingRequest, 'memory'>,
  signal: AbortSignal | undefined,
): Promise<ThreadReading> {
  signal?.throwIfAborted();
  const memory = createSlots();
  const workerData: ReadingRequest = { ...request, memory };
  const thread = new Worker(new URL('./reading-thread-main.ts', import.meta.url), {
    ...{ workerData, env: {}, execArgv: [], resourceLimits: THREAD_LIMITS },
  });
  // A download that nobody ends any more holds no process: it ends by itself when nothing is read of it.
  thread.unref();
  // Who reads hears of it as well; nobody may be reading any more.
  thread.on('error', () => undefined);
  const end = async (): Promise<void> => void (await thread.terminate());
  const messages = messagesOf(thread, signal);
  try {
    const { value } = await messages.next();
    if (value?.type !== 'answer') throw failed(value);
    return { answer: value, pieces: piecesOf(thread, messages, memory), end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function* messagesOf(thread: Worker, signal: AbortSignal | undefined): AsyncGenerator<ReadingMessage, undefined> {
  const onAbort = (): void => void thread.terminate();
  signal?.addEventListener('abort', onAbort);
  try {
    for await (const [message] of on(thread, 'message', { close: ['exit'] })) yield message as ReadingMessage;
    signal?.throwIfAborted();
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

async function* piecesOf(
  thread: Worker,
  messages: AsyncGenerator<ReadingMessage, undefined>,
  memory: SharedArrayBuffer,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const message of messages) {
      if (message.type === 'end') return;
      if (message.type !== 'piece') throw failed(message);
      yield bytesOf(memory, message);
      thread.postMessage(message.slot);
    }
    throw failed(undefined);
  } finally {
    await thread.terminate();
  }
}

function failed(message: ReadingMessage | undefined): Error {
  const code = message?.type === 'failed' ? message.code : 'ECONNRESET';
  return Object.assign(new Error(`the download ended early (${code})`), { code });
}
