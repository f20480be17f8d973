import { parseArgs } from 'node:util';
import { getAddress, JsonRpcProvider, Wallet } from 'ethers';
import { createReporter, errorLine } from '../dev/terminal.ts';
import { anchorRegistryArtifact } from './contract-artifact.ts';
import { deployAnchorRegistry } from './deploy-anchor-registry.ts';

/** Deploys the anchor contract to real chains: the same owner and anchorer give the same address on all of them. */

const USAGE = `usage: DEPLOYER_KEY=0x… node infra/contracts/deploy.ts --owner <address> --anchorer <address> --rpc <url> [--rpc <url> …]
  DEPLOYER_KEY  private key of any account with money on the chains; it gets no role in the contract
  --owner       may appoint the anchorer and invalidate batches; best an address of several people
  --anchorer    address of AUDIT_SIGNER_KEY, which writes roots
  --rpc         a node of a chain; the contract is left alone where it is already`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      owner: { type: 'string' },
      anchorer: { type: 'string' },
      rpc: { type: 'string', multiple: true },
      help: { type: 'boolean', default: false },
    },
  });
  const { owner, anchorer, rpc = [] } = values;
  const key = process.env.DEPLOYER_KEY;
  if (values.help || !owner || !anchorer || rpc.length === 0 || !key) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const roles = { owner: getAddress(owner), anchorer: getAddress(anchorer) };
  const artifact = await anchorRegistryArtifact(process.env, createReporter(process.stderr));
  const chains: { chainId: number; contract: string }[] = [];
  for (const url of rpc) {
    // Without a cache: the same question is asked before and after.
    const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1 });
    const chainId = Number((await provider.getNetwork()).chainId);
    const wallet = new Wallet(key, provider);
    const target = {
      code: (address: string) => provider.getCode(address),
      send: async (transaction: { to: string; data: string }) => {
        const sent = await wallet.sendTransaction(transaction);
        console.log(`chain ${chainId}: sent ${sent.hash}, waiting for its block …`);
        await sent.wait();
      },
    };
    const contract = await deployAnchorRegistry(target, artifact, roles);
    console.log(`chain ${chainId}: ${contract}`);
    chains.push({ chainId, contract });
    provider.destroy();
  }
  const rows = chains.map((chain) => ({ ...chain, rpcUrls: ['…', '…'] }));
  console.log(`\nAUDIT_CHAINS='${JSON.stringify(rows)}'`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`fairlead: ${errorLine(error)}\n`);
  process.exitCode = 1;
}
