import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getOverTls } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import { createPieceWriter } from '../process/shared-pieces.ts';
import type { ReadingMessage, ReadingRequest } from './reading-thread.ts';

/** The thread of one download: see `readOnThread`. It ends with its last message. */
const { url, headers, idleMs, memory } = workerData as ReadingRequest;
/** Whoever reads nothing for so long gets the rest from another thread, if it asks for it: this one is not to stay for ever. */
const pieces = createPieceWriter(memory, tell, idleMs);
parentPort?.on('message', (slot: number) => pieces.takeBack(slot));

try {
  const answer = await ask();
  answer.once('close', () => answer.complete || pieces.fail(answer.errored ?? new Error('closed early')));
  const { 'content-length': length, 'content-range': contentRange = null, etag = null } = answer.headers;
  const bytes = length === undefined ? null : Number(length);
  tell({ type: 'answer', status: answer.statusCode ?? 0, bytes, etag, contentRange });
  for await (const chunk of answer) {
    await pieces.write(chunk as Buffer);
    pieces.flush();
  }
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

function tell(message: ReadingMessage): void {
  parentPort?.postMessage(message);
}
