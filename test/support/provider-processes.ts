import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSigningKeyStore } from '../../adapters/mongo/identity/signing-keys.ts';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';
import { callProvider } from '../interop/call-provider.ts';
import { freePort } from './free-port.ts';
import type { CallOptions } from './start-idp.ts';
import { startMongo } from './start-mongo.ts';

const MAIN = fileURLToPath(new URL('../../api/main.ts', import.meta.url));
const KEY = 'internal-key-of-this-test-0123456789';
const START_MS = 60_000;

/**
 * Identity providers as operators run them: processes of `api/main.ts --only idp` with one database, one operator key and
 * one address that they call themselves by, which is the first one's.
 */
export async function startProviders(count: number) {
  const mongo = await startMongo();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-providers-'));
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const issuer = `http://localhost:${ports[0]}`;
  const secrets = { INTERNAL_SERVICE_KEY: KEY, IDP_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const children: ChildProcess[] = [];

  async function start(index: number): Promise<void> {
    const child = fork(MAIN, ['--only', 'idp'], {
      env: {
        ...runtimeVariables(process.env),
        PATH: process.env.PATH,
        ...secrets,
        DATA_DIR: folder,
        MONGODB_URI: mongo.uri,
        IDP_MONGODB_URI: mongo.uri,
        IDP_PORT: String(ports[index]),
        IDP_URL: issuer,
        REQUESTS_PER_MINUTE: '1000000',
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    children[index] = child;
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
    const signal = AbortSignal.timeout(START_MS);
    const ended = once(child, 'exit', { signal }).then(() => Promise.reject(new Error(`it ended: ${output.join('')}`)));
    await Promise.race([once(child, 'message', { signal }), ended]);
    ended.catch(() => undefined);
  }

  /** Ends a process as a power cut does. */
  async function kill(index: number): Promise<void> {
    const child = children[index];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Holds a process, which keeps its port and answers nobody, or lets it go on. */
  function pause(index: number, paused: boolean): void {
    children[index]?.kill(paused ? 'SIGSTOP' : 'SIGCONT');
  }

  for (const index of ports.keys()) await start(index);
  return {
    issuer,
    /** The first one is what the issuer leads to. */
    addresses: ports.map((port) => `http://127.0.0.1:${port}`),
    internalKey: KEY,
    db: mongo.connection.db,
    start,
    kill,
    pause,
    firstAdminLink: async () => (await readFile(join(folder, 'first-admin-link'), 'utf8')).trim(),
    /** One request to one of them; redirects are not followed. */
    call: (index: number, method: string, path: string, options: CallOptions = {}) =>
      callProvider(`http://127.0.0.1:${ports[index]}`, method, path, options),
    /** Lets the next key have been published for long, so that it may be made to sign at once. */
    async ageKeys(): Promise<void> {
      const store = createSigningKeyStore({ db: mongo.connection.db });
      const { version, keys } = await store.read();
      const createdAt = new Date(Date.now() - 3_600_000);
      await store.write(
        version,
        keys.map((key) => ({ ...key, createdAt })),
      );
    },
    async stop(): Promise<void> {
      await Promise.all([...children.keys()].map(kill));
      await mongo.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Providers = Awaited<ReturnType<typeof startProviders>>;
