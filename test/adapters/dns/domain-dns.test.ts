import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, it } from 'node:test';
import { createDomainDns } from '../../../adapters/public-dns/domain-dns.ts';
import { createPublicDns } from '../../../adapters/public-dns/public-dns.ts';
import { judgeAddresses } from '../../../domain/custom-domains/address-look.ts';

const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;
const REFUSED = 5;
const A = 1;
const NS = 2;
const APEX = 'example.com';
/** Of as many parts as fit. */
const LONG = `${Array.from({ length: 60 }, (_, index) => `p${index}`).join('.')}.${APEX}`;

/** How long a look at a name with hostile servers takes. */
describe('a look at a name', () => {
  let server: Socket;
  afterEach(() => void server.close());

  /** A resolver that knows no name, and takes its time to say so. @returns the names whose name servers it is asked for */
  async function startResolver(afterMs: number, code = NAME_ERROR) {
    const asked = new Set<string>();
    server = createSocket('udp4');
    server.on('message', (question, { port, address }) => {
      const { name, end } = nameIn(question);
      if (question.readUInt16BE(end) === NS) asked.add(name);
      const answer = Buffer.from(question.subarray(0, end + 4));
      answer.writeUInt16BE(0x8180 | code, 2);
      answer.writeUInt16BE(0, 10);
      setTimeout(() => server.send(answer, port, address), afterMs);
    });
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    return { asked, resolvers: [`127.0.0.1:${server.address().port}`] };
  }

  it('of many parts asks for the servers of the registrable domain, and of eight below it', async () => {
    const { asked, resolvers } = await startResolver(0);
    await createDomainDns({ resolvers }).lookUpText({ name: LONG, apex: APEX }, 'x');
    assert.equal(asked.size, 9);
    assert.ok(asked.has(APEX));
  });

  it('whose servers are slow ends when its time is over, and asks no further', async () => {
    const { asked, resolvers } = await startResolver(300);
    const dns = createDomainDns({ resolvers, walkWithinMs: 100 });
    const { authoritative } = await dns.lookUpText({ name: LONG, apex: APEX }, 'x');
    assert.deepEqual([authoritative, asked.size], [[], 1]);
  });

  for (const [code, what, servers] of [
    [NAME_ERROR, 'that there is no such domain', []],
    [NO_ERROR, 'that a domain has no name servers', []],
    [SERVER_FAILURE, 'that it failed', null],
    [REFUSED, 'that it does not answer', null],
  ] as const) {
    it(`by a resolver that says ${what} ${servers === null ? 'does not know its name servers' : 'knows that it has none'}`, async () => {
      const { resolvers } = await startResolver(0, code);
      assert.deepEqual(await createPublicDns({ resolvers }).nameServers(APEX), servers);
    });
  }
});

/** What the servers of a zone say of a name by the code of their answer alone. */
describe('a name whose servers say nothing of it', () => {
  const WANTED = { type: 'A', content: '203.0.113.7' } as const;
  const SERVER_ADDRESS = [8, 8, 4, 1];
  let servers: readonly Socket[] = [];
  afterEach(() => servers.forEach((server) => void server.close()));

  /** A resolver that knows one server of the zone, and that server, which answers with this code and no record. */
  async function startZone(code: number) {
    const resolver = await listen((name, type) => {
      if (type === NS && name === APEX) return { records: [nameData('ns.elsewhere.net')] };
      return name === 'ns.elsewhere.net' && type === A
        ? { records: [Buffer.from(SERVER_ADDRESS)] }
        : { code: NAME_ERROR };
    });
    const server = await listen(() => ({ code }));
    servers = [resolver, server];
    return createDomainDns({ resolvers: [addressOf(resolver)], dial: () => addressOf(server) });
  }

  for (const [what, code, said] of [
    ['NXDOMAIN', NAME_ERROR, { records: [], problem: null }],
    ['no data', NO_ERROR, { records: [], problem: null }],
    ['SERVFAIL', SERVER_FAILURE, { records: null, problem: 'ESERVFAIL' }],
    ['REFUSED, as a server to which the zone is not delegated', REFUSED, { records: null, problem: 'EREFUSED' }],
  ] as const) {
    it(`${what} ${said.records === null ? 'says nothing' : 'says that it has no record'}`, async () => {
      const dns = await startZone(code);
      const look = await dns.lookUpAddresses({ name: `shop.${APEX}`, apex: APEX, needsWitnesses: true }, WANTED);
      assert.deepEqual(look.authoritative, [{ server: 'ns.elsewhere.net', ...said }]);
      // The resolver has none either: one witness is not enough to say that a name is lost, and two are.
      assert.equal(judgeAddresses(look, WANTED), said.records === null ? 'unknown' : 'missing');
    });
  }
});

interface ZoneAnswer {
  readonly code?: number;
  /** Data of its records. */
  readonly records?: readonly Buffer[];
}

async function listen(answerOf: (name: string, type: number) => ZoneAnswer): Promise<Socket> {
  const server = createSocket('udp4');
  server.on('message', (question, { port, address }) => {
    const { name, end } = nameIn(question);
    const type = question.readUInt16BE(end);
    const { code = NO_ERROR, records = [] } = answerOf(name, type);
    const head = Buffer.from(question.subarray(0, end + 4));
    head.writeUInt16BE(0x8580 | code, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    server.send(Buffer.concat([head, ...records.map((data) => recordOf(type, data))]), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const addressOf = (server: Socket): string => `127.0.0.1:${server.address().port}`;

/** A record of the name that was asked for (RFC 1035, 4.1.3). */
function recordOf(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function nameData(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** The name that is asked for, and where it ends (RFC 1035, 4.1.2). */
function nameIn(question: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}
