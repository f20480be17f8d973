import { z } from 'zod';
import type { ProbeResult } from '../../../domain/deploys/workload-runtime.ts';

export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Answers a GET of a path; null where nothing listens. */
export type Listener = (path: string) => Reply | null | Promise<Reply | null>;

/** Addresses of this process and what answers there. */
export interface InMemoryNetwork {
  /** A new address, such as `http://127.0.0.1:20001`. */
  listen(listener: Listener): string;
  /** Lets something else answer at an address. */
  replace(address: string, listener: Listener): void;
  close(address: string): void;
  /** Null when nothing answers there. @throws the abort reason, also while it waits */
  get(address: string, path: string, signal: AbortSignal): Promise<Reply | null>;
}

const FIRST_PORT = 20_000;

export function createInMemoryNetwork(): InMemoryNetwork {
  const listeners = new Map<string, Listener>();
  let port = FIRST_PORT;
  return {
    listen(listener) {
      port += 1;
      const address = `http://127.0.0.1:${port}`;
      listeners.set(address, listener);
      return address;
    },
    replace: (address, listener) => void listeners.set(address, listener),
    close: (address) => void listeners.delete(address),
    async get(address, path, signal) {
      signal.throwIfAborted();
      return await unlessAborted(Promise.resolve(listeners.get(address)?.(path) ?? null), signal);
    },
  };
}

const READ_LIMIT_BYTES = 64 * 1024;
const healthAnswer = z.object({ commit: z.string().max(200) });

/** What a probe of `url` tells of its reply. */
export function probeResult(url: string, reply: Reply | null): ProbeResult {
  if (reply === null) {
    return { ok: false, status: null, summary: `GET ${url} was refused: the container does not run`, commit: null };
  }
  const ok = reply.status >= 200 && reply.status < 300;
  const summary = `GET ${url} answered ${reply.status}`;
  return { ok, status: reply.status, summary, commit: ok ? commitOf(reply.body) : null };
}

function commitOf(body: string): string | null {
  try {
    return healthAnswer.parse(JSON.parse(body.slice(0, READ_LIMIT_BYTES))).commit;
  } catch {
    return null;
  }
}

/** What the work gives, or the reason of the abort if that comes first. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
