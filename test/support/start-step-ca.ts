import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { createTwoTiers } from './test-authority.ts';
import { toolPath } from './tool-path.ts';
import { waitUntil } from './wait-until.ts';

/** Why it cannot be had here; false where it can. */
export async function stepCaMissing(): Promise<string | false> {
  return await toolPath('step-ca').then(
    () => false,
    () => 'there is no step-ca',
  );
}

/**
 * step-ca with one provisioner that speaks ACME, whose certificates are good for a day. It keeps what it knows on the disk.
 * @param dns where it asks for addresses and TXT records, as `127.0.0.1:<port>` @param httpPort of the loopback that HTTP-01 asks
 */
export async function startStepCa({ dns, httpPort }: { readonly dns: string; readonly httpPort: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-step-ca-'));
  const { root, issuer } = await createTwoTiers();
  const port = await freePort();
  const at = (name: string): string => join(folder, name);
  await writeFile(at('root.pem'), root);
  await writeFile(at('issuer.pem'), issuer.chain);
  await writeFile(at('issuer-key.pem'), issuer.key, { mode: 0o600 });
  const config = {
    ...{ root: at('root.pem'), crt: at('issuer.pem'), key: at('issuer-key.pem') },
    ...{ address: `127.0.0.1:${port}`, dnsNames: ['localhost'], logger: { format: 'text' } },
    db: { type: 'bbolt', dataSource: at('step.db') },
    authority: { provisioners: [{ type: 'ACME', name: 'acme' }] },
  };
  await writeFile(at('ca.json'), JSON.stringify(config));
  const directoryUrl = `https://localhost:${port}/acme/acme/directory`;
  const program = await toolPath('step-ca');
  const options = ['--resolver', dns, '--insecure', '--acme-http-port', String(httpPort)];

  async function start() {
    const server = spawn(program, [...options, at('ca.json')], {
      ...{ env: { HOME: folder, STEPPATH: folder }, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    let said = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (part) => (said += part));
    const ended = once(server, 'close');
    process.once('exit', () => server.kill('SIGKILL'));
    await waitUntil('step-ca serves', async () => {
      if (server.exitCode !== null) throw new Error(`step-ca ended at its start: ${said.slice(-2_000)}`);
      return await answers(directoryUrl, root);
    });
    return { server, ended };
  }
  let running = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    running.server.kill(signal);
    await running.ended;
  };
  return {
    directoryUrl,
    /** What its own address is trusted by (PEM). */
    ca: root,
    /** What its certificates are trusted by (PEM). */
    root,
    /** Ends it at once, and starts it again on the same port and folder. */
    async restart(): Promise<void> {
      await end('SIGKILL');
      running = await start();
    },
    async stop(): Promise<void> {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string, ca: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  request(url, { ca, agent: false }, (response) => {
    response.resume().once('close', () => resolve(response.statusCode === 200));
  })
    .on('error', () => resolve(false))
    .end();
  return await promise;
}
