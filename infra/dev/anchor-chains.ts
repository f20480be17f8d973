import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createRpc } from '../../adapters/chain/rpc.ts';
import { anchorRegistryArtifact } from '../contracts/contract-artifact.ts';
import { writePrivateJson } from './data-folder.ts';
import type { PartContext } from './parts/embedded-part.ts';

/** The two chains that the audit ledger anchors on in a stack without AUDIT_CHAINS: `port` names the port of each. */
export const EMBEDDED_CHAINS = [
  { chainId: 31_337, port: 'firstChain' },
  { chainId: 31_338, port: 'secondChain' },
] as const;

export type EmbeddedChain = (typeof EMBEDDED_CHAINS)[number];

export const CHAIN_HOST = '127.0.0.1';

export const chainName = ({ chainId }: EmbeddedChain): string => `chain-${chainId}`;

export const chainAddress = (port: number): string => `http://${CHAIN_HOST}:${port}`;

/** The anchor contract as both chains have it. */
export interface AnchorContract {
  readonly contract: string;
  readonly anchorer: string;
}

/** First account of every Anvil, which signs for whoever asks: it owns the contract and pays for its deployment. */
const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const THOUSAND_ETHER = '0x3635c9adc5dea00000';

const keptSchema = z.object({ bytecode: z.string(), contract: z.string(), anchorer: z.string() });

/** What both chains are told, and the worker. Worked out once for a data folder: it takes a large library. */
export async function anchorContract({ dataDir, secret, env, report }: PartContext): Promise<AnchorContract> {
  const artifact = await anchorRegistryArtifact(env, report);
  const path = join(dataDir, 'chains', 'registry.json');
  const kept = keptSchema.safeParse(JSON.parse(await readFile(path, 'utf8').catch(() => 'null')));
  if (kept.success && kept.data.bytecode === artifact.bytecode) return kept.data;
  const { computeAddress } = await import('ethers');
  const { anchorRegistryAddress } = await import('../contracts/deploy-anchor-registry.ts');
  const anchorer = computeAddress(`0x${Buffer.from(secret('AUDIT_SIGNER_KEY'), 'base64').toString('hex')}`);
  const contract = anchorRegistryAddress(artifact, { owner: OWNER, anchorer });
  await mkdir(join(dataDir, 'chains'), { recursive: true });
  await writePrivateJson(path, { bytecode: artifact.bytecode, contract, anchorer });
  return { contract, anchorer };
}

/** Puts the contract on a chain that serves, and gives money to the anchorer. */
export async function prepareChain(chain: EmbeddedChain, context: PartContext<EmbeddedChain['port']>): Promise<void> {
  const { contract, anchorer } = await anchorContract(context);
  const rpc = createRpc({ chainId: chain.chainId, url: chainAddress(context.ports[chain.port]) });
  const code = (address: string): Promise<string> => rpc.call('eth_getCode', [address, 'latest'], z.string());
  await rpc.call('anvil_setBalance', [anchorer, THOUSAND_ETHER], z.unknown());
  if ((await code(contract)) !== '0x') return;
  const { deployAnchorRegistry } = await import('../contracts/deploy-anchor-registry.ts');
  await deployAnchorRegistry(
    {
      code,
      send: async (transaction) => {
        await rpc.call('eth_sendTransaction', [{ ...transaction, from: OWNER }], z.string());
        // The answer comes before the block does.
        await rpc.call('evm_mine', [], z.unknown());
      },
    },
    await anchorRegistryArtifact(context.env, context.report),
    { owner: OWNER, anchorer },
  );
}
