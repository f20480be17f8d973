import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { type BuildProxy, createBuildProxy } from '../../../adapters/build-proxy/build-proxy.ts';
import { addressRule, type BuildEgress } from '../../../adapters/build-proxy/egress-rules.ts';
import { isPublic, type Lookup } from '../../../adapters/public-address.ts';

const PUBLIC: BuildEgress = { registries: [], reach: 'public' };

const portOf = (server: TcpServer) => (server.address() as AddressInfo).port;

describe('the rules of what builds reach', () => {
  const verdict = (host: string, port: number, egress: BuildEgress, address: string): boolean | string => {
    try {
      return addressRule({ host, port }, egress)(address);
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('public hosts are open at ports 80 and 443 alone, and a named registry at its own port whatever its address', () => {
    assert.equal(verdict('example.org', 443, PUBLIC, '93.184.216.34'), true);
    assert.equal(verdict('example.org', 80, PUBLIC, '2606:2800:220:1:248:1893:25c8:1946'), true);
    assert.match(String(verdict('example.org', 22, PUBLIC, '93.184.216.34')), /BUILD_REGISTRIES as example\.org:22/);
    const named: BuildEgress = { registries: ['npm.corp', 'pip.corp:8443'], reach: 'registries' };
    assert.equal(verdict('npm.corp', 443, named, '10.0.0.5'), true);
    assert.equal(verdict('pip.corp', 8443, named, '10.0.0.5'), true);
    assert.match(String(verdict('npm.corp', 27017, named, '10.0.0.5')), /ports 80 and 443/);
    assert.match(String(verdict('pip.corp', 443, named, '10.0.0.5')), /package registries alone/);
    assert.match(String(verdict('example.org', 443, named, '93.184.216.34')), /package registries alone/);
  });

  it('loopback, private, link-local, metadata and mapped addresses are closed, and those of this machine', () => {
    const special = [
      '127.0.0.1',
      '0.0.0.0',
      '10.1.2.3',
      '172.17.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.100.100.200',
    ];
    const more = [
      '168.63.129.16',
      '::1',
      '::',
      '::ffff:127.0.0.1',
      '::ffff:a9fe:a9fe',
      'fd00:ec2::254',
      'fe80::1',
      '224.0.0.1',
    ];
    const own = Object.values(networkInterfaces()).flatMap((rows) => (rows ?? []).map(({ address }) => address));
    assert.deepEqual(
      [...special, ...more, ...own].filter((address) => verdict('attacker.example', 443, PUBLIC, address) !== false),
      [],
    );
    assert.equal(isPublic('93.184.216.34'), true);
  });
});

describe('the proxy of builds', () => {
  let folder: string;
  let proxy: BuildProxy;
  let socketPath: string;
  let registry: Server;
  let echo: TcpServer;
  let egress: BuildEgress;
  const answers = new Map<string, string[]>();
  const errors: unknown[] = [];

  const listening = async (server: TcpServer, where: number | string): Promise<void> => {
    if (typeof where === 'string') server.listen(where);
    else server.listen(where, '127.0.0.1');
    await once(server, 'listening');
  };
  const lookup: Lookup = async (name) => {
    const found = answers.get(name);
    if (found === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    // The next answer differs: what was judged must be what is connected to.
    answers.set(name, ['127.0.0.1']);
    return found.map((address) => ({ address }));
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-build-proxy-'));
    registry = createServer(async (incoming, response) => {
      const headers = JSON.stringify(incoming.headersDistinct);
      response.setHeader('x-seen', headers).end(`${incoming.method} ${incoming.url} ${await text(incoming)}`);
    });
    echo = createTcpServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined).pipe(socket));
    await Promise.all([listening(registry, 0), listening(echo, 0)]);
    egress = { registries: [`localhost:${portOf(registry)}`, `localhost:${portOf(echo)}`], reach: 'public' };
    answers.set('localhost', ['127.0.0.1']);
    socketPath = join(folder, 'http.sock');
    proxy = createBuildProxy({ egress: async () => egress, lookup, env: {}, onError: (error) => errors.push(error) });
    await listening(proxy.server, socketPath);
  });
  after(async () => {
    await proxy.close(0);
    registry.close();
    echo.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** What CONNECT answers: the status, and its text or the socket. */
  const tunnel = async (target: string, path = socketPath) => {
    const asking = request({ socketPath: path, method: 'CONNECT', path: target, agent: false }).end();
    const [answer, socket, head] = (await once(asking, 'connect')) as [IncomingMessage, Socket, Buffer];
    if (head.length > 0) socket.unshift(head);
    return { status: answer.statusCode, socket };
  };
  const refusalOf = async (target: string) => {
    const { status, socket } = await tunnel(target);
    return `${status} ${await text(socket)}`;
  };
  const get = async (
    url: string,
    options: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ) => {
    const { method = 'GET', body, headers = {} } = options;
    const asking = request({
      socketPath,
      method,
      path: url,
      headers: { host: 'other.example', ...headers },
      agent: false,
    });
    asking.end(body);
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, body: await text(answer), seen: String(answer.headers['x-seen']) };
  };

  it('tunnels to a named registry, and passes on the end of either side', async () => {
    const { status, socket } = await tunnel(`localhost:${portOf(echo)}`);
    assert.equal(status, 200);
    socket.end('all of it');
    assert.equal(await text(socket), 'all of it');
  });

  it('forwards plain http by the address in the request line, without the headers of the connection', async () => {
    const url = `http://localhost:${portOf(registry)}/package?v=1`;
    const headers = {
      'proxy-authorization': 'Basic eDp5',
      'proxy-connection': 'keep-alive',
      connection: 'x-mine',
      'x-mine': '1',
    };
    const reply = await get(url, { method: 'POST', body: 'body', headers });
    assert.deepEqual([reply.status, reply.body], [200, 'POST /package?v=1 body']);
    const seen = JSON.parse(reply.seen);
    assert.deepEqual(seen.host, [`localhost:${portOf(registry)}`]);
    assert.deepEqual(
      Object.keys(seen).filter((name) => name.startsWith('proxy') || name === 'x-mine'),
      [],
    );
  });

  it('refuses every way of writing an address of this machine, saying why', async () => {
    const written = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
    ];
    for (const host of [...written, '169.254.169.254', '172.17.0.1', '[fe80::1]']) {
      assert.match(await refusalOf(`${host}:443`), /^403 Builds do not reach .*BUILD_REGISTRIES\n$/, host);
      const { status, body } = await get(`http://${host}/latest/meta-data/`);
      assert.equal(status, 403, host);
      assert.match(body, /Builds do not reach/);
    }
    answers.set('rebound.example', ['10.0.0.1']);
    assert.match(await refusalOf('rebound.example:443'), /^403/);
    answers.set('both.example', ['93.184.216.34', '127.0.0.1']);
    assert.match(await refusalOf('both.example:443'), /^403/);
  });

  it('refuses ports of the platform, whatever the host', async () => {
    for (const port of [portOf(echo) === 27017 ? 27018 : 27017, 7233, 5050, 22]) {
      assert.match(await refusalOf(`example.org:${port}`), /^403 Builds reach ports 80 and 443/);
    }
  });

  it('says what is no request of a proxy, and which name is unknown', async () => {
    assert.equal((await get('/health')).status, 400);
    assert.equal((await get('ftp://example.org/')).status, 400);
    assert.equal((await get('http://user:secret@example.org/')).status, 400);
    assert.match(await refusalOf('nowhere'), /^400/);
    assert.match(await refusalOf('unknown.example:443'), /^502 unknown\.example was not found/);
  });

  it('an answer that is no valid HTTP is a 502 and ends nothing', async () => {
    const hostile = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 099 \u0001\r\ncontent-length: 0\r\n\r\n'));
    });
    await listening(hostile, 0);
    egress = { ...egress, registries: [...egress.registries, `localhost:${portOf(hostile)}`] };
    const { status } = await get(`http://localhost:${portOf(hostile)}/`);
    assert.equal(status, 502);
    hostile.close();
    assert.equal((await get(`http://localhost:${portOf(registry)}/`)).status, 200);
  });

  it('cuts a tunnel on which nothing moves, and a client that breaks off ends the connection behind', async () => {
    const quick = createBuildProxy({
      ...{ egress: async () => egress, lookup, env: {}, onError: () => undefined },
      idleTimeoutMs: 100,
    });
    const path = join(folder, 'quick.sock');
    await listening(quick.server, path);
    const { socket } = await tunnel(`localhost:${portOf(echo)}`, path);
    assert.equal(await text(socket), '');
    const gone = once(echo, 'connection').then(([remote]) => once(remote, 'close'));
    const other = await tunnel(`localhost:${portOf(echo)}`);
    other.socket.destroy();
    await gone;
    await quick.close(0);
  });

  it('goes by the operator’s own proxy where one is set, with its credentials, and judges before', async () => {
    const asked: string[] = [];
    const upstream = createServer((incoming, response) => {
      asked.push(`${incoming.method} ${incoming.url} ${incoming.headers['proxy-authorization']}`);
      response.end('from upstream');
    });
    upstream.on('connect', (incoming, client) => {
      asked.push(`CONNECT ${incoming.url} ${incoming.headers['proxy-authorization']}`);
      client.end('HTTP/1.1 200 OK\r\n\r\nhello');
    });
    await listening(upstream, 0);
    const address = `http://me:p%40ss@127.0.0.1:${portOf(upstream)}`;
    const env = { HTTP_PROXY: address, HTTPS_PROXY: address, NO_PROXY: 'localhost' };
    const chained = createBuildProxy({ egress: async () => egress, lookup, env, onError: () => undefined });
    const path = join(folder, 'chained.sock');
    await listening(chained.server, path);
    // Unknown here, as outside names are behind such a proxy.
    const { socket } = await tunnel('registry.example:443', path);
    assert.equal(await text(socket), 'hello');
    const asking = request({ socketPath: path, path: 'http://registry.example/a?b', agent: false }).end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    assert.equal(await text(answer), 'from upstream');
    const credentials = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    assert.deepEqual(asked, [
      `CONNECT registry.example:443 ${credentials}`,
      `GET http://registry.example/a?b ${credentials}`,
    ]);
    assert.equal((await tunnel('169.254.169.254:443', path)).status, 403);
    const exempt = await tunnel(`localhost:${portOf(echo)}`, path);
    assert.equal(exempt.status, 200);
    exempt.socket.destroy();
    assert.equal(asked.length, 2);
    await chained.close(0);
    upstream.close();
  });

  it('told the log nothing that a client caused', () => {
    assert.deepEqual(errors, []);
  });
});
