import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A listener on this machine that the browser comes back to (RFC 8252, 7.3). */
export interface LoopbackCallback {
  /** Such as `http://127.0.0.1:41234/callback`. */
  readonly redirectUri: string;
  /** Resolves with the address the browser came back to. Rejects with the signal's reason. */
  wait(signal: AbortSignal): Promise<URL>;
  /** Tells the waiting browser how it went. */
  answer(ok: boolean, text: string): void;
  close(): void;
}

const PATH = '/callback';
const DRAIN_MS = 500;

/**
 * Listens on 127.0.0.1, on a port of the system's choice. Only an answer to our own question is taken: anything without
 * `state` gets 400 and the waiting goes on, so nobody else on the machine can end the login.
 */
export async function listenForCallback(state: string): Promise<LoopbackCallback> {
  const came = Promise.withResolvers<URL>();
  let browser: ServerResponse | null = null;
  const server = createServer((request, response) => {
    const url = callbackOf(request, state, redirectUri);
    if (url === null || browser !== null) {
      response.writeHead(400, { connection: 'close' }).end();
      return;
    }
    browser = response;
    came.resolve(url);
  });
  await listen(server);
  const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  return {
    redirectUri,
    wait: async (signal) => {
      const stop = (): void => came.reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      try {
        return await came.promise;
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
    answer: (ok, text) => {
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        connection: 'close',
      };
      browser?.writeHead(ok ? 200 : 400, headers).end(page(text));
    },
    close: () => {
      server.close();
      // A browser may hold connections open that it never used; what was answered has a moment to arrive.
      setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
    },
  };
}

function callbackOf(request: IncomingMessage, state: string, redirectUri: string): URL | null {
  const url = URL.parse(request.url ?? '/', redirectUri);
  if (url === null) return null;
  const ours = request.method === 'GET' && url.pathname === PATH && url.origin === new URL(redirectUri).origin;
  return ours && url.searchParams.get('state') === state ? url : null;
}

function listen(server: Server): Promise<void> {
  return new Promise((ready, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', ready);
  });
}

/** `text` is ours, never of the address. */
function page(text: string): string {
  const style =
    'font:1.1rem system-ui,sans-serif;margin:20vh auto;max-width:30rem;text-align:center;color-scheme:light dark';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Fairlead</title><body style="${style}"><p>${text}</p></body></html>`;
}
