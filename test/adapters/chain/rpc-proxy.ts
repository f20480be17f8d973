import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a test makes of a call: the node's answer, another one, none at all, or a broken connection. */
export type Meddle = (
  call: RpcCall,
  ask: () => Promise<{ result?: unknown; error?: unknown }>,
) => Promise<{ result?: unknown; error?: unknown } | 'hang' | 'break' | 'status 503' | 'no json'>;

export interface RpcProxy {
  readonly url: string;
  readonly calls: RpcCall[];
  meddle: Meddle;
  stop(): Promise<void>;
}

/** Stands between us and a node, and can be every kind of bad node. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const held = new Set<ServerResponse>();
  const proxy = { url: '', calls: [] as RpcCall[], meddle: ((_call, ask) => ask()) as Meddle };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const call: RpcCall = JSON.parse(body);
    proxy.calls.push(call);
    const ask = async () => {
      const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return (await answer.json()) as { result?: unknown; error?: unknown };
    };
    const outcome = await proxy.meddle(call, ask);
    if (outcome === 'break') response.destroy();
    else if (outcome === 'hang') held.add(response);
    else if (outcome === 'status 503') response.writeHead(503).end('upstream is away');
    else if (outcome === 'no json') response.end('<html>rate limited</html>');
    else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...outcome }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  // The secret of a provider's address, which must show up nowhere.
  proxy.url = `http://127.0.0.1:${address.port}/v3/provider-key-canary`;
  return Object.assign(proxy, {
    async stop() {
      for (const response of held) response.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
