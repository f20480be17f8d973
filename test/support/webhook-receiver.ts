import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WebhookReceiver {
  readonly origin: string;
  /** Kinds of notices by their `webhook-id`: a repeat counts once. */
  readonly notices: ReadonlyMap<string, string>;
  stop(): void;
}

/** Takes webhooks on the loopback. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const notices = new Map<string, string>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    notices.set(String(request.headers['webhook-id']), JSON.parse(body).type);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    notices,
    stop: () => server.close().closeAllConnections(),
  };
}
