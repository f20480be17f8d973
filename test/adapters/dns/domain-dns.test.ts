import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, it } from 'node:test';
import { createDomainDns } from '../../../adapters/public-dns/domain-dns.ts';
import { createPublicDns } from '../../../adapters/public-dns/public-dns.ts';

const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;
const REFUSED = 5;
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
