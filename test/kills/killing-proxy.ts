import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Asked when a service has carried a call out, before its caller hears of it. True: the caller never does. */
export type Interrupt = (call: string, service: string) => Promise<boolean>;

export interface KillingProxy {
  /** `http://localhost:<port>` */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Calls that are about tokens and keys alone, pages, and looks at the health: no step of a deploy makes them. */
const OF_NO_STEP = /^\/(?:oauth\/|api\/oauth\/|\.well-known\/|health|openapi\.json|$)/;
/** What differs from one deploy to the next: names of services and clients, ids, versions of packages. */
const OF_ONE_DEPLOY = /[^/]*(-[0-9a-f]{6}|[a-z]+_[A-Za-z0-9-]{8,}|%40\d+\.\d)[^/]*/g;

/**
 * Stands before a service. Every call reaches it; whether the answer comes back is for the test to say, by the call's name
 * such as `PUT /v1/services/*`.
 */
export async function startKillingProxy(
  { port, service: name }: { readonly port: number; readonly service: string },
  interrupt: Interrupt,
): Promise<KillingProxy> {
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
    onward.on('response', (service) => void relay(client, service, answer, (call) => interrupt(call, name)));
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
  interrupt: (call: string) => Promise<boolean>,
): Promise<void> {
  try {
    const body: Buffer[] = [];
    for await (const chunk of service) body.push(chunk);
    const path = (client.url ?? '').split('?')[0] ?? '';
    const isDone = (service.statusCode ?? 500) < 400;
    if (!OF_NO_STEP.test(path) && isDone && (await interrupt(nameOf(client.method, path)))) {
      client.socket.destroy();
      return;
    }
    answer.writeHead(service.statusCode ?? 502, service.headers).end(Buffer.concat(body));
  } catch {
    client.socket.destroy();
  }
}

const nameOf = (method: string | undefined, path: string): string => `${method} ${path.replaceAll(OF_ONE_DEPLOY, '*')}`;
