import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Db } from 'mongodb';
import { createTokens } from '../../../adapters/crypto/tokens.ts';
import { createIdentityStores } from '../../../adapters/mongo/identity-database.ts';
import { runtimeVariables } from '../../../infra/dev/runtime-variables.ts';
import { clientRecord } from '../../ports/identity/records.ts';
import { freePort } from '../../support/free-port.ts';
import { startMongo } from '../../support/start-mongo.ts';
import { waitUntil } from '../../support/wait-until.ts';

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

/** The identity provider as it is started in production, on a database of its own. */
export async function startFairlead(client: BenchClient): Promise<ProviderProcess> {
  const [mongo, dataDir, port] = [
    await startMongo(),
    await mkdtemp(join(tmpdir(), 'fairlead-mint-')),
    await freePort(),
  ];
  const child = spawn(process.execPath, [file('../../../api/main.ts'), '--only', 'idp'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...runtimeVariables(process.env),
      IDP_PORT: String(port),
      IDP_URL: `http://localhost:${port}`,
      IDP_MONGODB_URI: mongo.uri,
      IDP_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      INTERNAL_SERVICE_KEY: randomBytes(32).toString('hex'),
      // Far above what one machine can ask for: all requests of the bench come from one address.
      REQUESTS_PER_MINUTE: '100000000',
      DATA_DIR: dataDir,
    },
  });
  const url = new URL(`http://127.0.0.1:${port}/api/oauth/token`);
  const serves = async () => (await fetch(new URL('/health', url)).catch(() => null))?.status === 200;
  await waitUntil('the identity provider serves', serves, { withinMs: 60_000 });
  await seedClient(mongo.connection.db, client);
  return {
    pid: child.pid ?? 0,
    url,
    async stop() {
      await end(child);
      await mongo.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** `oidc-provider`, with everything in its memory, and its process set as ours. */
export async function startOidcProvider({ clientId, secret }: BenchClient): Promise<ProviderProcess> {
  const child = fork(file('./oidc-provider-server.ts'), [clientId, secret, clientId], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...process.env, ...runtimeVariables(process.env) },
  });
  const [message] = (await once(child, 'message')) as [{ readonly address: string }];
  return { pid: child.pid ?? 0, url: new URL(message.address), stop: () => end(child) };
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
    secrets: [{ id: 'sec_bench', hash, createdAt: now, lastUsedAt: null }],
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
