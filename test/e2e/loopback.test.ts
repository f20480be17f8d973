import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { stackCredentials } from '../../infra/dev/credentials.ts';
import { loopbackAttack, type Target } from '../support/loopback-attack.ts';
import { completed, dataFolder, logText, parts, trigger, visit } from './harness.ts';
import { sampleService } from './sample-service.ts';

const NOBODY = 65_534;

let targets: readonly Target[];
before(async () => {
  const { port } = await openUi();
  const rows = await parts();
  const portOf = (name: string): number => Number(/:(\d+)$/.exec(rows[name]?.address ?? '')?.[1]);
  const inner = Object.entries(await temporalServices()).flatMap(([name, { rpc }]) => [
    { name: `Temporal's ${name}`, port: rpc.grpcPort, tries: 'grpc' as const },
    { name: `Temporal's ${name}, membership`, port: rpc.membershipPort, tries: 'grpc' as const },
  ]);
  targets = [
    { name: 'MongoDB', port: portOf('mongo'), tries: 'mongo' },
    ...inner,
    { name: 'Temporal UI', port: portOf('temporal-ui'), tries: ['/', '/api/v1/settings', '/api/v1/namespaces'] },
    { name: 'program of the Temporal UI', port: port.ui, tries: ['/api/v1/namespaces', '/api/v1/namespaces/default'] },
    { name: 'its way to Temporal', port: port.grpc, tries: 'grpc' },
    { name: 'image registry', port: portOf('image-registry'), tries: ['/v2/', '/v2/_catalog'] },
    { name: 'mail outbox', port: portOf('idp'), tries: ['/outbox'] },
  ];
});

interface Service {
  readonly rpc: { readonly grpcPort: number; readonly membershipPort: number };
}

async function temporalServices(): Promise<Record<string, Service>> {
  return JSON.parse(await readFile(join(dataFolder(), 'temporal', 'config', 'embedded.yaml'), 'utf8')).services;
}

/** Signs in once, which starts the program behind the guard. */
async function openUi(): Promise<{ port: { ui: number; grpc: number } }> {
  const { address, user, password } = (await stackCredentials(dataFolder(), process.env))['temporal-ui'] ?? {};
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  assert.equal((await fetch(`${address}/api/v1/namespaces/default`, { headers: { authorization } })).status, 200);
  const config = JSON.parse(await readFile(join(dataFolder(), 'temporal-ui', 'config', 'embedded.yaml'), 'utf8'));
  return { port: { ui: config.port, grpc: Number(config.temporalGrpcAddress.split(':')[1]) } };
}

/** Names by what the attack said of them. */
function outcomes(lines: string): { data: string[]; none: string[]; unreachable: string[] } {
  const said = (what: string) =>
    [...lines.matchAll(new RegExp(`ATTACK (.*?): ${what}`, 'g'))].map(([, name = '']) => name);
  return { data: said('data'), none: said('none'), unreachable: said('unreachable') };
}

describe('the embedded parts give no data without a credential', { timeout: 300_000 }, () => {
  it('to another user of the machine, who reaches every port', async () => {
    // Only root can act as another user. Who is not root attacks as itself: the attack reads no files.
    const nobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    const child = spawn(process.execPath, ['--input-type=module'], {
      ...{ cwd: '/', env: { PATH: process.env.PATH }, stdio: ['pipe', 'pipe', 'inherit'], ...nobody },
    });
    child.stdin.end(loopbackAttack(targets, 'machine'));
    const said = outcomes(await text(child.stdout));
    assert.deepEqual(said.data, []);
    // Temporal's worker service opens no port for gRPC.
    assert.deepEqual(said.unreachable, ["Temporal's worker"]);
    assert.equal(said.none.length, targets.length - 1);
  });

  it('to a build and to a workload, which reach none of them', async () => {
    const instructions = 'RUN node attack.mjs';
    const computes = `(await import('node:child_process')).execFileSync(process.execPath, ['attack.mjs'], { encoding: 'utf8' })`;
    await using service = await sampleService('loopback', { instructions, computes });
    await writeFile(join(service.repository.path, 'attack.mjs'), loopbackAttack(targets, 'container'));
    await service.commit({ instructions, computes });
    const build = await completed((await trigger(service.name)).buildId);
    const { computed } = JSON.parse((await visit(service.name)).body);
    for (const [where, said] of Object.entries({ build: await logText(build.id), workload: String(computed) })) {
      assert.match(said, /ATTACK is over/, where);
      assert.deepEqual(outcomes(said), { data: [], none: [], unreachable: targets.map(({ name }) => name) }, where);
    }
  });
});
