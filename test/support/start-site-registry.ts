import { Writable } from 'node:stream';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import type { Caller, Credentials } from '../../api/http/caller.ts';
import { startServer } from '../../api/http/server.ts';
import { createTokenAuth } from '../../api/http/token-auth.ts';
import { createSiteGate } from '../../api/properties/site-callers.ts';
import { createSiteRegistryApp, type SiteRegistryDeps } from '../../api/site-registry-app.ts';
import type { PersonDirectory } from '../../domain/properties/people.ts';
import type { TokenVerifier } from '../../sdk/index.ts';
import { createInMemoryAudit } from './in-memory/audit-recorder.ts';
import { createInMemoryPropertyCommands } from './in-memory/property-commands.ts';
import { createInMemoryPropertyStore } from './in-memory/property-store.ts';
import { createInMemoryPullCommands } from './in-memory/search-pull-commands.ts';
import {
  createInMemoryPullRuns,
  createInMemorySearchRows,
  createInMemorySearchWindows,
} from './in-memory/search-pull-stores.ts';
import { createInMemoryVerifyJobStore } from './in-memory/verify-jobs.ts';
import type { Answer } from './start-api.ts';

/** A platform admin. */
export const ROOT = { 'x-test-user': 'super_admin' } as const;
/** Services of the platform's org. */
export const READER = { 'x-test-scopes': 'webmaster:read' } as const;
export const SYNCER = { 'x-test-scopes': 'webmaster:sync' } as const;

/** Active people of the directory in memory. */
export const PEOPLE: Readonly<Record<string, string>> = { usr_ada: 'ada@example.com' };

/**
 * The site registry's app on a free port, on parts in memory unless others are given. Tokens are played by headers (those
 * above), or are those of a provider.
 */
export async function startSiteRegistry(
  changes: Partial<SiteRegistryDeps> = {},
  tokens: { readonly verifier: TokenVerifier; readonly people: PersonDirectory; readonly issuer: string } | null = null,
) {
  const now = () => new Date();
  const audit = createInMemoryAudit();
  const deps: SiteRegistryDeps = {
    properties: createInMemoryPropertyStore(),
    jobs: createInMemoryVerifyJobStore(),
    commands: createInMemoryPropertyCommands(),
    searchRows: createInMemorySearchRows(),
    searchWindows: createInMemorySearchWindows(),
    pullRuns: createInMemoryPullRuns(),
    pullCommands: createInMemoryPullCommands(),
    audit,
    newId,
    now,
    ...changes,
  };
  const byToken = createTokenAuth({
    internalKey: async () => null,
    verifier: tokens?.verifier ?? null,
    platformOrg: 'platform',
  });
  const people: PersonDirectory = tokens?.people ?? {
    findActive: async (userId) => {
      const email = PEOPLE[userId];
      return email === undefined ? null : { userId, email };
    },
  };
  const authenticate = createSiteGate({
    authenticate: async (request) => playedCaller(request) ?? (await byToken(request)),
    platformOrg: 'platform',
    people,
  });
  const stopping = new AbortController();
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const app = createSiteRegistryApp(deps, {
    ...(tokens !== null && { protectedResource: { issuer: tokens.issuer, publicUrl: null } }),
    authenticate,
    newId,
    log: createLogger({ name: 'test', level: 'debug', secrets: [] }, silent),
    requestsPerMinute: 100_000,
    stopping: stopping.signal,
    health: { commit: 'c0ffee', version: '1.2.3', now, checks: {} },
  });
  const server = await startServer(app, { host: '127.0.0.1', port: 0, stopping, graceMs: 2_000 });
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = ROOT,
  ): Promise<Answer> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(server.address + path, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }
  return { ...deps, told: audit.told, address: server.address, call, stop: () => server.stop() };
}

export type TestSiteRegistry = Awaited<ReturnType<typeof startSiteRegistry>>;

function playedCaller({ headers }: Credentials): Caller | null {
  const { 'x-test-user': user, 'x-test-scopes': scopes, 'x-test-org': org = 'platform' } = headers;
  if (typeof scopes === 'string') {
    const name = 'portal-prod';
    return { kind: 'service', clientId: name, org: String(org), name, scopes: scopes.split(' ') };
  }
  if (typeof user !== 'string') return null;
  const person = {
    via: 'token',
    ...{ userId: 'usr_root', email: 'root@example.com', org: 'platform', name: 'usr_root', clientId: 'fairlead-cli' },
  } as const;
  return user === 'super_admin'
    ? { ...person, kind: 'platform-admin', role: 'admin' }
    : { ...person, kind: 'user', role: 'admin' };
}
