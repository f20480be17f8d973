import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createDomainMapSource } from '../../../adapters/domain-map/domain-map-source.ts';

const MAP = JSON.stringify({ domains: [{ domain: 'https://www.Cars.com/x', family: 'cars' }, 'homes.com'] });
const TOO_LONG = 8 * 1024 * 1024 + 1;
const { signal } = new AbortController();

/** A service on this machine that has the map. */
async function serve(answer: RequestListener) {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    return answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/map`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('the source of the domain map', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-map-'));
  });
  after(() => rm(folder, { recursive: true }));

  const read = (location: string, token: string | null = null) =>
    createDomainMapSource({ location, token }).read(signal);
  const domainsOf = async (location: string, token?: string) =>
    (await read(location, token ?? null)).entries.map(({ domain }) => domain);

  it('is a file, read anew each time', async () => {
    const location = join(folder, 'map.json');
    const source = createDomainMapSource({ location, token: null });
    await writeFile(location, MAP);
    assert.deepEqual(
      (await source.read(signal)).entries.map(({ domain }) => domain),
      ['cars.com', 'homes.com'],
    );
    await writeFile(location, 'domains: [other.com]');
    assert.deepEqual(
      (await source.read(signal)).entries.map(({ domain }) => domain),
      ['other.com'],
    );
  });

  it('is another service, also one at a private address, which is sent the token', async () => {
    await using service = await serve((_, response) => void response.end(MAP));
    assert.deepEqual(await domainsOf(service.url, 'map-token'), ['cars.com', 'homes.com']);
    assert.equal(service.asked[0]?.authorization, 'Bearer map-token');
    await domainsOf(service.url);
    assert.equal(service.asked[1]?.authorization, undefined);
  });

  it('that leads to another host is not followed, and no token goes there', async () => {
    await using other = await serve((_, response) => void response.end(MAP));
    await using service = await serve((_, response) => void response.writeHead(302, { location: other.url }).end());
    await assert.rejects(read(service.url, 'map-token'), { code: 'DOMAIN_MAP_UNREADABLE', retryable: false });
    assert.deepEqual(other.asked, []);
  });

  for (const [status, expected] of [
    [404, { code: 'DOMAIN_MAP_UNREADABLE', retryable: false }],
    [401, { code: 'DOMAIN_MAP_UNREADABLE', retryable: false }],
    [429, { code: 'UNAVAILABLE', retryable: true }],
    [503, { code: 'UNAVAILABLE', retryable: true }],
  ] as const) {
    it(`that answers ${status} is ${expected.code}`, async () => {
      await using service = await serve((_, response) => void response.writeHead(status).end(MAP));
      await assert.rejects(read(service.url, 'map-token'), (error: Error) => {
        assert.ok(!error.message.includes('map-token') && !error.message.includes('/map'));
        return Object.entries(expected).every(([key, value]) => Reflect.get(error, key) === value);
      });
    });
  }

  it('that is away is UNAVAILABLE', async () => {
    const { url } = await (async () => {
      await using service = await serve(() => undefined);
      return service;
    })();
    await assert.rejects(read(url), { code: 'UNAVAILABLE', retryable: true });
  });

  it('that is too long, in a file or an answer, is read no further', async () => {
    const location = join(folder, 'long.yaml');
    await writeFile(location, Buffer.alloc(TOO_LONG, ' '));
    await assert.rejects(read(location), { code: 'DOMAIN_MAP_UNREADABLE' });
    await using service = await serve((_, response) => void response.end(Buffer.alloc(TOO_LONG, ' ')));
    await assert.rejects(read(service.url), { code: 'UNAVAILABLE' });
  });

  it('that is not there, or is a folder, is told by its path', async () => {
    for (const location of [join(folder, 'nowhere.yaml'), folder]) {
      await assert.rejects(read(location), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'DOMAIN_MAP_UNREADABLE');
        assert.ok(error.message.includes(location), error.message);
        return true;
      });
    }
  });
});
