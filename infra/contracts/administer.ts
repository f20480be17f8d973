import { parseArgs } from 'node:util';
import { getAddress, JsonRpcProvider, Wallet } from 'ethers';
import { errorLine } from '../dev/terminal.ts';
import { encodeRegistryCall, REGISTRY_CALLS, type RegistryCall } from './registry-calls.ts';

/** What the owner of the anchor contract does by hand, on each chain whose node is named. */

const USAGE = `usage: [OWNER_KEY=0x…] node infra/contracts/administer.ts <call> --contract <address> --rpc <url> [--rpc <url> …]
  invalidate --day <day> --reason <text>   takes the root of a day out of force; the ledger can then anchor the day again
  set-anchorer --anchorer <address>        appoints another anchorer: do this first when its key was stolen
  anchor --day <day> --root <root>         writes the root of a day that ended more than 31 days ago
  OWNER_KEY  private key of the owner; without it, the transaction is printed, for a wallet of several people`;

async function main(): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...{ contract: text, day: text, reason: text, anchorer: text, root: text },
      rpc: { type: 'string', multiple: true },
      help: { type: 'boolean', default: false },
    },
  });
  const { contract, rpc = [], ...options } = values;
  const [call = ''] = positionals;
  const isCall = Object.hasOwn(REGISTRY_CALLS, call);
  if (values.help || !isCall || contract === undefined || rpc.length === 0) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const to = getAddress(contract);
  const data = encodeRegistryCall(call as RegistryCall, options);
  for (const url of rpc) await perform(url, { to, data });
  return 0;
}

/** Sends the transaction and waits for its block; without the key of the owner, prints it. */
async function perform(url: string, transaction: { readonly to: string; readonly data: string }): Promise<void> {
  const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1 });
  try {
    const chainId = Number((await provider.getNetwork()).chainId);
    const key = process.env.OWNER_KEY;
    if (!key) {
      console.log(`chain ${chainId}: ${JSON.stringify(transaction)}`);
      return;
    }
    const sent = await new Wallet(key, provider).sendTransaction(transaction);
    console.log(`chain ${chainId}: sent ${sent.hash}, waiting for its block …`);
    await sent.wait();
    console.log(`chain ${chainId}: done`);
  } finally {
    provider.destroy();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`fairlead: ${errorLine(error)}\n`);
  process.exitCode = 1;
}
