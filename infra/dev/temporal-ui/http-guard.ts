import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { equalsSecret } from '../../../adapters/crypto/equals-secret.ts';

/** Says that a request is one that the guard let through: the UI's program passes it on to the guard of gRPC. */
export const KEY_HEADER = 'x-fairlead-ui';

/** The name to sign in with. */
export const UI_USER = 'fairlead';

export interface HttpGuardOptions {
  readonly password: string;
  /** What lets a request pass the guard of gRPC. */
  readonly key: string;
  /** Starts the UI's program, if it does not run; resolves with its port. */
  readonly uiPort: () => Promise<number>;
  readonly onError: (error: unknown) => void;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Passes on the requests of whoever signs in with the password (HTTP Basic, RFC 7617). */
export function createHttpGuard(options: HttpGuardOptions): Server {
  return createServer((incoming, response) => {
    if (!isSignedIn(incoming, options.password)) return challenge(response);
    // A browser sends the password with what pages of others make it send, too.
    if (!SAFE_METHODS.has(incoming.method ?? '') && !isOwnPage(incoming)) return answer(response, 403, 'another site');
    options.uiPort().then(
      (port) => passOn(incoming, response, port, options),
      (error) => {
        options.onError(error);
        answer(
          response,
          502,
          'the Temporal UI does not start; see its log: fairlead platform tail temporal-ui --stream error',
        );
      },
    );
  });
}

function isSignedIn({ headers }: IncomingMessage, password: string): boolean {
  const [, encoded = ''] = /^basic +([\w+/=-]+)$/i.exec(headers.authorization ?? '') ?? [];
  return equalsSecret(Buffer.from(encoded, 'base64').toString(), `${UI_USER}:${password}`);
}

function challenge(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Basic realm="Temporal UI of Fairlead", charset="UTF-8"');
  answer(response, 401, `Sign in as ${UI_USER}. "npx fairlead credentials temporal-ui" shows the password.`);
}

/** Programs that are no browser name no origin. */
function isOwnPage({ headers }: IncomingMessage): boolean {
  return headers.origin === undefined || headers.origin === `http://${headers.host}`;
}

function passOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  port: number,
  { key, onError }: HttpGuardOptions,
): void {
  const { authorization: _password, ...headers } = incoming.headers;
  const outgoing = request({
    ...{ host: '127.0.0.1', port, method: incoming.method, path: incoming.url },
    headers: { ...headers, [KEY_HEADER]: key },
  });
  outgoing.once('response', (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    pipeline(reply, response, () => undefined);
  });
  outgoing.once('error', (error) => {
    onError(error);
    if (response.headersSent) response.destroy();
    else answer(response, 502, 'the Temporal UI does not answer');
  });
  response.once('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${text}\n`);
}
