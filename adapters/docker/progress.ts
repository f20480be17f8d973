import { z } from 'zod';

/** One message of the engine's progress streams (pull, push, import). */
const progressEvent = z.object({
  id: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  errorDetail: z.object({ message: z.string() }).optional(),
  aux: z.object({ Digest: z.string().optional(), ID: z.string().optional() }).optional(),
});

export type ProgressEvent = z.infer<typeof progressEvent>;

/**
 * Reads a progress stream to its end. Aborting closes the connection, which makes the engine stop.
 * @throws the abort reason; an Error with the engine's words when the stream reports a failure; an error with code
 *   ERR_STREAM_PREMATURE_CLOSE or ECONNRESET when the engine ended in the middle
 */
export async function followProgress(
  stream: NodeJS.ReadableStream,
  signal: AbortSignal,
  onEvent: (event: ProgressEvent) => void,
): Promise<void> {
  const stop = (): void => {
    if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const line of linesOf(stream)) {
      if (line.trim() === '') continue;
      const event = progressEvent.parse(JSON.parse(line));
      const failure = event.errorDetail?.message ?? event.error;
      if (failure !== undefined) throw new Error(failure);
      onEvent(event);
    }
    signal.throwIfAborted();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Unlike `readline`, which waits for ever on a stream that was closed before its end, it throws then. */
async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
