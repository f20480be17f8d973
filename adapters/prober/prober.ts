import { Worker } from 'node:worker_threads';
import { FairleadError } from '../../domain/errors.ts';
import type { ProbeListener, Prober, ProberStatus, ProbeSession } from '../../domain/monitors/prober-ports.ts';
import { monotonicMs, type ProberCommand, type ProberEvent, type ProberSettings } from './prober-messages.ts';

/**
 * The prober of a process: one thread for all shards that the process holds. It starts with the first of them, and anew
 * with the next one after it ended.
 */
export function createProber(settings: ProberSettings): Prober {
  let thread: ProberThread | null = null;
  let lastSession = 0;
  const running = (): ProberThread => {
    thread ??= startThread(settings, () => {
      thread = null;
    });
    return thread;
  };
  return {
    nowMs: monotonicMs,
    open(listener, aheadMs) {
      const session = ++lastSession;
      const at = running();
      at.listen(session, listener);
      at.send({ type: 'anchor', aheadMs });
      return sessionOn(at, session);
    },
    askControls: async () => {
      const { controls, answering } = await running().ask('controls');
      return { controls, answering };
    },
    status: async () => (thread === null ? IDLE : (await thread.ask('status')).status),
    close: async () => await thread?.end(),
  };
}

const IDLE: ProberStatus = { checks: 0, lateness: null, skipped: { overdue: 0, crowded: 0, overlapping: 0 } };

function sessionOn(thread: ProberThread, session: number): ProbeSession {
  return {
    set: (monitors) => thread.send({ type: 'set', session, monitors }),
    remove: (monitorIds) => thread.send({ type: 'remove', session, monitorIds }),
    settle: (found) => thread.send({ type: 'settle', session, found }),
    anchor: (aheadMs) => thread.send({ type: 'anchor', aheadMs }),
    close() {
      thread.silence(session);
      thread.send({ type: 'close', session });
    },
  };
}

type Question = 'controls' | 'status';
type Reply<Q extends Question> = Extract<ProberEvent, { readonly type: Q }>;

interface ProberThread {
  send(command: ProberCommand): void;
  /** @throws UNAVAILABLE (retryable) when the thread ends before it answers */
  ask<Q extends Question>(question: Q): Promise<Reply<Q>>;
  listen(session: number, listener: ProbeListener): void;
  silence(session: number): void;
  end(): Promise<void>;
}

function startThread(workerData: ProberSettings, onEnd: () => void): ProberThread {
  const worker = new Worker(new URL('./prober-thread.ts', import.meta.url), { workerData });
  const listeners = new Map<number, ProbeListener>();
  const waiting = new Map<number, PromiseWithResolvers<ProberEvent>>();
  let lastAsk = 0;
  let cause: unknown;

  worker.on('message', (event: ProberEvent) => {
    if (event.type !== 'results') {
      waiting.get(event.ask)?.resolve(event);
      waiting.delete(event.ask);
      return;
    }
    const listener = listeners.get(event.session);
    if (event.results.length > 0) listener?.onResults(event.results);
    if (event.due.length > 0) listener?.onHeartbeatsDue(event.due);
  });
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', () => {
    onEnd();
    const ended = new FairleadError('UNAVAILABLE', "The prober's thread ended", { retryable: true, cause });
    for (const { reject } of waiting.values()) reject(ended);
    for (const listener of listeners.values()) listener.onEnd(ended);
    listeners.clear();
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
    listen: (session, listener) => void listeners.set(session, listener),
    silence: (session) => void listeners.delete(session),
    async end() {
      await worker.terminate();
    },
  };
}
