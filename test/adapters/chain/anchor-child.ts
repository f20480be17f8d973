import { createAnchorChain } from '../../../adapters/chain/anchor-chain.ts';
import { createEnvSigner } from '../../../adapters/chain/env-signer.ts';
import { createPendingAnchorStore } from '../../../adapters/mongo/audit-ledger/pending-anchors.ts';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { ANCHORER } from '../../support/start-anvil.ts';

/** A process that anchors one batch, for tests that kill it. */
const { id, root, rpcUrl, contract, chainId, mongoUri } = JSON.parse(process.env.ANCHOR_CHILD ?? '{}');
const mongo = await connectMongo(mongoUri, 'fairlead-test');
const chain = createAnchorChain(
  { chainId, rpcUrls: [rpcUrl], contract, finality: 'confirmations', confirmations: 1, explorerUrl: null },
  {
    signer: createEnvSigner(Buffer.from(ANCHORER.privateKey.slice(2), 'hex')),
    pending: createPendingAnchorStore(mongo),
    now: () => new Date(),
    feeCapWei: 500n * 10n ** 9n,
    timing: { pollMs: 20 },
  },
);
await chain.anchor({ id, root }, new AbortController().signal);
