import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface LoopbackClient {
  readonly address: string;
  readonly redirectUri: string;
  stop(): Promise<void>;
}

/**
 * The smallest web application that signs people in: `/` leads to the provider (`/?prompt=…` passes parameters on),
 * `/callback` checks state and issuer, redeems the code with PKCE, and shows whose access token it got.
 */
export async function startLoopbackClient(options: {
  issuer: () => string;
  clientId: string;
  clientSecret: () => string;
}): Promise<LoopbackClient> {
  const logins = new Map<string, string>();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(error.message);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  const address = `http://127.0.0.1:${bound.port}`;
  const redirectUri = `${address}/callback`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', address);
    if (url.pathname === '/') begin(url.searchParams, response);
    else if (url.pathname === '/callback') await finish(url.searchParams, response);
    else response.writeHead(404).end();
  }

  function begin(extra: URLSearchParams, response: ServerResponse): void {
    const state = randomBytes(16).toString('base64url');
    const verifier = randomBytes(32).toString('base64url');
    logins.set(state, verifier);
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: options.clientId,
      redirect_uri: redirectUri,
      scope: 'openid email',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...Object.fromEntries(extra),
    });
    response.writeHead(302, { location: `${options.issuer()}/oauth/authorize?${query}` }).end();
  }

  async function finish(answer: URLSearchParams, response: ServerResponse): Promise<void> {
    const verifier = logins.get(answer.get('state') ?? '');
    if (verifier === undefined) throw new Error('a state nobody began with');
    if (answer.get('iss') !== options.issuer()) throw new Error('another issuer');
    const error = answer.get('error');
    response.setHeader('content-type', 'text/html');
    if (error !== null) {
      response.end(`<title>Client</title><h1>Refused: ${error}</h1>`);
      return;
    }
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: options.clientId,
      client_secret: options.clientSecret(),
      code: answer.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: redirectUri,
    });
    const reply = await fetch(`${options.issuer()}/api/oauth/token`, { method: 'POST', body });
    const tokens = (await reply.json()) as { access_token?: string; error?: string };
    const [, payload = ''] = tokens.access_token?.split('.') ?? [];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}') as {
      email?: string;
      amr?: string[];
    };
    response.end(`<title>Client</title><h1>Hello ${claims.email}</h1><p>${claims.amr?.join(' ')}</p>`);
  }

  return {
    address,
    redirectUri,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
