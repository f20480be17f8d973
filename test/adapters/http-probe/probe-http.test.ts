import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

  it('asks for the path with its query', async () => {
    const { summary, ok } = await probe('/up?deep=1&a=%20#part', 'http://shop.dev.example:8080');
    assert.equal(workload.asked.pop()?.path, '/up?deep=1&a=%20');
    assert.deepEqual([ok, summary], [true, 'GET http://shop.dev.example:8080/up?deep=1&a=%20 answered 200']);
  });
});
