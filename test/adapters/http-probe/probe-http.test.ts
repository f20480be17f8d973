import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { probeHttp } from '../../../adapters/http-probe/probe-http.ts';

/** A server on a free port of loopback, and the requests it got. */
async function listen() {
  const asked: { readonly host: string | undefined; readonly path: string | undefined }[] = [];
  const server = createServer(({ headers, url }, reply) => {
    asked.push({ host: headers.host, path: url });
    reply.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { asked, host: `127.0.0.1:${port}`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('the probe of a workload', () => {
  let workload: Awaited<ReturnType<typeof listen>>;
  let other: Awaited<ReturnType<typeof listen>>;
  before(async () => {
    [workload, other] = await Promise.all([listen(), listen()]);
  });
  after(() => Promise.all([workload[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]));

  const probe = (path: string, publicUrl?: string) =>
    probeHttp(
      { address: `http://${workload.host}`, path, ...(publicUrl && { publicUrl }) },
      new AbortController().signal,
    );

  it('asks the workload, and no other host, whatever its path says', async () => {
    for (const start of ['//', '/\\', '\\\\', '/\t/', '/..//', 'http://', 'http:', '//user@', '@', ':']) {
      for (const publicUrl of [undefined, 'http://shop.dev.example']) {
        await probe(`${start}${other.host}/admin`, publicUrl);
        const last = workload.asked.pop();
        assert.equal(last?.host, publicUrl === undefined ? workload.host : 'shop.dev.example', start);
      }
    }
    assert.deepEqual(other.asked, []);
  });

  const ANSWERS: readonly [what: string, answer: string, summary: RegExp][] = [
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      / failed: it is no answer of HTTP$/,
    ],
    ['speaks no HTTP', '\0\0 hello\r\n\r\n', / failed: Parse Error/],
    [
      'sends half an answer and dies',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhe',
      / failed: aborted$|was cut off/,
    ],
  ];
  for (const [what, answer, summary] of ANSWERS) {
    it(`comes to an end with a workload that ${what}`, { timeout: 30_000 }, async (t) => {
      const server = createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => (what.includes('half') ? socket.end(answer) : socket.write(answer)));
        t.after(() => socket.destroy());
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.after(() => server.close());
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const found = await probeHttp({ address, path: '/' }, new AbortController().signal);
      assert.deepEqual([found.ok, found.status], [false, null]);
      assert.match(found.summary, summary);
    });
  }

  it('asks for the path with its query', async () => {
    const { summary, ok } = await probe('/up?deep=1&a=%20#part', 'http://shop.dev.example:8080');
    assert.equal(workload.asked.pop()?.path, '/up?deep=1&a=%20');
    assert.deepEqual([ok, summary], [true, 'GET http://shop.dev.example:8080/up?deep=1&a=%20 answered 200']);
  });
});
