import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { freePort } from './free-port.ts';

/** The longest wait of a client under test. */
export const PATIENCE_MS = 300;

/** A server in the place of a service of the platform. @returns its base address */
export async function serveUpstream(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers with a status and a text of JSON. */
export const answering =
  (status: number, text: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(text);

export const failing = (status: number, code: string, message = 'no'): RequestListener =>
  answering(status, JSON.stringify({ success: false, error: { code, message } }));

/** What a service answers that is not well; each is UNAVAILABLE, retryable and of its system, with these words. */
export const UPSTREAM_FAULTS: readonly [what: string, listener: RequestListener, message: RegExp][] = [
  ['no JSON', answering(200, '<html>'), /answered 200 in an unexpected format/],
  ['JSON of another kind', answering(200, '[]'), /answered 200 in an unexpected format/],
  ['more than it may', answering(200, `{"success":true,"data":"${'x'.repeat(70_000)}"}`), /unexpected format/],
  ['an error of a proxy', answering(502, 'Bad Gateway'), /answered 502 in an unexpected format/],
  ['a page that is not there', answering(404, 'Not Found'), /answered 404 in an unexpected format/],
  ['an error of its own', failing(500, 'INTERNAL'), /failed with INTERNAL/],
  ['a rate limit', failing(429, 'RATE_LIMITED'), /failed with RATE_LIMITED/],
  ['a code that we do not know', failing(400, 'NEW'), /failed with NEW/],
  ['a redirect', (_request, response) => void response.writeHead(302, { location: '/x' }).end(), /cannot be reached/],
  [
    'half an answer, and dies',
    (_request, response) =>
      void response.writeHead(200, { 'content-length': '999' }).write('{"succ', () => response.destroy()),
    /cannot be reached/,
  ],
  ['half an answer, and stalls', (_request, response) => void response.writeHead(200).write('{"su'), /did not answer/],
  ['a cut connection', (request) => void request.socket.destroy(), /cannot be reached/],
  ['silence', () => undefined, /did not answer within 0\.3 s/],
];

/** An address where nobody listens. */
export const refusedAddress = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`;
