import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
  readonly key: string;
  readonly authorization: string;
  readonly eventType: string;
  readonly entityId: string;
}

/** A ledger on loopback as far as the client sees one: real HTTP, answers that the test chooses, every emit remembered. */
export async function startTestLedger(port = 0) {
  const received: ReceivedEvent[] = [];
  const ledger = {
    url: '',
    received,
    /** The answers to come, one after the other, in the ledger's words or as a page of something else; 201 when there is none. */
    statuses: [] as (number | { readonly status: number; readonly page: string })[],
    /** Held answers wait for this. */
    gate: Promise.resolve() as Promise<unknown>,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { eventType, entityId } = JSON.parse(text);
    const key = String(request.headers['idempotency-key']);
    received.push({ key, authorization: request.headers.authorization ?? '', eventType, entityId });
    await ledger.gate;
    const next = ledger.statuses.shift() ?? 201;
    if (typeof next !== 'number') {
      response.writeHead(next.status, { 'content-type': 'text/html' }).end(next.page);
      return;
    }
    const status = next;
    const body =
      status === 201 ? { success: true, data: { receipt: receiptOf(received.length - 1) } } : refusal(status);
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' }).end(JSON.stringify(body));
  }
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  ledger.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return ledger;
}

const hash = (digit: string): string => `0x${digit.repeat(64)}`;

function receiptOf(chainIndex: number) {
  return {
    version: 1,
    eventId: `evt_${chainIndex}`,
    namespace: 'shop',
    chainIndex,
    prevHash: hash('0'),
    eventHash: hash('1'),
    createdAt: '2026-11-20T10:00:00.000Z',
    keyId: 'k',
    signature: 'c2ln',
  };
}

const CODES: Readonly<Record<number, string>> = { 429: 'RATE_LIMIT_EXCEEDED', 500: 'INTERNAL', 503: 'UNAVAILABLE' };
const refusal = (status: number) => ({
  success: false,
  error: { code: CODES[status] ?? 'EVENT_INVALID', message: 'no' },
});
