import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { createTestAuthority } from './test-authority.ts';
import { toolPath } from './tool-path.ts';
import { waitUntil } from './wait-until.ts';

export interface PebbleOptions {
  /** Where it asks for addresses and TXT records, as `127.0.0.1:<port>`. */
  readonly dns: string;
  /** Port of the loopback that HTTP-01 asks. */
  readonly httpPort: number;
  /** Percent of good nonces that it refuses; 30 by default. */
  readonly rejectNonces?: number;
  /** Keys of accounts that ours has to be bound to, base64url by id; none asks for none. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
}

/** A certificate authority of one test, which forgets all when it ends. It offers the profile `shortlived`, of six days. */
export async function startPebble({ dns, httpPort, rejectNonces = 30, externalAccounts }: PebbleOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-pebble-'));
  const own = await createTestAuthority();
  const { key, chain } = await own.issue(['localhost']);
  const [port, managementPort] = [await freePort(), await freePort()];
  const at = (name: string): string => join(folder, name);
  await writeFile(at('key.pem'), key, { mode: 0o600 });
  await writeFile(at('cert.pem'), chain);
  const day = 86_400;
  const pebble = {
    ...{ listenAddress: `127.0.0.1:${port}`, managementListenAddress: `127.0.0.1:${managementPort}` },
    ...{ certificate: at('cert.pem'), privateKey: at('key.pem'), httpPort, tlsPort: 1, keyAlgorithm: 'ecdsa' },
    ...{
      caaIdentities: ['ca.example'],
      domainBlocklist: ['blocked.example'],
      retryAfter: { authz: 1, order: 1 },
    },
    profiles: {
      default: { description: 'ninety days', validityPeriod: 90 * day },
      shortlived: { description: 'six days', validityPeriod: 6 * day },
    },
    ...(externalAccounts === undefined
      ? {}
      : { externalAccountBindingRequired: true, externalAccountMACKeys: externalAccounts }),
  };
  await writeFile(at('config.json'), JSON.stringify({ pebble }));
  const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: String(rejectNonces), PEBBLE_AUTHZREUSE: '0' };
  const server = spawn(await toolPath('pebble'), ['-config', at('config.json'), '-dnsserver', dns], {
    ...{ env, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (part) => (said += part));
  const ended = once(server, 'close');
  process.once('exit', () => server.kill('SIGKILL'));
  const agent = new Agent({ ca: own.root, keepAlive: false });
  const ask = (method: string, url: string, body?: object) => call(agent, { method, url, body });
  const management = `https://localhost:${managementPort}`;
  const directoryUrl = `https://localhost:${port}/dir`;
  const serving = async (url: string): Promise<string> =>
    await waitUntil('Pebble serves', async () => {
      if (server.exitCode !== null) throw new Error(`Pebble ended at its start: ${said.slice(-2_000)}`);
      return await ask('GET', url).catch(() => null);
    });
  const root = await serving(`${management}/roots/0`);
  await serving(directoryUrl);
  return {
    directoryUrl,
    /** What its own address is trusted by (PEM). */
    ca: own.root,
    /** What its certificates are trusted by (PEM). */
    root,
    /** What it wrote. */
    said: (): string => said,
    /** Orders that it took. */
    orders: (): number => said.match(/There are now \d+ orders in the db|Added order "/g)?.length ?? 0,
    /** Moves the window in which a certificate (PEM) is to be renewed. */
    async moveRenewal(
      certificate: string,
      { start, end }: { readonly start: Date; readonly end: Date },
    ): Promise<void> {
      const ARIResponse = JSON.stringify({ suggestedWindow: { start: start.toISOString(), end: end.toISOString() } });
      await ask('POST', `${management}/set-renewal-info/`, { certificate, ARIResponse });
    },
    async stop(): Promise<void> {
      server.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type TestPebble = Awaited<ReturnType<typeof startPebble>>;

async function call(
  agent: Agent,
  { method, url, body }: { readonly method: string; readonly url: string; readonly body?: object | undefined },
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  request(url, { method, agent, headers: { 'user-agent': 'test' } }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part) => (text += part));
    response.once('end', () => {
      const isGood = (response.statusCode ?? 0) < 300;
      if (isGood) resolve(text);
      else reject(new Error(`${method} ${url} answered ${response.statusCode}: ${text}`));
    });
  })
    .on('error', reject)
    .end(body === undefined ? undefined : JSON.stringify(body));
  return await promise;
}
