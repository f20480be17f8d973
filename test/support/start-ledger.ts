import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { equalsSecret } from '../../adapters/crypto/equals-secret.ts';
import { createLedgerSigner } from '../../adapters/crypto/ledger-signer.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { createAnchoringIndexes } from '../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createBatchStore } from '../../adapters/mongo/audit-ledger/batches.ts';
import { createCheckpointStore } from '../../adapters/mongo/audit-ledger/checkpoints.ts';
import { createEmitCounter } from '../../adapters/mongo/audit-ledger/emit-counter.ts';
import { createEventWriter } from '../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../adapters/mongo/audit-ledger/indexes.ts';
import { createNamespaceLeases } from '../../adapters/mongo/audit-ledger/namespace-leases.ts';
import type { AnchoringRoutesDeps } from '../../api/audit-ledger/anchoring-routes.ts';
import type { LedgerDeps } from '../../api/audit-ledger/deps.ts';
import { createAuditLedgerApp } from '../../api/audit-ledger-app.ts';
import { type Authenticate, type Caller, createInternalKeyAuth } from '../../api/http/caller.ts';
import { startServer } from '../../api/http/server.ts';
import { createBatchCheck } from '../../domain/audit-ledger/checked-batch.ts';
import {
  tooManyVerifications,
  VERIFICATIONS_AT_ONCE,
  type VerificationRuns,
} from '../../domain/audit-ledger/verification.ts';
import type { HistoryRequest } from '../../domain/audit-ledger/verify-history.ts';
import type { Clock } from '../../domain/clock.ts';
import type { CodeLogin } from '../../domain/identity/code-login.ts';
import type { Answer } from './start-api.ts';
import { startMongo } from './start-mongo.ts';

export const KEY = 'internal-key-of-this-test-0123456789';
export const LEDGER = 'audit.example.org';

/** Remembers what was started; nothing ever completes. The real ones are tested with the workflows. */
function rememberedRuns(): VerificationRuns & {
  readonly started: Map<string, { owner: string; request: HistoryRequest }>;
} {
  const started = new Map<string, { owner: string; request: HistoryRequest }>();
  return {
    started,
    async start(owner, request) {
      const own = [...started].filter(([, run]) => run.owner === owner);
      const same = own.find(([, run]) => isDeepStrictEqual(run.request, request));
      if (same !== undefined) return same[0];
      if (own.length >= VERIFICATIONS_AT_ONCE) throw tooManyVerifications(owner);
      const id = `ver_${started.size}`;
      started.set(id, { owner, request });
      return id;
    },
    async find(id, owner) {
      return started.get(id)?.owner === owner ? { id, status: 'running', verdict: null } : null;
    },
  };
}

/** The ledger's app on a free port with real stores. `x-test-service: <client id>/<org>[/<scope>]` plays a service's token. */
export async function startLedger(
  changes: {
    emitLimit?: number;
    requestsPerMinute?: number;
    verifiedAtOnce?: number;
    now?: Clock;
    /** People and their tokens, from a real identity provider, once the ledger has an address. */
    signIn?: (address: string) => { authenticate: Authenticate; login: CodeLogin };
  } = {},
) {
  const mongo = await startMongo();
  const { db } = mongo.connection;
  await createLedgerIndexes(db);
  await createAnchoringIndexes(db);
  const { now = () => new Date(), emitLimit = 100_000, verifiedAtOnce = 20_000 } = changes;
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  const store = createEventStore({ db });
  const verifications = rememberedRuns();
  let writer = createEventWriter({ store, newId, now });
  const anchoredByHand: string[] = [];
  const signer = createLedgerSigner([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
  const deps: LedgerDeps & AnchoringRoutesDeps = {
    batches: createBatchStore({ db }),
    checkBatch: createBatchCheck({ ledgerName: LEDGER, keys: signer.keys }),
    anchoring: { anchorDay: async (day) => void anchoredByHand.push(day) },
    store,
    writer: { emit: (draft, meanwhile) => writer.emit(draft, meanwhile) },
    counter: createEmitCounter({ db, now, limit: emitLimit }),
    checkpoints: createCheckpointStore({ db }),
    signer,
    verifications,
    now,
    settings: { ledgerName: LEDGER, emitLimit, verifiedAtOnce },
  };
  const internal = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret });
  const stopping = new AbortController();
  let address = '';
  const signIn = () => changes.signIn?.(address);
  const login = (): CodeLogin => {
    const parts = signIn();
    assert.ok(parts);
    return parts.login;
  };
  const app = createAuditLedgerApp(deps, {
    authenticate: async (request) =>
      testService(request.headers['x-test-service']) ??
      (await internal(request)) ??
      (await signIn()?.authenticate(request)) ??
      null,
    pages: {
      login:
        changes.signIn === undefined
          ? null
          : { begin: () => login().begin(), finish: (...args) => login().finish(...args) },
      secureCookies: false,
    },
    newId,
    log: createLogger({ name: 'test', level: 'debug', secrets: [KEY] }, sink),
    requestsPerMinute: changes.requestsPerMinute ?? 1_000_000,
    stopping: stopping.signal,
    health: { commit: 'c0ffee', version: '1.2.3', now, checks: { mongo: () => mongo.connection.ping() } },
  });
  const server = await startServer(app, { host: '127.0.0.1', port: 0, stopping, graceMs: 2_000 });
  address = server.address;

  /** As a service (`shop-prod/acme`), as the platform (`platform`), or as nobody (null). */
  async function call(
    who: string | null,
    method: string,
    path: string,
    body?: unknown,
    extra: Record<string, string> = {},
  ) {
    const credential = who === 'platform' ? { 'x-internal-key': KEY } : { 'x-test-service': who ?? '' };
    const response = await fetch(server.address + path, {
      method,
      headers: {
        ...(who === null ? {} : credential),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...extra,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('/json') ? JSON.parse(text) : null;
    const answer: Answer = { status: response.status, headers: response.headers, text, body: json };
    return answer;
  }

  /** As a new process would, it knows nothing of the chains. */
  const restart = (): void => {
    writer = createEventWriter({ store, newId, now });
  };

  const stop = async (): Promise<void> => {
    await server.stop();
    await mongo.stop();
  };
  const leases = createNamespaceLeases({ db, now: () => new Date() });
  /** What the activities of the night share with the app. */
  const night = {
    events: store,
    writer: deps.writer,
    leases,
    batches: deps.batches,
    checkpoints: deps.checkpoints,
    ledgerName: LEDGER,
    signer: deps.signer,
  };
  return {
    ...deps,
    night,
    leases,
    anchoredByHand,
    verifications,
    db,
    call,
    logged,
    restart,
    stop,
    address: server.address,
  };
}

export type TestLedger = Awaited<ReturnType<typeof startLedger>>;

function testService(header: string | string[] | undefined): Caller | null {
  if (typeof header !== 'string' || header === '') return null;
  const [clientId = '', org = '', ...scopes] = header.split('/');
  return { kind: 'service', clientId, org, name: clientId, scopes };
}
