import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createRpc } from '../../adapters/chain/rpc.ts';
import { anchorRegistryArtifact } from '../contracts/contract-artifact.ts';
import type { ChildSpec } from './child-process.ts';
import { type StackSecrets, writePrivateJson } from './data-folder.ts';
import type { Env } from './project.ts';
import type { Ports } from './stack-ports.ts';
import type { Reporter } from './terminal.ts';
import type { ResolvedTool } from './tools/resolve-tool.ts';

/** The two chains that the audit ledger anchors on in a stack without AUDIT_CHAINS, each an Anvil on a state file. */
export const EMBEDDED_CHAINS = [
  { chainId: 31_337, port: 'firstChain' },
  { chainId: 31_338, port: 'secondChain' },
] as const;

export type EmbeddedChain = (typeof EMBEDDED_CHAINS)[number];

export const chainName = ({ chainId }: EmbeddedChain): string => `chain-${chainId}`;

/** The anchor contract as both chains have it. */
export interface EmbeddedRegistry {
  readonly contract: string;
  readonly anchorer: string;
}

const HOST = '127.0.0.1';
/** First account of every Anvil, which signs for whoever asks: it owns the contract and pays for its deployment. */
const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const THOUSAND_ETHER = '0x3635c9adc5dea00000';
const DUMP_EVERY_SECONDS = '60';

const keptSchema = z.object({ bytecode: z.string(), contract: z.string(), anchorer: z.string() });

/** What both chains are told, and the worker. Worked out once for a data folder: it takes a large library. */
export async function embeddedRegistry(
  dataDir: string,
  secrets: StackSecrets,
  { env, report }: { env: Env; report: Reporter },
): Promise<EmbeddedRegistry> {
  const artifact = await anchorRegistryArtifact(env, report);
  const path = join(dataDir, 'chains', 'registry.json');
  const kept = keptSchema.safeParse(JSON.parse(await readFile(path, 'utf8').catch(() => 'null')));
  if (kept.success && kept.data.bytecode === artifact.bytecode) return kept.data;
  const { computeAddress } = await import('ethers');
  const { anchorRegistryAddress } = await import('../contracts/deploy-anchor-registry.ts');
  const anchorer = computeAddress(`0x${Buffer.from(secrets.AUDIT_SIGNER_KEY, 'base64').toString('hex')}`);
  const contract = anchorRegistryAddress(artifact, { owner: OWNER, anchorer });
  await mkdir(join(dataDir, 'chains'), { recursive: true });
  await writePrivateJson(path, { bytecode: artifact.bytecode, contract, anchorer });
  return { contract, anchorer };
}

/** One of the chains, with the contract on it and money for the anchorer once it serves. */
export function chainServer(
  tool: ResolvedTool,
  chain: EmbeddedChain,
  options: { folder: string; ports: Ports; registry: EmbeddedRegistry; env: Env; report: Reporter },
): ChildSpec {
  const port = options.ports[chain.port];
  const name = chainName(chain);
  const state = join(options.folder, 'chains', `${name}.json`);
  return {
    name,
    command: tool.path,
    args: [
      ...['--host', HOST, '--port', String(port), '--chain-id', String(chain.chainId), '--accounts', '1', '--silent'],
      // Written when it ends, and in between for the case that it is killed.
      ...['--state', state, '--state-interval', DUMP_EVERY_SECONDS],
    ],
    tie: 'leash',
    ready: { kind: 'tcp', host: HOST, port },
    readyTimeoutMs: 30_000,
    graceMs: 5_000,
    beforeStart: async () => void (await mkdir(join(options.folder, 'chains'), { recursive: true })),
    afterReady: () => prepareChain(chainAddress(chain, options.ports), chain.chainId, options),
  };
}

export function chainAddress(chain: EmbeddedChain, ports: Ports): string {
  return `http://${HOST}:${ports[chain.port]}`;
}

/** AUDIT_CHAINS of the embedded chains: blocks are mined as transactions come, so one is enough. */
export function embeddedChainsVariable(ports: Ports, { contract }: EmbeddedRegistry): string {
  const chains = EMBEDDED_CHAINS.map((chain) => {
    return { chainId: chain.chainId, rpcUrl: chainAddress(chain, ports), contract, confirmations: 1 };
  });
  return JSON.stringify(chains);
}

async function prepareChain(
  url: string,
  chainId: number,
  { registry, env, report }: { registry: EmbeddedRegistry; env: Env; report: Reporter },
): Promise<void> {
  const rpc = createRpc({ chainId, url });
  const code = (address: string): Promise<string> => rpc.call('eth_getCode', [address, 'latest'], z.string());
  await rpc.call('anvil_setBalance', [registry.anchorer, THOUSAND_ETHER], z.unknown());
  if ((await code(registry.contract)) !== '0x') return;
  const { deployAnchorRegistry } = await import('../contracts/deploy-anchor-registry.ts');
  const roles = { owner: OWNER, anchorer: registry.anchorer };
  await deployAnchorRegistry(
    {
      code,
      send: async (transaction) => {
        await rpc.call('eth_sendTransaction', [{ ...transaction, from: OWNER }], z.string());
        // The answer comes before the block does.
        await rpc.call('evm_mine', [], z.unknown());
      },
    },
    await anchorRegistryArtifact(env, report),
    roles,
  );
}
