import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { createCertificateKeys } from '../../../adapters/acme/certificate-keys.ts';
import { createServedCheck } from '../../../adapters/http-fetch/served-check.ts';
import type { KeyAndChain } from '../../../domain/custom-domains/certificates/ports.ts';
import { patience } from '../../support/patience.ts';
import { createTestAuthority, type TestAuthority } from '../../support/test-authority.ts';

const HOST = 'shop.example.com';
const PUBLIC = '203.0.114.7';
const OTHER = '203.0.114.8';
const now = () => new Date();

describe('the look at what is served', () => {
  let authority: TestAuthority;
  let good: KeyAndChain;
  let fingerprint: string;
  const servers: Server[] = [];
  before(async () => {
    authority = await createTestAuthority();
    good = await authority.issue([HOST]);
    ({ fingerprint } = await createCertificateKeys().readChain(good.chain, { key: good.key, names: [HOST] }));
  });
  after(() => {
    for (const server of servers) server.close();
  });

  async function listen(server: Server): Promise<number> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  const serve = ({ key, chain }: KeyAndChain, status = 200): Promise<number> => {
    const http = createHttpServer((_request, response) => response.writeHead(status).end());
    return listen(createTlsServer({ key, cert: chain }, (socket) => http.emit('connection', socket)));
  };
  const look = async (
    portOf: Readonly<Record<string, number>>,
    options: { readonly addresses?: readonly string[]; readonly trusts?: boolean; readonly timeoutMs?: number } = {},
  ) => {
    const { addresses = Object.keys(portOf), trusts = true, timeoutMs = 2_000 } = options;
    const dialled: string[] = [];
    let resolved = 0;
    const check = createServedCheck({
      ...{ now, timeoutMs },
      lookup: async () => {
        resolved += 1;
        return addresses.map((address) => ({ address }));
      },
      dialler: {
        dial: ({ addresses: [address = ''] }) => {
          dialled.push(address);
          return { address: '127.0.0.1', port: portOf[address] ?? 1 };
        },
        ...(trusts ? { ca: authority.root } : {}),
      },
    });
    const looked = await check.look({ host: HOST, fingerprint }, patience());
    assert.ok(resolved <= 1, 'a name that is bound again meanwhile is not asked for again');
    return { reason: looked.kind === 'served' ? 'served' : looked.reason, dialled };
  };

  it('is content with the certificate at every address', async () => {
    const port = await serve(good);
    assert.equal((await look({ [PUBLIC]: port, [OTHER]: port })).reason, 'served');
    assert.equal((await look({ [PUBLIC]: await serve(good, 503) })).reason, 'served', 'the service may be down');
  });

  it('names the one address that shows another certificate', async () => {
    const stale = await authority.issue([HOST], { to: new Date(Date.now() + 86_400_000) });
    const { reason } = await look({ [PUBLIC]: await serve(good), [OTHER]: await serve(stale) });
    assert.match(reason, /^203\.0\.114\.8 shows another certificate, which ends on \d{4}/);
  });

  it('names what is wrong: ended, not begun, not trusted, no answer, the host refused', async () => {
    const day = 86_400_000;
    const ended = await authority.issue([HOST], {
      from: new Date(Date.now() - 9 * day),
      to: new Date(Date.now() - day),
    });
    const early = await authority.issue([HOST], { from: new Date(Date.now() + day) });
    assert.match((await look({ [PUBLIC]: await serve(ended) })).reason, /that ended on/);
    assert.match((await look({ [PUBLIC]: await serve(early) })).reason, /is valid from/);
    assert.match((await look({ [PUBLIC]: await serve(good) }, { trusts: false })).reason, /clients do not trust/);
    assert.match((await look({ [PUBLIC]: await serve(good, 421) })).reason, /refuses the host name/);
    const mute = createTlsServer({ key: good.key, cert: good.chain }, (socket) => socket.resume());
    assert.match(
      (await look({ [PUBLIC]: await listen(mute) }, { timeoutMs: 500 })).reason,
      /does not answer a request/,
    );
  });

  it('gives up on who says nothing, refuses, or speaks something else', async () => {
    const sockets: Socket[] = [];
    const silent = await listen(createServer((socket) => sockets.push(socket)));
    const plain = await serve(good).then(() => listen(createHttpServer((_request, response) => response.end())));
    for (const port of [silent, plain, 1]) {
      assert.match((await look({ [PUBLIC]: port }, { timeoutMs: 500 })).reason, /does not complete a TLS handshake/);
    }
    for (const socket of sockets) socket.destroy();
  });

  it('asks all addresses at once: those that say nothing take no longer than one of them', async () => {
    const addresses = Array.from({ length: 8 }, (_, index) => `203.0.114.${index + 1}`);
    const open: Socket[] = [];
    const silent = await listen(
      createServer((socket) => {
        open.push(socket.on('error', () => undefined));
        // Each says nothing for as long as one is still to come.
        if (open.length === addresses.length) for (const one of open) one.destroy();
      }),
    );
    const portOf = Object.fromEntries(addresses.map((address) => [address, silent]));
    assert.match((await look(portOf, { timeoutMs: 60_000 })).reason, /^203\.0\.114\.1 does not complete/);
    assert.equal(open.length, 8);
  });

  it('says no more than so much of what is shown', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `a-long-name-of-another-host-${index}.example.com`);
    const { reason } = await look({ [PUBLIC]: await serve(await authority.issue(names)) });
    assert.ok(reason.length <= 2_000, `${reason.length} characters`);
  });

  for (const address of ['127.0.0.1', '10.0.0.5', '169.254.169.254', '::1', '::ffff:127.0.0.1', '168.63.129.16']) {
    it(`connects to none of its addresses where one is ${address}`, async () => {
      const { reason, dialled } = await look({ [PUBLIC]: 1 }, { addresses: [PUBLIC, address] });
      assert.match(reason, /not on the public internet/);
      assert.deepEqual(dialled, []);
    });
  }

  it('says that a name does not resolve', async () => {
    assert.match((await look({}, { addresses: [] })).reason, /does not resolve/);
  });
});
