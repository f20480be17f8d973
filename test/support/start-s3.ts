import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Options } from '../../adapters/s3/object-store.ts';
import { freePort } from './free-port.ts';
import { toolPath } from './tool-path.ts';
import { waitUntil } from './wait-until.ts';

/** A server that speaks S3, on the loopback and in a folder of its own. */
export interface TestS3 {
  readonly endpoint: string;
  /** How an adapter uses a bucket of it. The bucket is not made. */
  settings(bucket?: string): S3Options;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Answers once it serves. */
  readonly health: string;
}

interface Place {
  readonly address: string;
  readonly folder: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export type S3Program = 'minio' | 'versitygw';

const LAUNCHES: Readonly<Record<S3Program, (place: Place) => Launch>> = {
  minio: ({ address, folder, accessKey, secretKey }) => ({
    args: ['server', '--quiet', '--address', address, '--certs-dir', join(folder, 'certs'), join(folder, 'data')],
    env: { MINIO_ROOT_USER: accessKey, MINIO_ROOT_PASSWORD: secretKey, MINIO_BROWSER: 'off', MINIO_UPDATE: 'off' },
    health: '/minio/health/cluster',
  }),
  versitygw: ({ address, folder, accessKey, secretKey }) => ({
    args: ['--quiet', '--health', '/health', '--port', address, 'posix', join(folder, 'data')],
    env: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
    health: '/health',
  }),
};

/** Why there is none here; false where there is one. Its tests are skipped then, see `infra/dev/allowed-skips.ts`. */
export async function versitygwMissing(): Promise<string | false> {
  return await toolPath('versitygw').then(
    () => false,
    () => 'the Versity S3 Gateway cannot be built here',
  );
}

/** Runs a program where its first argument is a small disk: in a mount namespace, which needs no root. */
const onSmallDisk = (mib: number, folder: string, command: readonly string[]): readonly string[] => {
  const script = `mount -t tmpfs -o size=${mib}m fairlead-test "$0" && exec "$@"`;
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', script, folder, ...command];
};

/** @param options.diskMib its data is on a disk of that size; a start again finds that empty */
export async function startS3(program: S3Program, options: { readonly diskMib?: number } = {}): Promise<TestS3> {
  const folder = await mkdtemp(join(tmpdir(), `fairlead-${program}-`));
  await mkdir(join(folder, 'data'), { recursive: true });
  const address = `${HOST}:${await freePort()}`;
  const endpoint = `http://${address}`;
  const keys = { accessKey: 'fairlead-test', secretKey: randomBytes(16).toString('hex') };
  const launch = LAUNCHES[program]({ address, folder, ...keys });
  const command = [await toolPath(program), ...launch.args];
  const { diskMib } = options;
  const [path = '', ...args] = diskMib === undefined ? command : onSmallDisk(diskMib, join(folder, 'data'), command);
  let running: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const env = { PATH: process.env.PATH, HOME: folder, ...launch.env };
    const child = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    running = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    await waitUntil(`${program} serves`, async () => {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${output}`);
      return (await fetch(`${endpoint}${launch.health}`).catch(() => null))?.ok === true;
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const child = running;
    running = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  await start();
  return {
    endpoint,
    settings: (bucket = `test-${randomBytes(6).toString('hex')}`) => ({
      endpoint,
      region: 'us-east-1',
      bucket,
      ...keys,
    }),
    kill: () => end('SIGKILL'),
    restart: start,
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
