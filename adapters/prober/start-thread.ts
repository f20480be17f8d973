import { Worker } from 'node:worker_threads';
import { FairleadError } from '../../domain/errors.ts';
import {
  openSigns,
  type ProberCommand,
  type ProberEvent,
  SIGNS_BYTES,
  type ThreadSettings,
} from './prober-messages.ts';

export type Question = 'controls' | 'status';
type Reply<Q extends Question> = Extract<ProberEvent, { readonly type: Q }>;
export type ThreadResults = Extract<ProberEvent, { readonly type: 'results' }>;

export interface ProberThread {
  send(command: ProberCommand): void;
  /** @throws UNAVAILABLE (retryable) when the thread ends before it answers */
  ask<Q extends Question>(question: Q): Promise<Reply<Q>>;
  /** See `Signs`. */
  beats(): number;
  mark(): number;
  end(): Promise<void>;
}

export interface ThreadOptions {
  readonly url: URL;
  readonly settings: Omit<ThreadSettings, 'signs'>;
  readonly onResults: (results: ThreadResults) => void;
  /** Once, however it ended. */
  readonly onEnd: (cause: unknown) => void;
}

export function startThread({ url, settings, onResults, onEnd }: ThreadOptions): ProberThread {
  const shared = new SharedArrayBuffer(SIGNS_BYTES);
  const { beats, mark } = openSigns(shared);
  const workerData: ThreadSettings = { ...settings, signs: shared };
  const worker = new Worker(url, { workerData });
  const waiting = new Map<number, PromiseWithResolvers<ProberEvent>>();
  let lastAsk = 0;
  let cause: unknown;

  worker.on('message', (event: ProberEvent) => {
    if (event.type === 'results') return onResults(event);
    waiting.get(event.ask)?.resolve(event);
    waiting.delete(event.ask);
  });
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', () => {
    const ended = new FairleadError('UNAVAILABLE', 'A thread of the prober ended', { retryable: true, cause });
    for (const { reject } of waiting.values()) reject(ended);
    onEnd(cause);
  });
  return {
    send: (command) => worker.postMessage(command),
    ask: async (question) => {
      const ask = ++lastAsk;
      const answer = Promise.withResolvers<ProberEvent>();
      waiting.set(ask, answer);
      worker.postMessage({ type: question, ask } satisfies ProberCommand);
      return (await answer.promise) as Reply<typeof question>;
    },
    ...{ beats, mark },
    async end() {
      await worker.terminate();
    },
  };
}
