import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { WebSocketServer } from 'ws';
import { createProbeGuard } from '../../../adapters/prober/probe-guard.ts';
import { runCheck } from '../../../adapters/prober/run-check.ts';
import { httpCheck } from '../../activities/monitors/holder-world.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { startPostgres, type TestPostgres } from '../../support/start-postgres.ts';
import { startPowerDns, type TestPowerDns } from '../../support/start-powerdns.ts';
import { selfSigned, startLocalSite } from '../http-fetch/local-site.ts';
import { endlessly, type Listener, listenTcp, ON_LOOPBACK } from './listeners.ts';

const SOON_MS = 300;
const LIMIT_MS = 10_000;
const ENDPOINTS = ['tcp', 'postgres', 'mongodb'] as const;
const at = (kind: (typeof ENDPOINTS)[number], port: number) => ({ kind, host: '127.0.0.1', port });
async function problemOf(kind: (typeof ENDPOINTS)[number], onConnection: (socket: Socket) => void) {
  await using server = await listenTcp(onConnection);
  return (await runCheck(at(kind, server.port), ON_LOOPBACK, onConnection === silent ? SOON_MS : LIMIT_MS)).problem;
}
const says = (bytes: string | Buffer) => (socket: Socket) => void socket.once('data', () => socket.end(bytes));
const silent = (): void => undefined;

describe('a check of a TCP port', () => {
  it('is ok when somebody takes the connection, and sends nothing', async () => {
    const sent: Buffer[] = [];
    assert.equal(await problemOf('tcp', (socket) => socket.on('data', (bytes: Buffer) => sent.push(bytes))), null);
    assert.deepEqual(sent, []);
  });

  it('fails when the connection is refused', async () => {
    const server = await listenTcp(silent);
    await server[Symbol.asyncDispose]();
    for (const kind of ENDPOINTS) assert.equal((await runCheck(at(kind, server.port), ON_LOOPBACK)).problem, 'refused');
  });
});

describe('a check of PostgreSQL', () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());

  it('is ok with a real server, without a login', async () => {
    assert.equal((await runCheck(at('postgres', postgres.port), ON_LOOPBACK)).outcome, 'ok');
  });

  const offered = (reply: string | Buffer) => (socket: Socket) =>
    void socket.once('data', () => {
      socket.once('data', () => socket.end(reply));
      socket.write('N');
    });
  const error = (state: string): Buffer => {
    const fields = Buffer.from(`SFATAL\0C${state}\0Mno\0\0`);
    const head = Buffer.from('E0000');
    head.writeUInt32BE(fields.length + 4, 1);
    return Buffer.concat([head, fields]);
  };
  for (const [what, onConnection, problem] of [
    ['that starts up', offered(error('57P03')), 'protocol'],
    ['that has no connection left', offered(error('53300')), 'protocol'],
    ['that lets nobody of ours in serves', offered(error('28000')), null],
    ['that is none', says('HTTP/1.1 400 Bad Request\r\n\r\n'), 'protocol'],
    ['before which somebody speaks', says('Nxxxxxxxxx'), 'protocol'],
    ['that answers with a huge error', offered(Buffer.from([0x45, 0x7f, 0xff, 0xff, 0xff])), 'protocol'],
    ['that hangs', silent, 'timeout'],
    ['that closes', (socket: Socket) => void socket.end(), 'connection'],
  ] as const) {
    it(`a server ${what}`, async () => assert.equal(await problemOf('postgres', onConnection), problem));
  }
});

describe('a check of PostgreSQL over TLS', () => {
  it('goes on inside, whatever the certificate: servers have one of their own', async () => {
    const { key, certificate } = await selfSigned(['database.example']);
    const inside: string[] = [];
    const problem = await problemOf('postgres', (socket) => {
      socket.once('data', () => {
        socket.write('S');
        const tls = new TLSSocket(socket, { isServer: true, key, cert: certificate });
        tls
          .on('error', () => undefined)
          .once('data', (bytes: Buffer) => {
            inside.push(bytes.toString('latin1'));
            tls.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
          });
      });
    });
    assert.equal(problem, null);
    assert.match(inside.join(''), /fairlead_monitor/);
  });
});

describe('a check of MongoDB', () => {
  let mongo: TestMongo;
  before(async () => {
    mongo = await startMongo();
  });
  after(() => mongo.stop());

  it('is ok with a server that drivers connect to', async () => {
    const { host } = new URL(mongo.uri.replace('mongodb://', 'http://'));
    const port = Number(host.split(':')[1]);
    assert.equal((await runCheck(at('mongodb', port), ON_LOOPBACK)).outcome, 'ok');
  });

  it('fails with a member that takes no work', async () => {
    const { BSON } = await import('mongodb');
    const recovering = reply(BSON.serialize({ ok: 1, ismaster: false, secondary: false }));
    assert.equal(await problemOf('mongodb', says(recovering)), 'protocol');
    assert.equal(await problemOf('mongodb', says(reply(BSON.serialize({ ok: 1, ismaster: true })))), null);
  });

  for (const [what, onConnection, problem] of [
    ['that is none', says('HTTP/1.1 400 Bad Request\r\n\r\n'), 'protocol'],
    ['that answers no document', says(reply(Buffer.from([9, 9, 9, 9, 9, 9, 9]))), 'protocol'],
    ['that hangs', silent, 'timeout'],
    ['that closes', (socket: Socket) => void socket.end(), 'connection'],
  ] as const) {
    it(`a server ${what}`, async () => assert.equal(await problemOf('mongodb', onConnection), problem));
  }
});

describe('a check of a WebSocket', () => {
  const url = (server: Listener): string => `ws://site.example:${server.port}/socket`;
  it('is ok after the handshake', async () => {
    const site = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    assert.equal((await runCheck({ kind: 'websocket', url: `ws://site.example:${port}` }, ON_LOOPBACK)).outcome, 'ok');
    site.close();
  });

  for (const [what, answer, problem] of [
    ['that answers as a page', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'status'],
    ['that redirects', 'HTTP/1.1 302 Found\r\nlocation: ws://10.0.0.1/\r\ncontent-length: 0\r\n\r\n', 'status'],
    [
      'with a wrong key',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: x\r\n\r\n',
      'protocol',
    ],
    ['that is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'protocol'],
  ] as const) {
    it(`a server ${what} fails`, async () => {
      await using server = await listenTcp(says(answer));
      assert.equal((await runCheck({ kind: 'websocket', url: url(server) }, ON_LOOPBACK)).problem, problem);
    });
  }

  it('a server that says for ever that it will answer fails at once', async () => {
    await using server = await listenTcp(endlessly('HTTP/1.1 103 \r\n\r\n'));
    const { problem, durationMs } = await runCheck({ kind: 'websocket', url: url(server) }, ON_LOOPBACK, LIMIT_MS);
    assert.equal(problem, 'protocol');
    assert.ok(durationMs < LIMIT_MS / 2);
  });

  it('a server that hangs fails in time', async () => {
    await using server = await listenTcp(silent);
    assert.equal((await runCheck({ kind: 'websocket', url: url(server) }, ON_LOOPBACK, SOON_MS)).problem, 'timeout');
  });
});

describe('a check of a certificate', () => {
  const lookup = async () => [{ address: '93.184.215.14' }];
  const networks = { allowed: [], edgePorts: [], edgeHost: null };
  const check = { kind: 'tls', host: 'site.example', port: 443, serverName: 'site.example', warnDays: 0 } as const;

  it('is ok while it is valid, slow when it ends soon, and fails for another name or without trust', async () => {
    await using site = await startLocalSite((_request, response) => response.end(), ['site.example']);
    const trusting = { guard: createProbeGuard({ networks, lookup, dialler: site.dialler }), nameServers: [] };
    const { ca, ...dialler } = site.dialler;
    const usual = { guard: createProbeGuard({ networks, lookup, dialler }), nameServers: [] };
    assert.equal((await runCheck(check, trusting)).outcome, 'ok');
    const soon = await runCheck({ ...check, warnDays: 14 }, trusting);
    assert.deepEqual([soon.outcome, soon.problem], ['slow', 'certificate-ends-soon']);
    const named = await runCheck({ ...check, serverName: 'other.example' }, trusting);
    assert.equal(named.problem, 'certificate-name');
    assert.equal((await runCheck(check, usual)).problem, 'tls');
  });

  it('fails at a server that sends certificates without end, before they are looked at', async () => {
    const { key, certificate } = await selfSigned(['site.example']);
    const server = createTlsServer({ key, cert: `${certificate}\n`.repeat(100) }).on('tlsClientError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    for (const target of [
      { ...check, host: '127.0.0.1', port },
      httpCheck(`https://127.0.0.1:${port}/`),
      { kind: 'websocket', url: `wss://127.0.0.1:${port}/` } as const,
    ]) {
      const { problem, message } = await runCheck(target, ON_LOOPBACK, LIMIT_MS);
      assert.deepEqual([problem, message], ['protocol', 'the server sends more than its answer needs'], target.kind);
    }
    server.close();
  });

  it('fails at a server that speaks no TLS, or hangs', async () => {
    for (const [onConnection, problem] of [
      [says('HTTP/1.1 400 Bad Request\r\n\r\n'), 'tls'],
      [silent, 'timeout'],
    ] as const) {
      await using server = await listenTcp(onConnection);
      const limitMs = onConnection === silent ? SOON_MS : LIMIT_MS;
      const found = await runCheck({ ...check, host: '127.0.0.1', port: server.port }, ON_LOOPBACK, limitMs);
      assert.equal(found.problem, problem);
    }
  });
});

describe('a check of DNS', () => {
  const guardOf = (allowed: readonly string[]) =>
    createProbeGuard({ networks: { allowed, edgePorts: [], edgeHost: null }, lookup: async () => [] });
  let dns: TestPowerDns;
  before(async () => {
    dns = await startPowerDns();
    await dns.addZone('shop.com', ['ns1.shop.com']);
    await dns.setRecords('shop.com', { name: 'shop.com', type: 'A', contents: ['192.0.2.1', '192.0.2.2'] });
    await dns.setRecords('shop.com', { name: 'www.shop.com', type: 'CNAME', contents: ['Edge.Example.'] });
    await dns.setRecords('shop.com', { name: 'shop.com', type: 'MX', contents: ['10 mail.shop.com.'] });
    await dns.setRecords('shop.com', { name: 'shop.com', type: 'TXT', contents: ['"v=spf1 " "-all"'] });
  });
  after(() => dns.stop());

  for (const [name, type, expect, problem] of [
    ['shop.com', 'A', null, null],
    ['shop.com', 'A', '192.0.2.2', null],
    ['shop.com', 'A', '192.0.2.3', 'dns'],
    ['shop.com', 'AAAA', null, 'dns'],
    ['www.shop.com', 'CNAME', 'edge.example', null],
    ['shop.com', 'MX', 'mail.shop.com', null],
    ['shop.com', 'MX', '10 mail.shop.com.', null],
    ['shop.com', 'NS', 'ns1.shop.com', null],
    ['shop.com', 'TXT', 'v=spf1 -all', null],
    ['none.shop.com', 'A', null, 'dns'],
  ] as const) {
    it(`${name} ${type}${expect === null ? '' : ` ${expect}`}: ${problem ?? 'ok'}`, async () => {
      const deps = { guard: guardOf(['192.0.2.0/24']), nameServers: [dns.address] };
      assert.equal((await runCheck({ kind: 'dns', name, type, expect }, deps)).problem, problem);
    });
  }

  it('nothing is said of a name that leads inside: the DNS servers may tell it to nobody else', async () => {
    const deps = { guard: guardOf([]), nameServers: [dns.address] };
    for (const [type, expect] of [
      ['A', null],
      ['A', '192.0.2.1'],
      ['A', '192.0.2.9'],
      ['MX', 'mail.shop.com'],
      ['TXT', 'v=spf1'],
    ] as const) {
      const { outcome, problem, message } = await runCheck({ kind: 'dns', name: 'shop.com', type, expect }, deps);
      assert.deepEqual([outcome, problem], ['unknown', 'blocked-address'], `${type} ${expect}`);
      assert.doesNotMatch(message ?? '', /192\.0\.2/);
    }
  });

  it('a server that does not answer is given up in time', async () => {
    const deps = { ...ON_LOOPBACK, nameServers: ['127.0.0.1:9'] };
    const { problem, durationMs } = await runCheck(
      { kind: 'dns', name: 'shop.com', type: 'A', expect: null },
      deps,
      SOON_MS,
    );
    assert.ok(problem === 'timeout' || problem === 'dns' || problem === 'refused', String(problem));
    assert.ok(durationMs < 10 * SOON_MS);
  });
});

/** OP_REPLY with one document. */
function reply(document: Uint8Array): Buffer {
  const head = Buffer.alloc(36);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(1, 12);
  head.writeInt32LE(1, 32);
  return Buffer.concat([head, document]);
}
