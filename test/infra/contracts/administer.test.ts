import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Contract, HDNodeWallet } from 'ethers';
import { REGISTRY_ABI } from '../../../adapters/chain/registry-abi.ts';
import { dayNumber } from '../../../domain/audit-ledger/days.ts';
import { anchorRoot } from '../../sdk/audit/anchored-day.ts';
import { clockAt, startAnvil, type TestChain } from '../../support/start-anvil.ts';

const SCRIPT = fileURLToPath(new URL('../../../infra/contracts/administer.ts', import.meta.url));
const DAY = '2026-01-10';
const ROOT = `0x${'ab'.repeat(32)}` as const;
/** Of the first account of every Anvil. */
const OWNER_KEY = HDNodeWallet.fromPhrase('test test test test test test test test test test test junk').privateKey;

describe('the commands of the owner of the anchor contract', { timeout: 300_000 }, () => {
  let chains: readonly TestChain[];
  before(async () => {
    chains = await Promise.all([31_337, 31_338].map((chainId) => startAnvil(chainId, clockAt('2026-01-12'))));
    for (const chain of chains) await anchorRoot(chain, ROOT, DAY);
  });
  after(() => Promise.all(chains.map((chain) => chain.stop())));

  async function run(args: readonly string[], key = ''): Promise<{ code: number; stdout: string; stderr: string }> {
    const where = ['--contract', chains[0]?.contract ?? '', ...chains.flatMap(({ rpcUrl }) => ['--rpc', rpcUrl])];
    const options = { env: { ...process.env, OWNER_KEY: key }, timeout: 30_000 };
    return await promisify(execFile)(process.execPath, [SCRIPT, ...args, ...where], options).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  }
  const standing = async ({ contract, provider }: TestChain) =>
    await new Contract(contract, REGISTRY_ABI, provider).getFunction('anchors')(dayNumber(DAY));

  it('a root is invalidated on every chain that is named, and nothing is sent without the key', async () => {
    const call = ['invalidate', '--day', DAY, '--reason', 'written by a stolen key'];
    const printed = await run(call);
    assert.equal(printed.code, 0, printed.stderr);
    assert.match(printed.stdout, /chain 31337: \{"to":"0x.*"data":"0x.*\}\nchain 31338: /);
    for (const chain of chains) assert.equal((await standing(chain)).invalidated, false);
    const done = await run(call, OWNER_KEY);
    assert.equal(done.code, 0, done.stderr);
    for (const chain of chains) assert.equal((await standing(chain)).invalidated, true);
    assert.ok(!`${done.stdout}${done.stderr}`.includes(OWNER_KEY.slice(2)));
  });

  it('what is missing or wrong is named, and nothing is sent', async () => {
    for (const [args, reason] of [
      [['invalidate', '--day', DAY], /needs --reason/],
      [['invalidate', '--day', '2026-02-30', '--reason', 'x'], /--day/],
      [['anchor', '--day', DAY, '--root', '0x12'], /--root/],
      [['set-anchorer', '--anchorer', 'nobody'], /address/],
    ] as const) {
      const { code, stderr } = await run(args, OWNER_KEY);
      assert.equal(code, 1);
      assert.match(stderr, reason);
    }
    assert.equal((await run(['destroy'])).code, 2);
  });
});
