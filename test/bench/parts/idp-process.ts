import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { createTokens } from '../../../adapters/crypto/tokens.ts';
import { createIdentityStores } from '../../../adapters/mongo/identity-database.ts';
import { residentVariables, SERVICE_FLAGS } from '../../../infra/dev/runtime-variables.ts';
import { clientRecord } from '../../ports/identity/records.ts';
import { freePort } from '../../support/free-port.ts';
import { startMongo } from '../../support/start-mongo.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { databaseServer } from './database-server.ts';

/** A provider in a process of its own, with one client that may ask for its own tokens. */
export interface ProviderProcess {
  readonly pid: number;
  /** The token endpoint. */
  readonly url: URL;
  stop(): Promise<void>;
}

export interface BenchClient {
  readonly clientId: string;
  readonly secret: string;
}

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Ours besides: what a service that takes its tokens has to know. */
export interface FairleadProcess extends ProviderProcess {
  readonly issuer: string;
  readonly internalKey: string;
  /** The server that its database is on. */
  readonly database: string;
}

/** The identity provider as it is started in production, on a database of its own. */
export async function startFairlead(clients: readonly BenchClient[]): Promise<FairleadProcess> {
  const [mongo, dataDir, port] = [
    await startMongo(),
    await mkdtemp(join(tmpdir(), 'fairlead-mint-')),
    await freePort(),
  ];
  const issuer = `http://localhost:${port}`;
  const internalKey = randomBytes(32).toString('hex');
  const child = spawn(process.execPath, [...SERVICE_FLAGS, file('../../../api/main.ts'), '--only', 'idp'], {
    // By the channel it learns that this process is gone, and ends as well.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      ...residentVariables(process.env),
      IDP_PORT: String(port),
      IDP_URL: issuer,
      IDP_MONGODB_URI: mongo.uri,
      IDP_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      INTERNAL_SERVICE_KEY: internalKey,
      // Far above what one machine can ask for: all requests of the bench come from one address.
      REQUESTS_PER_MINUTE: '100000000',
      DATA_DIR: dataDir,
    },
  });
  const url = new URL(`http://127.0.0.1:${port}/api/oauth/token`);
  const serves = async () => (await fetch(new URL('/health', url)).catch(() => null))?.status === 200;
  await waitUntil('the identity provider serves', serves, { withinMs: 60_000 });
  for (const client of clients) await seedClient(mongo.connection.db, client);
  return {
    pid: child.pid ?? 0,
    url,
    issuer,
    internalKey,
    database: await databaseServer(mongo.connection.db),
    async stop() {
      await end(child);
      await mongo.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A service's own token for another service. */
export async function mintToken(provider: ProviderProcess, client: BenchClient, audience: string): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.secret, audience };
  const response = await fetch(provider.url, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token } = z.object({ access_token: z.string() }).parse(await response.json());
  return access_token;
}

/** `oidc-provider`, with everything in its memory, and its process set as ours. */
export async function startOidcProvider({ clientId, secret }: BenchClient): Promise<ProviderProcess> {
  const child = forkAsOurs('./oidc-provider-server.ts', [clientId, secret, clientId]);
  const [message] = (await once(child, 'message')) as [{ readonly address: string }];
  return { pid: child.pid ?? 0, url: new URL(message.address), stop: () => end(child) };
}

/** A process of a baseline, set as ours are in production. */
export function forkAsOurs(script: string, args: readonly string[] = []): ChildProcess {
  return fork(file(script), args, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [...SERVICE_FLAGS],
    env: { ...process.env, ...residentVariables(process.env) },
  });
}

async function seedClient(db: Db, { clientId, secret }: BenchClient): Promise<void> {
  const now = new Date();
  const hash = createTokens([new Uint8Array(32)]).hash(secret);
  const record = clientRecord({
    clientId,
    orgSlug: 'platform',
    redirectUris: [],
    allowedScopes: ['orders:read'],
    allowedGrantTypes: ['client_credentials'],
    secrets: [{ id: 'sec_bench', hash, issuedFor: null, addedBy: null, createdAt: now, lastUsedAt: null }],
    createdAt: now,
    updatedAt: now,
  });
  await createIdentityStores({ db, now: () => now }).clients.insert(record);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
