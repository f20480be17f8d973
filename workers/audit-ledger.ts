import { createAnchoringActivities } from '../activities/audit-ledger/anchoring.ts';
import { createChainActivities } from '../activities/audit-ledger/chains.ts';
import type { AnchorChainDeps, ChainSettings } from '../adapters/chain/anchor-chain.ts';
import { createLedgerSigner } from '../adapters/crypto/ledger-signer.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { auditLedgerWorkerSection } from '../adapters/env/audit-ledger.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createTreeBuilder } from '../adapters/merkle/tree-builder.ts';
import { anchoredUntil } from '../adapters/mongo/audit-ledger/anchored-until.ts';
import { createAnchoringIndexes } from '../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createBatchStore } from '../adapters/mongo/audit-ledger/batches.ts';
import { createCheckpointStore } from '../adapters/mongo/audit-ledger/checkpoints.ts';
import { idOfKey } from '../adapters/mongo/audit-ledger/event-id.ts';
import { createEventWriter } from '../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../adapters/mongo/audit-ledger/indexes.ts';
import { createNamespaceLeases } from '../adapters/mongo/audit-ledger/namespace-leases.ts';
import { createPendingAnchorStore } from '../adapters/mongo/audit-ledger/pending-anchors.ts';
import type { MongoConnection } from '../adapters/mongo/connect.ts';
import { followDatabaseClock } from '../adapters/mongo/database-clock.ts';
import type { AnchorChain } from '../domain/audit-ledger/anchoring-ports.ts';
import { ledgerNameOf } from '../domain/audit-ledger/checkpoint.ts';
import { createLedgerClock } from '../domain/audit-ledger/ledger-clock.ts';
import { assertEnoughChains } from '../domain/audit-ledger/production-chains.ts';
import { FairleadError } from '../domain/errors.ts';
import { auditLedgerSchedules } from '../workflows/audit-ledger/schedules.ts';
import { defineModule } from './module.ts';

const GWEI = 10n ** 9n;
const now = () => new Date();

type LedgerEnv = ReadSection<typeof auditLedgerWorkerSection>;

/** Chains and nights of the ledger, on its own database. Its settings: AUDIT_URL and AUDIT_SIGNING_KEY. */
export const auditLedger = defineModule({
  name: 'audit-ledger',
  section: auditLedgerWorkerSection,
  schedules: auditLedgerSchedules,
  queue: 'own',
  // Closing a day, its tree, and two chains; the verification of a long history takes one for as long as it lasts.
  slots: () => 10,
  async compose({ env, settings, connect, logger, opened, metrics }) {
    const auditUrl = settings.urls['audit-ledger'];
    if (env.AUDIT_SIGNING_KEY === undefined || auditUrl === undefined) return null;
    assertEnoughChains(auditUrl, env.AUDIT_CHAINS);
    if (env.AUDIT_CHAINS.length > 0 && env.AUDIT_SIGNER_KEY === undefined) {
      throw new FairleadError('VALIDATION_FAILED', 'AUDIT_CHAINS needs AUDIT_SIGNER_KEY: the key of the anchorer');
    }
    const mongo = await connect('audit-ledger');
    await createLedgerIndexes(mongo.db);
    await createAnchoringIndexes(mongo.db);
    metrics?.reading({
      name: 'anchoring',
      gauge: 'fairlead_ledger_anchored_until_timestamp_seconds',
      help: 'The end of the newest day of the audit ledger that is confirmed on a chain.',
      labelNames: ['chain'],
      read: () => readAnchoring(mongo, env.AUDIT_CHAINS),
    });
    const events = createEventStore(mongo);
    const onFailure = (err: unknown) => logger.warn({ err }, "the database's time cannot be read");
    const clock = opened.adopt(await followDatabaseClock({ db: mongo.db, onFailure }), ({ close }) => close());
    const eventTime = createLedgerClock({ database: clock.now, own: now });
    const leases = createNamespaceLeases({ db: mongo.db, now: clock.now });
    const checkpoints = createCheckpointStore(mongo);
    const ledgerName = ledgerNameOf(auditUrl);
    const signer = createLedgerSigner(env.AUDIT_SIGNING_KEY, env.AUDIT_RETIRED_KEYS);
    const anchoring = createAnchoringActivities({
      events,
      writer: createEventWriter({ store: events, leases, newId, now: eventTime }),
      leases,
      batches: createBatchStore(mongo),
      checkpoints,
      ledgerName,
      signer,
      trees: createTreeBuilder(),
      chains: env.AUDIT_CHAINS.map((chain) => lazyChain(chain, env, mongo)),
      idOfKey,
      now: eventTime,
      platformOrg: settings.platformOrg,
    });
    const chains = createChainActivities({ store: events, checkpoints, ledgerName, signer, now: clock.now });
    return { ...anchoring, ...chains };
  },
});

async function readAnchoring({ db }: MongoConnection, chains: readonly ChainSettings[]) {
  const read = chains.map(async ({ chainId }) => {
    const until = await anchoredUntil(db, chainId);
    return until === null ? [] : [{ labels: { chain: String(chainId) }, value: until.getTime() / 1_000 }];
  });
  return (await Promise.all(read)).flat();
}

/** The library of the chains takes 40 MiB: it is loaded when the first night needs it. */
function lazyChain(settings: ChainSettings, env: LedgerEnv, mongo: MongoConnection): AnchorChain {
  let chain: Promise<AnchorChain> | null = null;
  const load = async (): Promise<AnchorChain> => {
    const { createAnchorChain } = await import('../adapters/chain/anchor-chain.ts');
    const { createEnvSigner } = await import('../adapters/chain/env-signer.ts');
    const [key] = env.AUDIT_SIGNER_KEY ?? [];
    if (key === undefined) throw new FairleadError('VALIDATION_FAILED', 'AUDIT_SIGNER_KEY is not set');
    const deps: AnchorChainDeps = {
      signer: createEnvSigner(key),
      pending: createPendingAnchorStore(mongo),
      now,
      feeCapWei: BigInt(env.AUDIT_MAX_FEE_GWEI) * GWEI,
    };
    return createAnchorChain(settings, deps);
  };
  const loaded = (): Promise<AnchorChain> => {
    chain ??= load();
    return chain;
  };
  return {
    chainId: settings.chainId,
    contract: settings.contract,
    anchor: async (batch, signal) => await (await loaded()).anchor(batch, signal),
    rootOf: async (day) => await (await loaded()).rootOf(day),
  };
}
