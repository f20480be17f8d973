import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IdentityDeps } from '../../api/identity/deps.ts';
import type { IdentityStores } from '../../api/identity/stores.ts';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';
import { callProvider } from '../interop/call-provider.ts';
import { startCuttingProxy } from './cutting-proxy.ts';
import { dyingAtWrite, type Kill } from './dying-at.ts';
import { freePort } from './free-port.ts';
import { ENCRYPTION_KEY, KEY, startIdp, type TestIdp } from './start-idp.ts';

/** A second provider on the database of a sound one, which is killed at a write that is chosen. */
export interface KilledProvider {
  readonly call: TestIdp['call'];
  /** Does it with the provider, which is killed at that write of it, and started again. False when it made fewer writes. */
  killedAt(kill: Kill, work: () => Promise<unknown>): Promise<boolean>;
  stop(): Promise<void>;
}

const STORES: Readonly<Record<keyof Omit<IdentityStores, 'signingKeys'>, true>> = {
  ...{ clients: true, users: true, sessions: true, grants: true, codes: true, devices: true, consents: true },
  ...{ links: true, attempts: true, revocations: true, orgs: true, memberships: true, invites: true, orgGrants: true },
  audit: true,
};

/** In this process: from the kill on no store of it answers, which is all that the database and the other one notice of it. */
export async function startMortalProvider(sound: TestIdp): Promise<KilledProvider> {
  const mortal = await startIdp({ mongo: { ...sound.mongo, stop: async () => undefined }, issuer: sound.issuer });
  const { deps } = mortal;
  const names = Object.keys(STORES) as (keyof typeof STORES)[];
  const real = Object.fromEntries(names.map((name) => [name, deps[name]])) as Pick<IdentityDeps, keyof typeof STORES>;
  return {
    call: mortal.call,
    async killedAt(kill, work) {
      const { ports, died } = dyingAtWrite(kill, real);
      Object.assign(deps, ports);
      try {
        await work();
      } catch (error) {
        if (!died()) throw error;
      } finally {
        await deps.mailQueue.idle();
        Object.assign(deps, real);
      }
      return died();
    },
    stop: mortal.stop,
  };
}

const WRITES = ['insert', 'update', 'delete', 'findAndModify'] as const;
const START_MS = 180_000;

/** As a process of `api/main.ts`, which gets SIGKILL when its write reaches the database, or the answer to it comes back. */
export async function startKilledProcess(sound: TestIdp): Promise<KilledProvider> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-killed-'));
  const [port, { hostname: host, port: mongoPort }] = [await freePort(), new URL(sound.mongo.uri)];
  let child: ChildProcess | undefined;
  let kill: Kill | null = null;
  let writes = 0;
  let dead = false;
  const proxy = await startCuttingProxy({
    server: { host, port: Number(mongoPort) },
    isMeant: (command) => kill !== null && WRITES.some((name) => name in command),
    next: () => {
      writes += 1;
      if (dead) return { of: 'command', part: 0 };
      if (writes !== kill?.write) return null;
      return kill.moment === 'before' ? { of: 'command', part: 0 } : { of: 'answer', part: 0 };
    },
    onCut: () => {
      dead = true;
      child?.kill('SIGKILL');
    },
  });
  const uri = new URL(sound.mongo.uri);
  uri.port = String(proxy.port);

  async function start(): Promise<void> {
    const started = fork(fileURLToPath(new URL('../../api/main.ts', import.meta.url)), ['--only', 'idp'], {
      env: {
        ...runtimeVariables(process.env),
        PATH: process.env.PATH,
        INTERNAL_SERVICE_KEY: KEY,
        IDP_ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
        DATA_DIR: folder,
        MONGODB_URI: uri.href,
        IDP_MONGODB_URI: uri.href,
        IDP_PORT: String(port),
        IDP_URL: sound.issuer,
        REQUESTS_PER_MINUTE: '1000000',
        LOG_LEVEL: 'fatal',
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child = started;
    const ended = once(started, 'exit').then(() => Promise.reject(new Error('the provider ended by itself')));
    ended.catch(() => undefined);
    await Promise.race([once(started, 'message', { signal: AbortSignal.timeout(START_MS) }), ended]);
  }
  async function end(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await start();
  return {
    call: (method, path, options = {}) => callProvider(`http://127.0.0.1:${port}`, method, path, options),
    async killedAt(wanted, work) {
      [kill, writes, dead] = [wanted, 0, false];
      try {
        await work();
      } catch (error) {
        if (!dead) throw error;
      }
      kill = null;
      if (!dead) return false;
      await end();
      await start();
      return true;
    },
    async stop() {
      await end();
      await proxy.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
