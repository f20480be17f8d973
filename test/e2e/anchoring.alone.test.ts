import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Contract, JsonRpcProvider } from 'ethers';
import { REGISTRY_ABI } from '../../adapters/chain/registry-abi.ts';
import { addDays, dayNumber, dayOf } from '../../domain/audit-ledger/days.ts';
import { chainName, EMBEDDED_CHAINS } from '../../infra/dev/anchor-chains.ts';
import { waitUntil } from '../support/wait-until.ts';
import { connection, dataFolder, parts } from './harness.ts';
import { killPart, part } from './kill-part.ts';

interface AnchoredDay {
  readonly batchId: string;
  readonly root: string;
  readonly chainIds: readonly number[];
  readonly anchors: readonly { readonly chainId: number; readonly contract: string; readonly txHash: string }[];
}

describe('anchoring on the stack', () => {
  it('a day gets onto both chains of the stack, and stays there once', async () => {
    const state = await parts();
    const audit = state['audit-ledger']?.address ?? '';
    const { key } = await connection();
    const day = addDays(dayOf(new Date()), -1);
    const anchorAgain = async (): Promise<number> => {
      const response = await fetch(`${audit}/v1/batches/${day}/anchor`, {
        method: 'POST',
        headers: { 'x-internal-key': key },
      });
      return response.status;
    };
    const anchored = async (): Promise<AnchoredDay | undefined> => {
      const response = await fetch(`${audit}/v1/anchors?from=${day}&to=${day}`);
      const { data } = (await response.json()) as { data: { days: AnchoredDay[] } };
      return data.days[0];
    };
    assert.equal(await anchorAgain(), 202);
    const first = await waitUntil('both anchors', async () => {
      const found = await anchored();
      return found?.anchors.length === EMBEDDED_CHAINS.length ? found : null;
    });
    assert.deepEqual(
      first.chainIds,
      EMBEDDED_CHAINS.map(({ chainId }) => chainId),
    );
    const contracts = new Set(first.anchors.map(({ contract }) => contract));
    assert.equal(contracts.size, 1, 'the contract has one address on both');
    for (const chain of EMBEDDED_CHAINS) {
      const provider = new JsonRpcProvider(state[chainName(chain)]?.address, chain.chainId, { staticNetwork: true });
      const contract = new Contract([...contracts][0] ?? '', REGISTRY_ABI, provider);
      assert.equal((await contract.getFunction('anchors')(dayNumber(day))).root, first.root);
      provider.destroy();
    }
    assert.equal(await anchorAgain(), 202);
    assert.deepEqual(await anchored(), first);
  });

  it('a chain that is killed comes back with the contract on it', async () => {
    const [chain] = EMBEDDED_CHAINS;
    await killPart(chainName(chain));
    const registry = JSON.parse(await readFile(join(dataFolder(), 'chains', 'registry.json'), 'utf8'));
    const { address } = await part(chainName(chain));
    const provider = new JsonRpcProvider(address, chain.chainId, { staticNetwork: true, cacheTimeout: -1 });
    await waitUntil('the contract', async () => (await provider.getCode(registry.contract).catch(() => '0x')) !== '0x');
    provider.destroy();
  });
});
