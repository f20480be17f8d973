import { createLedgerSigner } from '../../adapters/crypto/ledger-signer.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { auditLedgerSection } from '../../adapters/env/audit-ledger.ts';
import { createCodeLogin } from '../../adapters/idp/code-login.ts';
import { createAnchoringIndexes } from '../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createBatchStore } from '../../adapters/mongo/audit-ledger/batches.ts';
import { createCheckpointStore } from '../../adapters/mongo/audit-ledger/checkpoints.ts';
import { createEmitCounter } from '../../adapters/mongo/audit-ledger/emit-counter.ts';
import { createEventWriter } from '../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../adapters/mongo/audit-ledger/indexes.ts';
import { createNamespaceLeases } from '../../adapters/mongo/audit-ledger/namespace-leases.ts';
import { followDatabaseClock } from '../../adapters/mongo/database-clock.ts';
import { createAnchorCommands } from '../../adapters/temporal/anchor-commands.ts';
import { createVerificationRuns } from '../../adapters/temporal/verification-runs.ts';
import { createBatchCheck } from '../../domain/audit-ledger/checked-batch.ts';
import { ledgerNameOf } from '../../domain/audit-ledger/checkpoint.ts';
import { createLedgerClock } from '../../domain/audit-ledger/ledger-clock.ts';
import { VERIFIED_AT_ONCE } from '../../domain/audit-ledger/verification.ts';
import { SIGN_IN_CALLBACK, serviceRow } from '../../domain/services.ts';
import { createAuditLedgerApp } from '../audit-ledger-app.ts';
import { defineService } from '../service-definition.ts';

/** The audit ledger. It answers without Temporal, which runs its verifications and its nights. */
export const auditLedger = defineService({
  name: 'audit-ledger',
  section: auditLedgerSection,
  needs: ['mongo'],
  requestsPerMinute: 120_000,
  async compose({ env, settings, publicUrl, mongo: { db }, temporal, app, log, opened }) {
    await createLedgerIndexes(db);
    await createAnchoringIndexes(db);
    const onFailure = (err: unknown) => log.warn({ err }, "the database's time cannot be read");
    const clock = opened.adopt(await followDatabaseClock({ db, onFailure }), ({ close }) => close());
    // What processes share, such as leases, goes by the database's time alone.
    const { now } = clock;
    const eventTime = createLedgerClock({ database: now, own: () => new Date() });
    const store = createEventStore({ db });
    const signer = createLedgerSigner(env.AUDIT_SIGNING_KEY, env.AUDIT_RETIRED_KEYS);
    const ledgerName = ledgerNameOf(publicUrl);
    const deps = {
      store,
      writer: createEventWriter({ store, leases: createNamespaceLeases({ db, now }), newId, now: eventTime }),
      counter: createEmitCounter({ db, now, limit: env.AUDIT_EMIT_RATE_LIMIT }),
      checkpoints: createCheckpointStore({ db }),
      signer,
      verifications: createVerificationRuns(temporal()),
      batches: createBatchStore({ db }),
      checkBatch: createBatchCheck({ ledgerName, keys: signer.keys }),
      anchoring: createAnchorCommands(temporal()),
      now,
      settings: {
        ledgerName,
        emitLimit: env.AUDIT_EMIT_RATE_LIMIT,
        verifiedAtOnce: VERIFIED_AT_ONCE,
      },
    };
    const pages = { login: signIn(settings.urls.idp, publicUrl), secureCookies: publicUrl.startsWith('https:') };
    return { app: createAuditLedgerApp(deps, { ...app, pages }) };
  },
});

/** People sign in where their tokens come from. */
function signIn(issuer: string | undefined, publicUrl: string) {
  if (issuer === undefined) return null;
  const clientId = serviceRow('audit-ledger').pagesClient;
  return createCodeLogin({ issuer, clientId, redirectUri: publicUrl + SIGN_IN_CALLBACK });
}
