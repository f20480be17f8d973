import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Asked when a service has carried a call out, before its caller hears of it. True: the caller never does. */
export type Interrupt = (call: string) => boolean;

export interface KillingProxy {
  /** `http://localhost:<port>` */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Calls that are about tokens alone, and change nothing of a deploy. */
const TOKENS = /^\/oauth\/(token|introspect|revoke)/;
/** What differs from one deploy to the next: names of services and clients, ids. */
const OF_ONE_DEPLOY = /[^/]*(-[0-9a-f]{6}|[a-z]+_[A-Za-z0-9-]{8,})[^/]*/g;

/**
 * Stands before a service of the platform. Whatever changes something there reaches it; whether the answer comes back is
 * for the test to say, by the call's name such as `PUT /v1/services/*`.
 */
export async function startKillingProxy(port: number, interrupt: Interrupt): Promise<KillingProxy> {
  const proxy = createServer((client, answer) => {
    const onward = httpRequest({
      port,
      host: '127.0.0.1',
      method: client.method,
      path: client.url,
      headers: client.headers,
    });
    // Where nobody listens, the caller sees a connection that ends.
    onward.on('error', () => client.socket.destroy());
    onward.on('response', (service) => void relay(client, service, answer, interrupt));
    client.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}`,
    stop: () => {
      proxy.closeAllConnections();
      return new Promise((resolve) => proxy.close(() => resolve()));
    },
  };
}

async function relay(
  client: IncomingMessage,
  service: IncomingMessage,
  answer: ServerResponse,
  interrupt: Interrupt,
): Promise<void> {
  try {
    const body: Buffer[] = [];
    for await (const chunk of service) body.push(chunk);
    const path = (client.url ?? '').split('?')[0] ?? '';
    const changes = client.method !== 'GET' && client.method !== 'HEAD' && !TOKENS.test(path);
    const isDone = (service.statusCode ?? 500) < 400;
    if (changes && isDone && interrupt(`${client.method} ${path.replaceAll(OF_ONE_DEPLOY, '*')}`)) {
      client.socket.destroy();
      return;
    }
    answer.writeHead(service.statusCode ?? 502, service.headers).end(Buffer.concat(body));
  } catch {
    client.socket.destroy();
  }
}
