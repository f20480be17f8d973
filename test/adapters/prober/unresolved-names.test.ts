import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { createProbeGuard } from '../../../adapters/prober/probe-guard.ts';
import { createProbeLookup } from '../../../adapters/prober/probe-lookup.ts';
import { runCheck } from '../../../adapters/prober/run-check.ts';

const [A, TXT, AAAA] = [1, 16, 28];
const [NO_SUCH_NAME, SERVER_FAILED] = [3, 2];
type Told = number | Buffer;

/** A DNS server: of each type of record it tells one, or a code of RFC 1035, 4.1.1; of other types that it has none. */
async function startDns(told: ReadonlyMap<number, Told>) {
  const socket = createSocket('udp4').on('message', (question, from) => {
    const end = question.indexOf(0, 12) + 5;
    const answer = told.get(question.readUInt16BE(end - 4)) ?? 0;
    const [code, data] = typeof answer === 'number' ? [answer, null] : [0, answer];
    const head = Buffer.from(question.subarray(0, end));
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(data === null ? 0 : 1, 6);
    head.fill(0, 8, 12);
    const record = Buffer.from([0xc0, 12, ...question.subarray(end - 4, end), 0, 0, 0, 1, 0, data?.length ?? 0]);
    socket.send(Buffer.concat(data === null ? [head] : [head, record, data]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const address = `127.0.0.1:${socket.address().port}`;
  return { address, [Symbol.asyncDispose]: async () => void socket.close() };
}

const SPF = Buffer.from('\u0004spf1', 'latin1');
const networks = { allowed: [], edgePorts: [], edgeHost: null };
const guard = createProbeGuard({ networks, lookup: async () => [], isOwn: () => false });

describe('a check of DNS', () => {
  const check = { kind: 'dns', name: 'inner.example', type: 'TXT', expect: null } as const;
  for (const [what, told, outcome] of [
    ['whose addresses do not exist', [NO_SUCH_NAME, NO_SUCH_NAME], 'ok'],
    ['whose addresses are told of neither family', [SERVER_FAILED, SERVER_FAILED], 'unknown'],
    ['whose addresses are told of one family alone', [Buffer.from([93, 184, 215, 14]), SERVER_FAILED], 'unknown'],
  ] as const) {
    it(`of a name ${what} is ${outcome}`, async () => {
      await using dns = await startDns(
        new Map<number, Told>([
          [TXT, SPF],
          [A, told[0]],
          [AAAA, told[1]],
        ]),
      );
      assert.equal((await runCheck(check, { guard, nameServers: [dns.address] })).outcome, outcome);
    });
  }
});

describe('the host where requests to the platform come in', () => {
  const edged = { ...networks, edgeHost: 'edge.example' };
  const target = { kind: 'tcp', host: '93.184.215.80', port: 5432 } as const;

  it('may be any public address while its name is not resolved: what is checked there is unknown', async () => {
    const lookup = () => Promise.reject(Object.assign(new Error('no answer'), { code: 'ETIMEOUT' }));
    const unresolved = createProbeGuard({ networks: edged, lookup, isOwn: () => false });
    await assert.rejects(unresolved.addressesOf(target.host, target.port), { code: 'UNAVAILABLE' });
    assert.equal((await runCheck(target, { guard: unresolved, nameServers: [] })).outcome, 'unknown');
    assert.deepEqual(await unresolved.addressesOf(target.host, 443), [target.host], 'a port of the web is open anyway');
  });

  it('is not resolved by half of its addresses', async () => {
    const half: ReadonlyMap<number, Told> = new Map<number, Told>([
      [A, Buffer.from([10, 0, 0, 80])],
      [AAAA, SERVER_FAILED],
    ]);
    await using dns = await startDns(half);
    const edgeLookup = createProbeLookup([dns.address], { needsAll: true });
    const unresolved = createProbeGuard({ networks: edged, lookup: async () => [], edgeLookup, isOwn: () => false });
    await assert.rejects(unresolved.addressesOf(target.host, target.port), { code: 'UNAVAILABLE' });
    const [found] = await createProbeLookup([dns.address])('edge.example');
    assert.equal(found?.address, '10.0.0.80', 'a target is looked for where it is');
  });
});
