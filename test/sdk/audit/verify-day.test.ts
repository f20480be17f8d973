import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { signCheckpoint, verifierKey } from '../../../domain/audit-ledger/checkpoint.ts';
import { addDays } from '../../../domain/audit-ledger/days.ts';
import { GENESIS_HASH, type Hash } from '../../../domain/audit-ledger/event.ts';
import { toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import { type LeafLists, ledgerLists } from '../../../sdk/audit/leaf-lists.ts';
import { parseStatement } from '../../../sdk/audit/signed-statement.ts';
import { type DayInput, type DayVerdict, verifyDay } from '../../../sdk/audit/verify-day.ts';
import type { TestChain } from '../../support/start-anvil.ts';
import {
  anchorRoot,
  DAY,
  eventsOfDay,
  leafListOf,
  receiptOf,
  rootOf,
  SIGNER,
  startChainOfNight,
  treeOf,
} from './anchored-day.ts';

/** Two chains with the real contract; the ledger left the third event out of the day that it anchored. */
describe('verifying the leaf list of a day without the ledger', () => {
  const events = eventsOfDay(9);
  const anchored = events.toSpliced(2, 1);
  const LEDGER = 'audit.example.org';
  const keys = SIGNER.keys.map((key) => verifierKey(LEDGER, key));
  let chains: TestChain[];
  let input: Omit<DayInput, 'statement'>;
  before(async () => {
    chains = await Promise.all([startChainOfNight(31_337), startChainOfNight(31_338)]);
    for (const chain of chains) await anchorRoot(chain, rootOf(anchored));
    input = {
      day: DAY,
      lists: listsOf(leafListOf(anchored)),
      rpcUrls: chains.map(({ rpcUrl }) => rpcUrl),
      contract: chains[0]?.contract ?? '',
      keys,
    };
  });
  after(() => Promise.all(chains.map((chain) => chain.stop())));

  /** One list for its day, and none for others. */
  function listsOf(lines: readonly string[]): LeafLists {
    return async (day) => {
      async function* reading() {
        yield* lines;
      }
      return day === DAY ? reading() : null;
    };
  }
  const statementOf = async (index: number) => {
    const event = events[index];
    assert.ok(event);
    return parseStatement({ success: true, data: { receipt: await receiptOf(event) } });
  };
  const checkpointOf = async (index: number, namespace: string | null = 'shop') => {
    const event = events[index];
    assert.ok(event);
    const fields = { namespace, size: index + 1, head: event.eventHash, time: new Date(`${DAY}T13:00:00Z`) };
    return parseStatement(await signCheckpoint(fields, LEDGER, SIGNER));
  };
  const verify = (changes: Partial<DayInput> = {}): Promise<DayVerdict> => verifyDay({ ...input, ...changes });
  const told = ({ verdict, isOmission }: DayVerdict) => [verdict, isOmission];

  it('proves the list of the day, and every event in it by its receipt or checkpoint', async () => {
    assert.deepEqual(told(await verify()), ['proven', false]);
    for (const index of [0, 1, 3, 8]) {
      const verdict = await verify({ statement: await statementOf(index) });
      assert.deepEqual(told(verdict), ['proven', false], JSON.stringify(verdict));
    }
    assert.deepEqual(told(await verify({ statement: await checkpointOf(8) })), ['proven', false]);
  });

  it('shows an event that was left out, by its receipt', async () => {
    const verdict = await verify({ statement: await statementOf(2) });
    assert.deepEqual(told(verdict), ['refuted', true]);
    assert.match(verdict.checks.at(-1)?.text ?? '', /^left out: the receipt of shop #2/);
  });

  it('accuses nobody where the receipt is not signed, the contract not given, or a chain away', async () => {
    const statement = await statementOf(2);
    const { contract: _, ...noContract } = input;
    const [one = ''] = input.rpcUrls;
    for (const changed of [
      { ...input, keys: [Buffer.alloc(32, 9).toString('base64')] },
      noContract,
      { ...input, rpcUrls: [one] },
      { ...input, rpcUrls: [one, 'http://127.0.0.1:1'] },
    ]) {
      assert.deepEqual(told(await verifyDay({ ...changed, statement })), ['undecided', false]);
    }
    assert.deepEqual(told(await verifyDay(noContract)), ['undecided', false]);
  });

  it('accuses nobody by a checkpoint, unless the days before were anchored in time as well', async () => {
    const verdict = await verify({ statement: await checkpointOf(2) });
    assert.deepEqual(told(verdict), ['undecided', false]);
    assert.match(verdict.checks.at(-1)?.text ?? '', /is not in 2026-11-10, 2026-11-09, 2026-11-08, and/);
  });

  it('refutes a list that is not the one of the root, and accuses nobody by it', async () => {
    const lines = leafListOf(anchored);
    const [head = '', first = '', second = '', ...rest] = lines;
    const others = [
      leafListOf(events),
      leafListOf(anchored.slice(1)),
      [head, first, first, ...rest],
      [head, second, first, ...rest],
      [head, first, ...rest],
      [head, '"0x12"', second, ...rest],
      [leafListOf(events)[0] ?? '', first, second, ...rest],
      leafListOf(anchored, addDays(DAY, 1)),
      ['<html>'],
      [],
    ];
    for (const [index, list] of others.entries()) {
      const verdict = await verify({ lists: listsOf(list), statement: await statementOf(2) });
      assert.deepEqual(told(verdict), ['refuted', false], `list ${index}: ${JSON.stringify(verdict)}`);
    }
  });

  it('accuses nobody by inner nodes of the tree that are passed off as its leaves', async () => {
    const tree = treeOf(anchored);
    const node = (index: number): Hash => toHash(tree.nodes.subarray(32 * index, 32 * index + 32));
    for (const nodes of [[node(0)], [node(1), node(2)].toSorted()]) {
      const head = { batchId: DAY, root: node(0), leafCount: nodes.length };
      const forged = [head, ...nodes].map((line) => JSON.stringify(line));
      // The ledger did not leave this event out.
      const verdict = await verify({ lists: listsOf(forged), statement: await statementOf(1) });
      assert.deepEqual(told(verdict), ['refuted', false], JSON.stringify(verdict));
    }
  });

  it('refutes a day without a list whose root stands, and one without a root a day after its end', async () => {
    const none: LeafLists = async () => null;
    const deleted = await verify({ lists: none });
    assert.deepEqual(told(deleted), ['refuted', false]);
    assert.match(JSON.stringify(deleted.checks), /there is no leaf list of 2026-11-10, and a root of it stands/);
    const next = addDays(DAY, 1);
    const withheld = await verify({ day: next, lists: none, now: new Date('2026-11-13T00:00:01Z') });
    assert.equal(withheld.verdict, 'refuted');
    assert.match(JSON.stringify(withheld.checks), /nothing was anchored for 2026-11-11"/);
    const early = await verify({ day: next, lists: none, now: new Date('2026-11-12T23:59:59Z') });
    assert.equal(early.verdict, 'undecided');
  });

  it('refuses a statement of another day, and one that names no event', async () => {
    const statement = await statementOf(2);
    await assert.rejects(verify({ day: addDays(DAY, 1), statement }), { code: 'VALIDATION_FAILED' });
    await assert.rejects(verify({ statement: await checkpointOf(2, null) }), { code: 'VALIDATION_FAILED' });
    const empty = { namespace: 'shop', size: 0, head: GENESIS_HASH, time: new Date(`${DAY}T13:00:00Z`) };
    const none = parseStatement(await signCheckpoint(empty, LEDGER, SIGNER));
    await assert.rejects(verify({ statement: none }), { code: 'VALIDATION_FAILED' });
  });

  it('cannot decide while the ledger is away, breaks off, or another program answers', async () => {
    const [head = '', ...leaves] = leafListOf(anchored);
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/other')) return response.writeHead(404).end('<html>');
      response.write(`${head}\n${leaves.slice(0, 3).join('\n')}\n`, () => response.destroy());
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const { port } = server.address() as AddressInfo;
    for (const url of ['http://127.0.0.1:1', `http://127.0.0.1:${port}`, `http://127.0.0.1:${port}/other`]) {
      const verdict = await verify({ lists: ledgerLists(url), statement: await statementOf(2) });
      assert.deepEqual(told(verdict), ['undecided', false], JSON.stringify(verdict));
    }
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
});
