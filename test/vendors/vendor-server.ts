import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface VendorRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export interface VendorAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What goes wrong with requests that match, so many times. */
export interface VendorFault {
  /** Of `GET /path`. */
  readonly matches: RegExp;
  readonly times: number;
  readonly delayMs?: number;
  /** Instead of the answer; `cut` ends the connection in the middle of it. */
  readonly answer?: VendorAnswer | 'cut';
}

/** An HTTP server that stands for a vendor, with faults to be injected. It keeps what it was asked. */
export async function startVendorServer(answer: (request: VendorRequest) => Promise<VendorAnswer>) {
  const faults: { fault: VendorFault; left: number }[] = [];
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    void serve(incoming, response).catch(() => response.destroy());
  });
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://vendor');
    const method = incoming.method ?? 'GET';
    const line = `${method} ${url.pathname}`;
    asked.push(line);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = { method, path: url.pathname, query: url.searchParams, headers: incoming.headers };
    const found = faults.find(({ fault, left }) => left > 0 && fault.matches.test(line));
    if (found !== undefined) found.left -= 1;
    if (found?.fault.delayMs !== undefined) await delay(found.fault.delayMs, undefined, { ref: false });
    const instead = found?.fault.answer;
    const given = instead ?? (await answer({ ...request, text: Buffer.concat(chunks).toString('utf8') }));
    send(response, given);
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  return {
    address,
    asked,
    fail(fault: VendorFault): void {
      faults.push({ fault, left: fault.times });
    },
    /** A fetch whose requests to these hosts come here. */
    fetchFor(hosts: readonly string[]): typeof fetch {
      return (input, init) => {
        const url = new URL(input instanceof Request ? input.url : input);
        if (!hosts.includes(url.host)) throw new TypeError(`${url.host} is none of the vendor's`);
        return fetch(`${address}${url.pathname}${url.search}`, init);
      };
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function send(response: ServerResponse, answer: VendorAnswer | 'cut'): void {
  if (answer === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"result": [');
    setImmediate(() => response.destroy());
    return;
  }
  const { status, body, headers = {} } = answer;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === null ? undefined : JSON.stringify(body));
}
