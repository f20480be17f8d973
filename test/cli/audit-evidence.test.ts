import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { signCheckpoint, verifierKey } from '../../domain/audit-ledger/checkpoint.ts';
import {
  anchorRoot,
  DAY,
  eventsOfDay,
  leafListOf,
  receiptOf,
  rootOf,
  SIGNER,
  startChainOfNight,
} from '../sdk/audit/anchored-day.ts';
import type { TestChain } from '../support/start-anvil.ts';
import { runCli } from './run-cli.ts';

/** The ledger left the third event out of the day that it anchored, and signed two ends of one chain. */
describe('fairlead audit verify-day, compare and verify-evidence', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-evidence-'));
  const events = eventsOfDay(6);
  const anchored = events.toSpliced(2, 1);
  let chains: TestChain[];
  before(async () => {
    chains = await Promise.all([startChainOfNight(31_337), startChainOfNight(31_338)]);
    for (const chain of chains) await anchorRoot(chain, rootOf(anchored));
    save('leaves', `${leafListOf(anchored).join('\n')}\n`);
    for (const [index, event] of events.entries()) save(`receipt-${index}`, JSON.stringify(await receiptOf(event)));
    const time = new Date(`${DAY}T13:00:00.000Z`);
    for (const [name, head] of [
      ['one', events[5]],
      ['two', events[4]],
    ] as const) {
      const checkpoint = { namespace: 'shop', size: 6, head: head?.eventHash ?? '0x', time };
      const signed = await signCheckpoint(checkpoint, 'audit.example.org', SIGNER);
      save(`checkpoint-${name}`, JSON.stringify({ success: true, data: { checkpoints: [signed] } }));
    }
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await Promise.all(chains.map((chain) => chain.stop()));
  });

  const save = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  // No builder is there, no ledger, no key, and no login.
  const run = (...args: string[]) =>
    runCli({ url: 'http://127.0.0.1:1' }, ['audit', ...args], { cwd: folder, env: { FAIRLEAD_KEY: '' } });
  const key = SIGNER.keys.flatMap((one) => ['--key', verifierKey('audit.example.org', one)]);
  const nodes = (): string[] => [
    ...chains.flatMap(({ rpcUrl }) => ['--rpc', rpcUrl]),
    ...['--contract', chains[0]?.contract ?? ''],
  ];
  const verifyDay = (...args: string[]) => run('verify-day', DAY, '--leaves', 'leaves', ...nodes(), ...args);

  it('verify-day proves the list and an event in it, exit 0, and says what was checked', async () => {
    const { code, stdout, stderr } = await verifyDay('--receipt', 'receipt-1', ...key, '--evidence', 'none');
    assert.equal(code, 0, stderr + stdout);
    assert.match(stdout, /✓ receipt {4}the ledger signed the receipt of shop #1/);
    assert.match(stdout, /✓ list {7}5 leaves lead to the root 0x/);
    assert.match(stdout, /\n\nProven: the event is in the day that was anchored\.\n$/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('none')),
      [],
    );
    assert.equal((await verifyDay('-q')).stdout, 'proven\n');
  });

  it('verify-day shows an event that was left out, exit 1, and writes evidence that others check, exit 0', async () => {
    const shown = await verifyDay('--receipt', 'receipt-2', ...key, '--evidence', 'omission');
    assert.equal(shown.code, 1, shown.stderr + shown.stdout);
    assert.match(shown.stdout, /Not proven: the ledger signed the event, and left it out/);
    assert.equal(shown.stderr, 'Wrote omission\n');
    const { code, stdout } = await run('verify-evidence', 'omission', ...key, ...nodes());
    assert.equal(code, 0, stdout);
    assert.match(stdout, /\n\nProven: the ledger signed an event, and left it out of the day that it anchored\.\n$/);
    const json = JSON.parse((await run('verify-evidence', 'omission', ...key, ...nodes(), '--json')).stdout);
    assert.deepEqual([json.data.kind, json.data.verdict], ['omission', 'proven']);
  });

  it('compare shows two statements that contradict each other, exit 1, and writes evidence that others check', async () => {
    const shown = await run('compare', 'checkpoint-one', 'checkpoint-two', ...key, '--evidence', 'contradiction');
    assert.equal(shown.code, 1, shown.stderr + shown.stdout);
    assert.match(shown.stdout, /✗ history {5}there are two hashes of #5/);
    // No node is needed: signatures are all there is to check.
    const { code, stdout } = await run('verify-evidence', 'contradiction', ...key);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Proven: the ledger, or who has its key, signed two statements/);
  });

  it('compare exits 0 for two of one history, and 7 where that is not decided; evidence is not written', async () => {
    const same = await run('compare', 'receipt-5', 'checkpoint-one', ...key, '--evidence', 'none');
    assert.deepEqual([same.code, same.stdout.split('\n').at(-2)], [0, 'Proven: both are of one history.']);
    for (const args of [
      ['receipt-1', 'receipt-4', ...key],
      ['checkpoint-one', 'checkpoint-two', '--key', Buffer.alloc(32, 9).toString('base64')],
    ]) {
      const { code, stdout } = await run('compare', ...args, '--evidence', 'none', '-q');
      assert.deepEqual([code, stdout], [7, 'undecided\n']);
    }
    assert.ok(!readdirSync(folder).includes('none'));
  });

  it('evidence that was changed, of another ledger, or that shows nothing is refuted, exit 1', async () => {
    const [head = '', ...lines] = read('omission').split('\n');
    const whole = leafListOf(events).join('\n');
    const forged = {
      'whole list': `${head}\n${whole}\n`,
      'short list': [head, ...lines.slice(0, -3)].join('\n'),
      'no list': head,
      'event in the list': [
        JSON.stringify({ fairleadEvidence: 1, kind: 'omission', statements: [JSON.parse(read('receipt-1'))] }),
        ...lines,
      ].join('\n'),
      'same statement': JSON.stringify({
        fairleadEvidence: 1,
        kind: 'contradiction',
        statements: [JSON.parse(read('receipt-1')), JSON.parse(read('receipt-1'))],
      }),
    };
    for (const [name, text] of Object.entries(forged)) {
      save('forged', text);
      const { code, stdout } = await run('verify-evidence', 'forged', ...key, ...nodes(), '-q');
      assert.deepEqual([code, stdout], [1, 'refuted\n'], name);
    }
  });

  it('evidence that no key given has signed in its window is undecided, exit 7: the ledger may have had another', async () => {
    const [, ledgerKey = ''] = key;
    const [head = '', ...lines] = read('omission').split('\n');
    save('unsigned', [head.replace(JSON.parse(head).statements[0].signature, 'AAAA'), ...lines].join('\n'));
    const bare = Buffer.alloc(32, 9).toString('base64');
    for (const [name, given, code] of [
      ['unsigned', ledgerKey, 7],
      ['omission', bare, 7],
      ['contradiction', bare, 7],
      ['omission', `${ledgerKey}@../2020-01-01T00:00:00Z`, 7],
      ['omission', `${ledgerKey}@2020-01-01T00:00:00Z/..`, 0],
      ['omission', `${ledgerKey}@2020/..`, 2],
    ] as const) {
      const answer = await run('verify-evidence', name, '--key', given, ...nodes(), '-q');
      assert.equal(answer.code, code, `${name} ${given} ${answer.stdout}`);
    }
  });

  it('evidence of an omission is undecided without two chains, exit 7', async () => {
    const one = nodes().slice(0, 2);
    const contract = nodes().slice(-2);
    for (const args of [[], contract, [...one, ...contract], nodes().slice(0, -2)]) {
      const { code, stdout } = await run('verify-evidence', 'omission', ...key, ...args, '-q');
      assert.deepEqual([code, stdout], [7, 'undecided\n'], args.join(' '));
    }
  });

  it('what is no day, list, statement, key or evidence is refused, exit 2', async () => {
    for (const args of [
      ['verify-day', '2026-02-30', '--leaves', 'leaves', ...nodes()],
      ['verify-day', DAY, ...nodes()],
      ['verify-day', DAY, '--leaves', 'leaves', '--ledger', 'http://127.0.0.1:1', ...nodes()],
      ['verify-day', DAY, '--leaves', 'receipt-1', ...nodes()],
      ['verify-day', DAY, '--leaves', 'nothing', ...nodes()],
      ['verify-day', DAY, '--leaves', 'leaves', ...nodes(), '--receipt', 'receipt-1'],
      ['verify-day', DAY, '--leaves', 'leaves', ...nodes(), '--receipt', 'checkpoint-one', ...key],
      ['verify-day', DAY, '--leaves', 'leaves', ...nodes(), '--checkpoint', 'receipt-1', ...key],
      ['verify-day', DAY, '--leaves', 'leaves', ...nodes(), '--evidence', 'none'],
      [
        'verify-day',
        DAY,
        '--leaves',
        'leaves',
        ...nodes(),
        '--receipt',
        'receipt-2',
        ...key,
        '--evidence',
        '/no/where',
      ],
      ['verify-day', '2026-11-11', '--leaves', 'leaves', ...nodes(), '--receipt', 'receipt-2', ...key],
      ['compare', 'receipt-1', 'receipt-2'],
      ['compare', 'receipt-1', 'leaves', ...key],
      ['compare', 'receipt-1', 'receipt-2', '--key', 'short'],
      ['verify-evidence', 'receipt-1', ...key],
      ['verify-evidence', 'leaves', ...key],
      ['verify-evidence', 'nothing', ...key],
    ]) {
      const refused = await run(...args);
      assert.equal(refused.code, 2, `${args.join(' ')}\n${refused.stdout}${refused.stderr}`);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.part')),
      [],
    );
  });
});
