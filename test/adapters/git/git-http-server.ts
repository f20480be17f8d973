import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GitHttpServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** `METHOD path` and the Authorization header of each request. */
  readonly requests: { readonly line: string; readonly authorization: string | undefined }[];
  /** What the next requests meet: the repositories, an answer without content, or silence. */
  answer: 'serve' | 'hang' | { readonly status: number; readonly headers?: Record<string, string> };
  /** False: speaks protocol 0, where a server gives out nothing but the heads it advertises. */
  protocol2: boolean;
  close(): Promise<void>;
}

/** A smart-HTTP git host on loopback: `git http-backend` on the repositories below `root`, behind Basic auth. */
export async function startGitHttpServer(root: string, token: string | null): Promise<GitHttpServer> {
  const requests: GitHttpServer['requests'] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    requests.push({ line: `${request.method} ${request.url}`, authorization });
    if (host.answer === 'hang') return;
    if (host.answer !== 'serve') {
      response.writeHead(host.answer.status, host.answer.headers).end();
      return;
    }
    const password = Buffer.from(authorization?.replace('Basic ', '') ?? '', 'base64')
      .toString()
      .split(':')[1];
    if (token !== null && password !== token) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    serve(root, request, response, host.protocol2);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host: GitHttpServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: 'serve',
    protocol2: true,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return host;
}

function serve(root: string, request: IncomingMessage, response: ServerResponse, protocol2: boolean): void {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: protocol2 ? request.headers['git-protocol']?.toString() : undefined,
      REMOTE_USER: 'test',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  backend.stdin.on('error', () => {});
  request.pipe(backend.stdin);
  let head = Buffer.alloc(0);
  const onHead = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    backend.stdout.off('data', onHead);
    const fields = head.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => [field.split(': ')[0], field.split(': ').slice(1).join(': ')]),
    );
    response.writeHead(Number.parseInt(headers.Status ?? '200', 10), headers);
    response.write(head.subarray(end + 4));
    backend.stdout.pipe(response);
  };
  backend.stdout.on('data', onHead);
}
