import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { verifierKey } from '../../domain/audit-ledger/checkpoint.ts';
import {
  anchorRoot,
  eventsOfDay,
  proofOf,
  receiptOf,
  SIGNER,
  shown,
  startChainOfNight,
} from '../sdk/audit/anchored-day.ts';
import type { TestChain } from '../support/start-anvil.ts';
import { runCli } from './run-cli.ts';

describe('fairlead audit verify', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-cli-'));
  const events = eventsOfDay(5);
  let chains: TestChain[];
  before(async () => {
    chains = await Promise.all([startChainOfNight(31_337), startChainOfNight(31_338)]);
    const proof = proofOf(events, 2, chains);
    for (const chain of chains) await anchorRoot(chain, proof.root);
    const [event] = events.slice(2);
    assert.ok(event);
    save('proof', { success: true, data: proof });
    save('event', shown(event));
    save('receipt', { success: true, data: { eventId: event.id, receipt: await receiptOf(event) } });
    save('forged', { ...proof, eventHash: events[0]?.eventHash });
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await Promise.all(chains.map((chain) => chain.stop()));
  });

  const pathOf = (name: string): string => join(folder, `${name}.json`);
  const save = (name: string, content: unknown): void => writeFileSync(pathOf(name), JSON.stringify(content));
  // No builder is there, no key, and no login.
  const run = (args: readonly string[], stdin = '') =>
    runCli({ url: 'http://127.0.0.1:1' }, ['audit', 'verify', ...args], { stdin, env: { FAIRLEAD_KEY: '' } });
  const contract = (): string[] => ['--contract', chains[0]?.contract ?? ''];
  const nodes = (): string[] => chains.flatMap(({ rpcUrl }) => ['--rpc', rpcUrl]);

  it('proves an event with its receipt, by key or verifier key, and says what was checked', async () => {
    const [key] = SIGNER.keys;
    assert.ok(key);
    for (const given of [key.publicKey, verifierKey('audit.example.org', key)]) {
      const { code, stdout, stderr } = await run([
        ...[pathOf('proof'), ...nodes(), ...contract()],
        ...['--event', pathOf('event'), '--receipt', pathOf('receipt'), '--key', given],
      ]);
      assert.equal(code, 0, stderr + stdout);
      assert.match(stdout, /✓ event {6}payment\.created of order-2, shop #2/);
      assert.match(stdout, /✓ agreement {2}chains 31337 and 31338 agree\n\nProven/);
    }
  });

  it('says undecided and exits 7 when a node is away, for one chain, and without the contract, quiet or not', async () => {
    const [one = ''] = chains.map(({ rpcUrl }) => rpcUrl);
    for (const given of [
      ['--rpc', one, '--rpc', 'http://127.0.0.1:1', ...contract()],
      ['--rpc', one, '--rpc', one, ...contract()],
      nodes(),
    ]) {
      const quiet = await run([pathOf('proof'), ...given, '-q']);
      assert.deepEqual([quiet.code, quiet.stdout], [7, 'undecided\n']);
      const { code, stdout } = await run([pathOf('proof'), ...given]);
      assert.equal(code, 7);
      assert.match(stdout, /\n\nUndecided/);
      assert.doesNotMatch(stdout, /Proven/);
      assert.equal(JSON.parse((await run([pathOf('proof'), ...given, '--json'])).stdout).data.verdict, 'undecided');
    }
  });

  it('exits 1 for a forged proof, and 2 for what is no proof', async () => {
    const forged = await run([pathOf('forged'), ...nodes(), '--json']);
    assert.equal(forged.code, 1);
    assert.equal(JSON.parse(forged.stdout).data.verdict, 'refuted');
    for (const args of [
      [pathOf('event'), ...nodes()],
      [pathOf('nothing'), ...nodes()],
      [pathOf('proof')],
      [pathOf('proof'), '--rpc', 'ftp://node'],
      [pathOf('proof'), ...nodes(), '--contract', '0x12'],
      [pathOf('proof'), ...nodes(), '--receipt', pathOf('receipt')],
      [pathOf('proof'), ...nodes(), '--receipt', pathOf('receipt'), '--key', 'short'],
    ]) {
      const refused = await run(args);
      assert.equal(refused.code, 2, args.join(' ') + refused.stderr);
    }
  });

  it('reads the proof from stdin', async () => {
    const proof = JSON.stringify(proofOf(events, 2, chains));
    assert.equal((await run(['-', ...nodes(), ...contract(), '-q'], proof)).stdout, 'proven\n');
  });
});
