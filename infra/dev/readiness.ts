import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fetch } from 'undici';
import { isListening } from './is-listening.ts';

/** How a child shows that it serves. */
export type Readiness =
  | { readonly kind: 'ipc' }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  /** `status`: what it answers to whoever has no credentials; by default any that is a success. */
  | { readonly kind: 'http'; readonly url: string; readonly status?: number };

const POLL_MS = 60;

/** Resolves once the child serves. Obeys the signal; never resolves otherwise, so the caller sets the deadline. */
export async function waitUntilReady(child: ChildProcess, readiness: Readiness, signal: AbortSignal): Promise<void> {
  if (readiness.kind === 'ipc') return waitForMessage(child, signal);
  for (;;) {
    signal.throwIfAborted();
    const answers = readiness.kind === 'tcp' ? acceptsTcp(readiness.host, readiness.port) : answersHttp(readiness);
    // Whoever else has the port answers as well, and the child is about to find out.
    if ((await answers) && (await isListening(child.pid, portOf(readiness))) !== false) return;
    await delay(POLL_MS, undefined, { signal });
  }
}

function portOf(readiness: Exclude<Readiness, { kind: 'ipc' }>): number {
  return readiness.kind === 'tcp' ? readiness.port : Number(new URL(readiness.url).port);
}

function waitForMessage(child: ChildProcess, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (message === 'ready') resolve();
    });
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** True when something accepts connections there. */
export function acceptsTcp(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

async function answersHttp({ url, status }: Readiness & { kind: 'http' }): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return status === undefined ? response.ok : response.status === status;
  } catch {
    // Not answering yet is what is being waited out; the deadline turns it into an error.
    return false;
  }
}
