import { newId } from '../../adapters/crypto/new-id.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { type Authenticate, createInternalKeyAuth } from '../../api/http/caller.ts';
import { startServer } from '../../api/http/server.ts';
import { createTokenAuth } from '../../api/http/token-auth.ts';
import { createWalletLedger } from '../../api/wallet/wallet-ledger.ts';
import { createWalletApp } from '../../api/wallet-app.ts';
import type { OrgDirectory } from '../../domain/org-directory.ts';
import type { WalletStore } from '../../domain/wallet/ports.ts';
import type { TokenVerifier } from '../../sdk/index.ts';
import { createInMemoryAudit } from './in-memory/audit-recorder.ts';
import { createInMemoryWalletStore } from './in-memory/wallet-store.ts';

export const KEY = 'internal-key-of-this-test-0123456789';

/** The wallet's app on a free port, on a store in memory unless another is given. */
export async function startWallet({
  verifier = null,
  issuer = null,
  orgs = null,
  store = createInMemoryWalletStore(),
}: {
  readonly verifier?: TokenVerifier | null;
  readonly issuer?: string | null;
  readonly orgs?: OrgDirectory | null;
  readonly store?: WalletStore;
} = {}) {
  const now = () => new Date();
  const audit = createInMemoryAudit();
  const ledger = createWalletLedger({ store, newId, now, orgs });
  const internalKey = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret: (a, b) => a === b });
  const authenticate: Authenticate = createTokenAuth({ internalKey, verifier, platformOrg: 'platform' });
  const stopping = new AbortController();
  const app = createWalletApp(
    { ledger, audit },
    {
      authenticate,
      ...(issuer === null ? {} : { protectedResource: { issuer, publicUrl: null } }),
      newId,
      log: createLogger({ name: 'test', level: 'silent', secrets: [KEY] }),
      requestsPerMinute: 100_000,
      stopping: stopping.signal,
      health: { commit: 'c0ffee', version: '1.2.3', now, checks: {} },
    },
  );
  const server = await startServer(app, { host: '127.0.0.1', port: 0, stopping, graceMs: 2_000 });

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = { 'x-internal-key': KEY },
  ) {
    const response = await fetch(server.address + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const reply: ReturnType<typeof JSON.parse> = await response.json();
    return { status: response.status, body: reply };
  }
  return { address: server.address, call, ledger, audit, stop: () => server.stop() };
}

export type TestWallet = Awaited<ReturnType<typeof startWallet>>;
