import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RelayedLedger {
  readonly url: string;
  /** Idempotency keys of the emits that the ledger has answered, each as often as it came. */
  readonly keys: string[];
  /** Runs when the ledger has answered the nth emit, before the caller hears of it. */
  beforeAnswer: (nth: number) => Promise<void>;
  stop(): Promise<void>;
}

/** Stands between a caller and the real ledger. */
export async function startRelayedLedger(ledgerUrl: string): Promise<RelayedLedger> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = new Headers();
    for (const name of ['content-type', 'idempotency-key', 'x-internal-key']) {
      headers.set(name, String(request.headers[name]));
    }
    const answer = await fetch(ledgerUrl + request.url, { method: 'POST', headers, body });
    const reply = await answer.text();
    relay.keys.push(headers.get('idempotency-key') ?? '');
    await relay.beforeAnswer(relay.keys.length);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(reply);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const relay: RelayedLedger = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: [],
    beforeAnswer: async () => undefined,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return relay;
}
