import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  anchorContract,
  CHAIN_HOST,
  chainAddress,
  chainName,
  EMBEDDED_CHAINS,
  type EmbeddedChain,
  prepareChain,
} from '../anchor-chains.ts';
import type { ChildSpec } from '../child-process.ts';
import { anvil } from '../tools/anvil.ts';
import type { ResolvedTool } from '../tools/resolve-tool.ts';
import { definePart, type PartContext } from './embedded-part.ts';

type ChainPort = EmbeddedChain['port'];

const STATE_INTERVAL_SECONDS = '60';

/** The two chains that the audit ledger anchors on, each an Anvil on a state file, with the contract on it. */
export const chain = definePart({
  name: 'chain',
  title: 'two chains',
  tools: [anvil],
  ports: {
    firstChain: { usual: 8545, variable: 'FAIRLEAD_CHAIN_PORT', title: 'the first chain of the audit ledger' },
    secondChain: { usual: 8546, variable: 'FAIRLEAD_SECOND_CHAIN_PORT', title: 'the second chain of the audit ledger' },
  },
  folder: 'chains',
  secrets: [],
  replacedBy: 'AUDIT_CHAINS',
  replacedWith: ['AUDIT_SIGNER_KEY', 'AUDIT_MAX_FEE_GWEI'],
  starts: 'always',
  provides: [
    {
      variable: 'AUDIT_CHAINS',
      // Addresses of nodes may hold keys.
      heldBy: 'worker',
      value: async (context) => {
        const { contract } = await anchorContract(context);
        const chains = EMBEDDED_CHAINS.map(({ chainId, port }) => {
          // Blocks are mined as transactions come, so one confirmation is enough, and no block becomes final.
          const finality = { finality: 'confirmations', confirmations: 1 };
          return { chainId, rpcUrl: chainAddress(context.ports[port]), contract, ...finality };
        });
        return JSON.stringify(chains);
      },
    },
  ],
  addresses: (ports) =>
    Object.fromEntries(EMBEDDED_CHAINS.map((one) => [chainName(one), chainAddress(ports[one.port])])),
  // They have none.
  credentials: () => ({}),
  addressOutside: () => null,
  children: async (tool, context) => {
    await mkdir(join(context.dataDir, 'chains'), { recursive: true });
    return EMBEDDED_CHAINS.map((one) => chainServer(tool, one, context));
  },
});

/** One of the chains, with the contract on it and money for the anchorer once it serves. */
function chainServer(tool: ResolvedTool, one: EmbeddedChain, context: PartContext<ChainPort>): ChildSpec {
  const port = context.ports[one.port];
  const name = chainName(one);
  const state = join(context.dataDir, 'chains', `${name}.json`);
  return {
    name,
    command: tool.path,
    args: [
      ...['--host', CHAIN_HOST, '--port', String(port), '--chain-id', String(one.chainId), '--accounts', '1'],
      // Written when it ends, and in between for the case that it is killed.
      ...['--silent', '--state', state, '--state-interval', STATE_INTERVAL_SECONDS],
    ],
    exitsBy: 'watchdog',
    ready: { kind: 'tcp', host: CHAIN_HOST, port },
    readyTimeoutMs: 30_000,
    graceMs: 5_000,
    afterReady: () => prepareChain(one, context),
  };
}
