import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getAddress, JsonRpcProvider, type TransactionReceipt, Wallet } from 'ethers';
import { startOfDay } from '../../domain/audit-ledger/days.ts';
import { anchorRegistryArtifact } from '../../infra/contracts/contract-artifact.ts';
import { deployAnchorRegistry } from '../../infra/contracts/deploy-anchor-registry.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { toolPath } from './tool-path.ts';
import { waitUntil } from './wait-until.ts';

export interface TestChain {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly contract: string;
  /** Its first account, unlocked, is the owner of the contract. */
  readonly owner: string;
  readonly provider: JsonRpcProvider;
  /** Any method of the node, such as `evm_mine`. */
  rpc(method: string, ...params: unknown[]): Promise<unknown>;
  stop(): Promise<void>;
}

/** Key of the anchorer in tests; it has money on every test chain. */
export const ANCHORER = new Wallet(`0x${'a1'.repeat(32)}`);

/** Flags by which the clock of a chain begins ten minutes after the start of a day (UTC). */
export function clockAt(day: string): readonly string[] {
  return ['--timestamp', String(startOfDay(day).getTime() / 1000 + 600)];
}

/** A chain of its own on a free port, with the contract deployed through the factory. Blocks are mined per transaction. */
export async function startAnvil(chainId: number, flags: readonly string[] = []): Promise<TestChain> {
  const child = spawn(
    await toolPath('anvil'),
    ['--port', '0', '--chain-id', String(chainId), '--accounts', '1', ...flags],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const rpcUrl = await listeningAt(child.stdout);
  const provider = new JsonRpcProvider(rpcUrl, chainId, { staticNetwork: true, batchMaxCount: 1, cacheTimeout: -1 });
  const rpc = (method: string, ...params: unknown[]): Promise<unknown> => provider.send(method, params);
  const [first = ''] = (await rpc('eth_accounts')) as string[];
  const owner = getAddress(first);
  await rpc('anvil_setBalance', ANCHORER.address, '0x56bc75e2d63100000');
  const contract = await deployAnchorRegistry(
    {
      code: (address) => provider.getCode(address),
      send: async (transaction) => {
        await rpc('eth_sendTransaction', { ...transaction, from: owner });
        await rpc('evm_mine');
      },
    },
    await anchorRegistryArtifact(process.env, silentReporter),
    { owner, anchorer: ANCHORER.address },
  );
  const stop = async (): Promise<void> => {
    provider.destroy();
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { chainId, rpcUrl, contract, owner, provider, rpc, stop };
}

async function listeningAt(output: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  const deadline = AbortSignal.timeout(30_000);
  for (;;) {
    const [chunk] = await once(output, 'data', { signal: deadline });
    text += String(chunk);
    const address = /Listening on (\S+)/.exec(text)?.[1];
    if (address !== undefined) {
      output.resume();
      return `http://${address}`;
    }
  }
}

/** Waits for the receipt of a transaction. That of ethers waits for a later block when it asks too early, and none comes. */
export async function minedReceipt(chain: TestChain, hash: string): Promise<TransactionReceipt> {
  return await waitUntil('the transaction is mined', () => chain.provider.getTransactionReceipt(hash));
}
