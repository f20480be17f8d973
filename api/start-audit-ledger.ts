import type { Logger } from 'pino';
import { createLedgerSigner } from '../adapters/crypto/ledger-signer.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { type AuditEnv, processIdentity } from '../adapters/env.ts';
import { createCodeLogin } from '../adapters/idp/code-login.ts';
import { createAnchoringIndexes } from '../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createBatchStore } from '../adapters/mongo/audit-ledger/batches.ts';
import { createCheckpointStore } from '../adapters/mongo/audit-ledger/checkpoints.ts';
import { createEmitCounter } from '../adapters/mongo/audit-ledger/emit-counter.ts';
import { createEventWriter } from '../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../adapters/mongo/audit-ledger/indexes.ts';
import { createTurns } from '../adapters/mongo/audit-ledger/turns.ts';
import { connectMongo, type MongoConnection } from '../adapters/mongo/connect.ts';
import { createAnchorCommands } from '../adapters/temporal/anchor-commands.ts';
import { createTemporalClient } from '../adapters/temporal/client.ts';
import { createVerificationRuns } from '../adapters/temporal/verification-runs.ts';
import { ledgerNameOf } from '../domain/audit-ledger/checkpoint.ts';
import { VERIFIED_AT_ONCE } from '../domain/audit-ledger/verification.ts';
import type { CodeLogin } from '../domain/identity/code-login.ts';
import { PLATFORM_CLIENTS } from '../domain/oauth-clients/client.ts';
import type { LedgerDeps } from './audit-ledger/deps.ts';
import { createAuditLedgerApp } from './audit-ledger-app.ts';
import { DRAIN_MS, type RunningService, startServer } from './http/server.ts';
import { createTokenAuth } from './http/token-auth.ts';
import { createPlatformVerifier } from './platform-verifier.ts';
import { serviceOptions } from './start-service.ts';

const DATABASE = 'audit';
const now = () => new Date();

/** Starts the audit ledger on its port, with MongoDB behind it. @throws UNAVAILABLE, CONFLICT */
export async function startAuditLedger(env: AuditEnv, log: Logger): Promise<RunningService> {
  const mongo = await connectMongo(
    env.AUDIT_MONGODB_URI ?? env.MONGODB_URI,
    'fairlead-audit-ledger',
    env.AUDIT_MONGODB_URI === undefined ? DATABASE : undefined,
  );
  const temporal = createTemporalClient({
    address: env.TEMPORAL_ADDRESS,
    namespace: env.TEMPORAL_NAMESPACE,
    identity: processIdentity('audit-ledger'),
  });
  const stopping = new AbortController();
  const verifier = createPlatformVerifier(env, PLATFORM_CLIENTS.auditLedger);
  const close = async (): Promise<void> => {
    verifier?.close();
    await Promise.all([temporal.connection.close(), mongo.close()]);
  };
  try {
    await createLedgerIndexes(mongo.db);
    await createAnchoringIndexes(mongo.db);
    const deps = {
      ...ledgerDeps(env, mongo, createVerificationRuns(temporal)),
      batches: createBatchStore(mongo),
      anchoring: createAnchorCommands(temporal),
    };
    const service = await serviceOptions(env, { log, stopping, now, checks: { mongo: () => mongo.ping() } });
    const app = createAuditLedgerApp(deps, {
      ...service,
      authenticate: createTokenAuth({
        internalKey: service.authenticate,
        verifier,
        platformOrg: env.PLATFORM_ORG,
      }),
      protectedResource: { issuer: env.IDP_URL ?? null, publicUrl: env.AUDIT_URL },
      pages: { login: createLogin(env), secureCookies: env.AUDIT_URL.startsWith('https:') },
    });
    const server = await startServer(app, { host: env.HOST, port: env.AUDIT_PORT, stopping, graceMs: DRAIN_MS });
    const stop = async (): Promise<void> => {
      await server.stop();
      await close();
    };
    return { address: server.address, stop };
  } catch (error) {
    await close();
    throw error;
  }
}

/** People sign in where their tokens come from. */
function createLogin(env: AuditEnv): CodeLogin | null {
  if (env.IDP_URL === undefined) return null;
  const redirectUri = `${env.AUDIT_URL}/api/auth/callback`;
  return createCodeLogin({ issuer: env.IDP_URL, clientId: PLATFORM_CLIENTS.auditPages, redirectUri });
}

function ledgerDeps(env: AuditEnv, { db }: MongoConnection, verifications: LedgerDeps['verifications']): LedgerDeps {
  const store = createEventStore({ db });
  return {
    store,
    writer: createEventWriter({ store, turns: createTurns({ db, now }), newId, now }),
    counter: createEmitCounter({ db, now, limit: env.AUDIT_EMIT_RATE_LIMIT }),
    checkpoints: createCheckpointStore({ db }),
    signer: createLedgerSigner(env.AUDIT_SIGNING_KEY),
    verifications,
    newId,
    now,
    settings: {
      ledgerName: ledgerNameOf(env.AUDIT_URL),
      emitLimit: env.AUDIT_EMIT_RATE_LIMIT,
      verifiedAtOnce: VERIFIED_AT_ONCE,
    },
  };
}
