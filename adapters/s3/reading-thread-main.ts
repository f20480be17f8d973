import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getOverTls } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import { type ReadingMessage, type ReadingRequest, SLOT_BYTES, SLOTS } from './reading-thread.ts';

/** The thread of one download: see `readOnThread`. It ends with its last message. */
const { url, headers, idleMs, memory } = workerData as ReadingRequest;
const free = Array.from({ length: SLOTS }, (_, slot) => slot);
/** Set while a piece waits for a slot. */
let waiting: PromiseWithResolvers<number> | null = null;

parentPort?.on('message', (slot: number) => {
  if (waiting === null) free.push(slot);
  else waiting.resolve(slot);
  waiting = null;
});

try {
  const answer = await ask();
  answer.once('close', () => answer.complete || waiting?.reject(answer.errored ?? new Error('closed early')));
  const { 'content-length': length, 'content-range': contentRange = null, etag = null } = answer.headers;
  const bytes = length === undefined ? null : Number(length);
  tell({ type: 'answer', status: answer.statusCode ?? 0, bytes, etag, contentRange });
  for await (const chunk of answer) await give(chunk as Buffer);
  tell({ type: 'end' });
} catch (error) {
  tell({ type: 'failed', code: (error as NodeJS.ErrnoException).code ?? 'Error' });
}
parentPort?.close();

function ask(): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const get = url.startsWith('https:') ? getOverTls : getPlain;
  const request = get(url, { headers, agent: false, timeout: idleMs }, resolve);
  request.on('timeout', () => request.destroy(Object.assign(new Error('no byte came'), { code: 'ETIMEDOUT' })));
  request.on('error', reject);
  return promise;
}

async function give(chunk: Buffer): Promise<void> {
  for (let offset = 0; offset < chunk.length; offset += SLOT_BYTES) {
    const part = chunk.subarray(offset, offset + SLOT_BYTES);
    const slot = free.pop() ?? (await nextFree());
    new Uint8Array(memory, slot * SLOT_BYTES, part.length).set(part);
    tell({ type: 'piece', slot, bytes: part.length });
  }
}

/** Whoever reads nothing for so long gets the rest from another thread, if it asks for it: this one is not to stay for ever. */
function nextFree(): Promise<number> {
  const next = Promise.withResolvers<number>();
  waiting = next;
  const timer = setTimeout(
    () => next.reject(Object.assign(new Error('nothing is read'), { code: 'ETIMEDOUT' })),
    idleMs,
  );
  return next.promise.finally(() => clearTimeout(timer));
}

function tell(message: ReadingMessage): void {
  parentPort?.postMessage(message);
}
