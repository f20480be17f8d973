import { randomBytes } from 'node:crypto';
import { after, before, beforeEach } from 'node:test';
import { Interface } from 'ethers';
import { createAnchorChain } from '../../../adapters/chain/anchor-chain.ts';
import { createEnvSigner } from '../../../adapters/chain/env-signer.ts';
import { REGISTRY_ABI } from '../../../adapters/chain/registry-abi.ts';
import { createAnchoringIndexes } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createPendingAnchorStore } from '../../../adapters/mongo/audit-ledger/pending-anchors.ts';
import { addDays, dayNumber } from '../../../domain/audit-ledger/days.ts';
import { toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import { ANCHORER, clockAt, startAnvil, type TestChain } from '../../support/start-anvil.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';

export const CHAIN_ID = 31_337;
export const GWEI = 10n ** 9n;
export const NEVER = new AbortController().signal;

export interface AnchoringChanges {
  readonly confirmations?: number;
  readonly finality?: 'finalized' | 'confirmations';
  readonly rpcUrls?: readonly string[];
  readonly contract?: string;
  readonly key?: string;
  readonly feeCapWei?: bigint;
  readonly replaceAfterMs?: number;
  readonly attemptMs?: number;
}

/** A chain, a database and a proxy before the chain's node, for the tests of one `describe`. */
export function useAnchoring() {
  const parts = {} as { chain: TestChain; mongo: TestMongo; proxy: RpcProxy };
  let day = '2026-01-01';

  before(async () => {
    [parts.chain, parts.mongo] = await Promise.all([startAnvil(CHAIN_ID, clockAt('2026-02-01')), startMongo()]);
    await createAnchoringIndexes(parts.mongo.connection.db);
    parts.proxy = await startRpcProxy(parts.chain.rpcUrl);
  });
  after(async () => {
    await parts.proxy.stop();
    await Promise.all([parts.chain.stop(), parts.mongo.stop()]);
  });
  beforeEach(async () => {
    parts.proxy.meddle = (_call, ask) => ask();
    parts.proxy.calls.length = 0;
    await parts.chain.rpc('evm_setAutomine', true);
  });

  const store = () => createPendingAnchorStore(parts.mongo.connection);
  return {
    parts,
    store,
    /** A day that no test has had before. */
    batch() {
      day = addDays(day, 1);
      return { id: day, root: toHash(randomBytes(32)) };
    },
    /** As a process that has just started. */
    anchoring: (changes: AnchoringChanges = {}) =>
      createAnchorChain(
        {
          chainId: CHAIN_ID,
          rpcUrls: changes.rpcUrls ?? [parts.proxy.url],
          contract: changes.contract ?? parts.chain.contract,
          finality: changes.finality ?? 'confirmations',
          confirmations: changes.confirmations ?? 1,
          explorerUrl: 'https://explorer.example/',
        },
        {
          signer: createEnvSigner(Buffer.from((changes.key ?? ANCHORER.privateKey).slice(2), 'hex')),
          pending: store(),
          now: () => new Date(),
          feeCapWei: changes.feeCapWei ?? 500n * GWEI,
          timing: {
            pollMs: 20,
            rpcTimeoutMs: 3_000,
            attemptMs: changes.attemptMs ?? 20_000,
            replaceAfterMs: changes.replaceAfterMs ?? 60_000,
          },
        },
      ),
    sent: () => parts.proxy.calls.filter(({ method }) => method === 'eth_sendRawTransaction'),
    transactionsOfAnchorer: async () =>
      Number(await parts.chain.rpc('eth_getTransactionCount', ANCHORER.address, 'latest')),
    async rootOn(id: string): Promise<string> {
      const abi = new Interface(REGISTRY_ABI);
      const data = abi.encodeFunctionData('anchors', [dayNumber(id)]);
      const answer = await parts.chain.provider.call({ to: parts.chain.contract, data });
      return abi.decodeFunctionResult('anchors', answer)[0];
    },
  };
}
