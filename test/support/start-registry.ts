import { equalsSecret } from '../../adapters/crypto/equals-secret.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { createDeployRecordStore } from '../../adapters/mongo/registry/deploys.ts';
import { createEntryStore } from '../../adapters/mongo/registry/entries.ts';
import { createPackageChangelogStore } from '../../adapters/mongo/registry/packages.ts';
import { type Authenticate, type Caller, createInternalKeyAuth } from '../../api/http/caller.ts';
import { startServer } from '../../api/http/server.ts';
import type { RegistryDeps } from '../../api/registry/deps.ts';
import { createRegistryApp } from '../../api/registry-app.ts';
import { createDatabase } from './in-memory/database/database.ts';
import type { Answer } from './start-api.ts';

export const KEY = 'internal-key-of-this-test-0123456789';

/** Stores of the registry in this process: those on MongoDB, which pass their suites on the database in memory. */
export function createInMemoryRegistryStores(): Omit<RegistryDeps, 'now'> {
  const { db } = createDatabase().connection;
  return {
    entries: createEntryStore({ db }),
    deploys: createDeployRecordStore({ db }),
    packages: createPackageChangelogStore({ db }),
  };
}

/**
 * The service registry's app on a free port. The header `x-test-caller` plays a token: `user/<org>/<role>`,
 * `service/<org>` or `platform-service/<client id>`; without it the internal key counts, and tokens when given.
 */
export async function startRegistry(
  options: { readonly authenticate?: Authenticate; readonly stores?: Omit<RegistryDeps, 'now'> } = {},
) {
  const deps: RegistryDeps = { ...(options.stores ?? createInMemoryRegistryStores()), now: () => new Date() };
  const internal = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret });
  const stopping = new AbortController();
  const app = createRegistryApp(deps, {
    authenticate: async (request) =>
      testCaller(request.headers['x-test-caller']) ?? (await (options.authenticate ?? internal)(request)),
    newId,
    log: createLogger({ name: 'test', level: 'silent', secrets: [KEY] }),
    requestsPerMinute: 1_000_000,
    stopping: stopping.signal,
    health: { commit: 'c0ffee', version: '1.2.3', now: deps.now, checks: {} },
  });
  const server = await startServer(app, { host: '127.0.0.1', port: 0, stopping, graceMs: 2_000 });

  /** By the internal key, unless `headers` name a caller. */
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(server.address + path, {
      method,
      headers: {
        ...('x-test-caller' in headers ? {} : { 'x-internal-key': KEY }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null;
    return { status: response.status, headers: response.headers, text, body: json };
  }

  return { ...deps, address: server.address, call, stop: () => server.stop() };
}

export type TestRegistry = Awaited<ReturnType<typeof startRegistry>>;

function testCaller(header: string | string[] | undefined): Caller | null {
  if (typeof header !== 'string') return null;
  const [kind, first = '', role = ''] = header.split('/');
  if (kind === 'service') return { kind, clientId: `${first}-prod`, org: first, name: `${first}-prod`, scopes: [] };
  if (kind === 'platform-service') return { kind, clientId: first, org: 'platform', name: first, scopes: [] };
  if (kind !== 'user' || (role !== 'viewer' && role !== 'member' && role !== 'admin')) return null;
  const person = { userId: 'usr_test', name: 'usr_test', email: 'test@example.org', clientId: 'fairlead-cli' } as const;
  return { kind, via: 'token', org: first, role, ...person };
}
