import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { SERVICE_ROWS } from '../../domain/services.ts';
import { handshake } from '../adapters/edge-router/edge-fixture.ts';
import { runCli } from '../cli/run-cli.ts';
import { connection, visit } from '../e2e/harness.ts';
import { processesWith } from '../e2e/kill-part.ts';
import { waitUntil } from '../support/wait-until.ts';
import { archiveOf, DOCKERFILE, type Outcome } from './attacker.ts';
import type { Invariants, Scene } from './invariants.ts';
import { makeTricky } from './repositories.ts';
import { scanInMachinesEngine } from './scan-in-machines-engine.ts';
import { PLACES_SCANNED, type PlaceScanned, SCAN_ROWS } from './scan-table.ts';
import { attackFiles, placeNeighbours, type Scanned, SENT, type Surroundings, scanIn } from './tenants.ts';
import type { Seen } from './upstream-answers.ts';

/** The lines alone: a log is too long to be shown. */
function assertLooked(text: string): void {
  assert.match(text, /looked at \d{2,}/);
  assert.deepEqual(text.match(/.*(?:FOUND|OPEN) .*/g) ?? [], []);
}

export interface Attack extends Scene {
  readonly invariants: Invariants;
}

const RUNS = ['RUN node look.mjs', 'RUN node scan.mjs', 'RUN node noise.mjs'];
const GRANTED = `metadata:
  name: '{name}'
  annotations:
    platform.io/catalog-version: 0.6.0
    platform.io/dockerfile: Dockerfile
    platform.io/env-vars: INTERNAL_SERVICE_KEY,GIT_TOKEN,DOCKER_REGISTRY_TOKEN,PAYMENT_KEY
spec:
  auth: { mode: service-only }
`;

/** What the platform builds and runs for the member: programs that attack it from inside. */
export function describeInside(attack: () => Attack): void {
  let surroundings: Surroundings;
  let granted: Outcome;
  let names: Record<'granted' | 'workload', string>;
  let scans: Record<PlaceScanned, Scanned>;

  before(async () => {
    const { h, victim, attacker } = attack();
    surroundings = await placeNeighbours(h, victim);
    const files = await attackFiles(h, victim, surroundings.facts);
    const Dockerfile = DOCKERFILE.replace('USER', `${RUNS.join('\n')}\nUSER`);
    names = { granted: await attacker.newService(), workload: await attacker.newService() };
    const catalog = GRANTED.replace('{name}', names.granted);
    const archives = [await archiveOf({ ...files, Dockerfile, 'catalog-info.yaml': catalog }), await archiveOf(files)];
    const [first, second] = await Promise.all([
      attacker.outcome(await attacker.upload(names.granted, archives[0] as Buffer)),
      attacker.outcome(await attacker.upload(names.workload, archives[1] as Buffer)),
    ]);
    for (const { build, log } of [first, second])
      assert.equal(build.status, 'completed', `${build.failure?.message}\n${log}`);
    granted = first;
    const seen = async (name: string) => scanIn((await visit(name, '/scan')).body);
    scans = {
      build: scanIn(granted.log),
      machine: scanIn(await scanInMachinesEngine(h.dataDir, files)),
      workload: await seen(names.workload),
      granted: await seen(names.granted),
    };
  });
  after(() => surroundings[Symbol.asyncDispose]());

  it('a RUN instruction finds no secret and no way into the machine', () => {
    assertLooked(granted.log);
  });

  it('a workload finds no secret and no way into the machine', async () => {
    for (const name of Object.values(names)) {
      assertLooked((await visit(name, '/look')).body);
    }
    await attack().invariants.check();
  });

  for (const place of PLACES_SCANNED) {
    it(`a scan from ${place} finds the declared doors, and what the threat model tells to be open`, () => {
      const { found } = scans[place];
      for (const { what, verdicts } of SCAN_ROWS) {
        const open = found[what] ?? [];
        if (verdicts[place] === 'closed') assert.deepEqual(open, [], what);
        if (verdicts[place] === 'door') assert.notDeepEqual(open, [], what);
        assert.deepEqual(
          open.filter((way) => way.startsWith('proxy ')),
          [],
          `${what}, by the proxy`,
        );
      }
    });
  }

  it('in the network of a build nothing listens; in that of a workload, itself and its doors', () => {
    const { ports } = attack().h.stack;
    assert.deepEqual(scans.build.listening, []);
    assert.deepEqual(scans.machine.listening, []);
    assert.deepEqual(scans.workload.listening, [4000]);
    const doors = SERVICE_ROWS.filter((row) => row.reachableFromWorkloads).map(({ name }) => ports[name]);
    assert.deepEqual(new Set(scans.granted.listening), new Set([4000, ...doors]));
  });

  it('output without measure, with signs that steer terminals: kept within bounds, and shown without the signs', async () => {
    assert.ok(granted.log.length < 11 * 1024 * 1024);
    const { api: url, key } = await connection();
    const { stdout } = await runCli({ url }, ['logs', granted.build.id], { env: { FAIRLEAD_KEY: key } });
    assert.match(stdout, /Successfully tagged other/);
    assert.deepEqual([...new Set(stdout.match(/(?!\n)\p{Cc}|\u202e/gu) ?? [])], []);
  });

  describe('answers of a service', { concurrency: 8 }, () => {
    const through = (path: string): Promise<Seen> =>
      visit(names.granted, path).then(
        ({ status }) => status,
        () => 'cut',
      );
    for (const [index, { name, seen }] of SENT.answers.entries()) {
      it(`${name}: the client sees ${seen}`, async () => {
        assert.equal(await through(`/answer/answers/${index}`), seen);
      });
    }
    for (const [index, { name, seen }] of SENT.upgrades.entries()) {
      it(`to a handshake, ${name}: the client sees ${seen}`, async () => {
        const { edgePort } = await connection();
        const head = handshake(`${names.granted}.prod.localhost`).replace('GET /', `GET /answer/upgrades/${index}`);
        const socket = connect(edgePort, '127.0.0.1');
        socket.write(head);
        assert.equal(Number(/^HTTP\/1\.1 (\d{3})/.exec(await text(socket))?.[1]), seen);
      });
    }
    after(() => attack().invariants.check());
  });

  it('a repository of filters, hooks, modules, links and odd names is built, and none of them acts on the machine', async () => {
    const { attacker, invariants } = attack();
    const gitUrl = await attacker.publish(makeTricky);
    const service = await attacker.newService({ gitUrl, branch: 'main' });
    const { build, log } = await attacker.outcome(await attacker.trigger(service));
    assert.equal(build.status, 'completed', `${build.failure?.message}\n${log}`);
    assert.equal((await visit(service)).body, 'serves');
    assert.match(log, /submodules, which are not fetched/);
    assert.equal(existsSync('/tmp/owned'), false);
    await invariants.check();
  });

  it('a build that prints the errors of a lost engine fails once, with IMAGE_BUILD_FAILED', async () => {
    const { attacker, invariants } = attack();
    const lies = [
      'Cannot connect to the Docker daemon at unix:///var/run/docker.sock',
      'error reading from server: EOF',
    ];
    const run = `RUN ${lies.map((lie) => `echo "${lie}" >&2`).join('; ')}; exit 1`;
    const service = await attacker.newService();
    const archive = await archiveOf({ Dockerfile: `FROM alpine\n${run}\nUSER 1001\n` });
    const { build } = await attacker.outcome(await attacker.upload(service, archive));
    assert.deepEqual([build.failure?.code, build.failure?.step], ['IMAGE_BUILD_FAILED', 'image-build']);
    await invariants.check();
  });

  it('a build that hangs ends when it is cancelled, and leaves nothing', async () => {
    const { attacker, invariants } = attack();
    const service = await attacker.newService();
    const archive = await archiveOf({
      Dockerfile: `FROM alpine\nRUN trap "" TERM; echo hangs; sleep 98765\nUSER 1001\n`,
    });
    const buildId = await attacker.upload(service, archive);
    await waitUntil('the hanging step', async () => (await processesWith('sleep 98765')).length > 0);
    await attacker.call('POST', `/builds/${buildId}/cancel`);
    const { build } = await attacker.outcome(buildId);
    assert.equal(build.reason, 'cancelled');
    await waitUntil('its end', async () => (await processesWith('sleep 98765')).length === 0);
    await invariants.check();
  });
}
