import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ACTING_STEPS, type StepKey } from '../../domain/deploys/steps.ts';
import type { ServiceName } from '../../domain/services.ts';
import { runCli } from '../cli/run-cli.ts';
import { type Build, completed, trigger, visit } from '../e2e/harness.ts';
import { killPart } from '../e2e/kill-part.ts';
import { makeOrg } from '../e2e/make-org.ts';
import { type SampleService, sampleService } from '../e2e/sample-service.ts';
import { isPlayed } from '../support/is-played.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type AppWithAll, appWithAll, entryOf, SDK_VERSIONS } from './app-with-all.ts';
import { createKillPlan, type Kill, type KillPlan } from './kill-plan.ts';
import { killPoints, type Victim } from './kill-points.ts';
import { leftOf, orphansOf } from './left-of.ts';
import { type ProxiedStack, startProxiedStack } from './proxied-stack.ts';

/** Why a step that acts has no row: its own kills are elsewhere, or it needs what this stack has not. */
const NOT_HERE: Partial<Record<StepKey, string>> = {
  databases: 'test/adapters/postgres/database-server.test.ts cuts its statements',
  'consumed-databases': 'test/adapters/postgres/consumers.test.ts cuts its statements',
  dns: 'no client of a DNS provider is there yet',
};
const STEPS = ACTING_STEPS.map(({ key }) => key).filter((key) => !Object.hasOwn(NOT_HERE, key));

/** Calls of a deploy to services of the platform and to systems of others. A run compares them with those that it sees. */
const CALLS: readonly (readonly [call: string, service: string])[] = [
  ['GET /wallets/platform', 'wallet'],
  ['GET /v1/services/*/environments/prod/manifest', 'registry'],
  ['GET /v1/package-changelogs/*', 'registry'],
  ['PUT /v1/services/*', 'registry'],
  ['PUT /v1/services/*/environments/prod/namespace', 'registry'],
  ['POST /v1/events/emit', 'audit-ledger'],
  ['POST /api/internal/oauth-clients/provision', 'idp'],
  ['PUT /v1/services/*/environments/prod/modules', 'registry'],
  ['POST /api/internal/oauth-clients/sign-in', 'idp'],
  ['PUT /v1/services/*/environments/prod/deploys/*/snapshot', 'registry'],
  ['PUT /v1/services/*/environments/prod/registration', 'registry'],
  ['PUT /v1/services/*/environments/prod/bindings/queue/orders', 'registry'],
  ['PUT /v1/services/*/environments/prod/bindings/schedule/nightly', 'registry'],
  ['GET /v1/services/*/environments/prod/bindings', 'registry'],
  ['PUT /v1/services/*/environments/prod/metadata', 'registry'],
  ['PUT /v1/services/*/environments/prod/deploys/*/manifest', 'registry'],
  ['POST /api/plugins/*/changelog', 'registry'],
  ['POST /services/register', 'SITE_REGISTRY_URL'],
  ['POST /api/pulse/register', 'MONITOR_URL'],
];

/** Built side by side: while one waits for the next worker, the others do as well. */
const APPS = 3;
/** Longest wait for the end of a deploy, in which a dozen processes are killed while other tests have the machine. */
const DEPLOY_MS = 900_000;
/** Who was killed serves again within it, also on a busy machine. */
const AWAY_MS = 60_000;
/** The process by which a step reaches a system of its row "fails open". */
const PROCESS_OF: Readonly<Record<string, Victim>> = {
  ...{ registry: 'registry', wallet: 'wallet', 'identity-provider': 'idp' },
};

/** A run of all points has three times as long as one of a third. */
const LIMIT_MS = [0, 1, 2].every((point) => isPlayed(point)) ? 1_700_000 : 1_190_000;

describe('deploys during which a process is killed at each step and after each call', { timeout: LIMIT_MS }, () => {
  let h: ProxiedStack;
  let notes: SampleService;
  let building = 0;
  const seen = new Set<string>();
  const points = killPoints(STEPS, CALLS).filter(({ number }) => isPlayed(number));
  const plan: KillPlan = createKillPlan({ points, kill, building: () => building });
  /** Of the locker's own test: the call after which it dies. */
  let onCall: ((call: string) => boolean) | null = null;

  async function kill(victim: Victim): Promise<void> {
    await killPart(victim);
    if (victim === 'worker') return;
    const health = new URL('/health', h.directly(victim === 'api' ? 'builder' : victim));
    await waitUntil(`${victim} serves again`, () => fetch(health).catch(() => null), { everyMs: 100 });
  }

  before(async () => {
    h = await startProxiedStack(
      {
        called: async (call, service) => {
          seen.add(`${call} of ${service}`);
          return onCall?.(call) === true || (await plan.reach(call));
        },
        marked: async ({ step, state }) => {
          const isKilled = await plan.reach(`${step} ${state === 'completed' ? 'is done' : 'begins'}`);
          // The worker is to do the work while who was killed is away.
          return isKilled && state === 'completed';
        },
      },
      // Their images are built in a moment, and what one worker is killed over is not the engine of builds.
      { BUILD_ENGINE: 'machine', BUILD_CONCURRENCY: String(APPS) },
    );
    notes = await sampleService('notes', { org: await makeOrg('writers') });
    await Promise.all(SDK_VERSIONS.map(publishChangelog));
    // The first look opens the account of the org, for which the wallet asks the provider.
    await call('wallet', '/wallets/platform');
    await completed((await trigger(notes.name)).buildId);
  });
  after(async () => {
    await notes?.repository[Symbol.asyncDispose]();
    await h?.[Symbol.asyncDispose]();
  });

  it('complete, warn as the table of steps says, and leave what undisturbed ones leave', async (t) => {
    await using started = new AsyncDisposableStack();
    const make = async (): Promise<AppWithAll> => started.use(await appWithAll(notes.name, cli));
    const control = await make();
    const apps = await Promise.all(Array.from({ length: APPS }, make));
    seen.clear();
    const first = await deploy(control);
    const calls = new Set(seen);

    const begun = Date.now();
    plan.begin();
    const killedOver = await Promise.all(apps.map(deployWhileKilling));
    const builds = killedOver.flat();
    const seconds = ((Date.now() - begun) / 1000).toFixed(0);
    t.diagnostic(`${plan.kills().length} kills at ${points.length} points, in ${builds.length} deploys, ${seconds} s`);
    for (const { steps } of builds) {
      const tried = steps.filter(({ state, attempt }) => state === 'warned' || attempt > 1);
      t.diagnostic(tried.map(({ key, state, attempt }) => `${key} ${state} in attempt ${attempt}`).join(', '));
    }
    assert.deepEqual(plan.missing(), []);
    for (const build of builds) assertWarnings(build, plan.kills());
    seen.clear();
    const [second, ...last] = await Promise.all([deploy(control), ...apps.map(deploy)]);
    assertTable([first, second], new Set([...calls, ...seen]));
    const expected = await leftOf(h, control.name, [first, second]);
    for (const [index, { name }] of apps.entries()) {
      assert.deepEqual(last[index]?.warnings, []);
      const deploys = [...(killedOver[index] ?? []), ...last.slice(index, index + 1)];
      assert.deepEqual(await leftOf(h, name, deploys), expected);
      assert.equal(JSON.parse((await visit(name)).body).commit, last[index]?.commitSha);
    }
    const serving = [notes, control, ...apps].map(({ name }) => name);
    let orphans: readonly string[] = [];
    await waitUntil('the end of what belongs to nothing that serves', async () => {
      orphans = await orphansOf(h, serving);
      return orphans.length === 0;
    }).catch((error) => assert.deepEqual(orphans, [], String(error)));
  });

  /** Every step that acts is in the matrix, and every call that a deploy makes. */
  function assertTable(builds: readonly Build[], calls: ReadonlySet<string>): void {
    const acted = builds.flatMap(({ steps }) => steps.filter(({ state }) => state === 'completed'));
    assert.deepEqual(new Set(acted.map(({ key }) => key)), new Set<string>(STEPS));
    assert.deepEqual([...calls].sort(), CALLS.map(([call, service]) => `${call} of ${service}`).sort());
  }

  /** A step ends with a warning only where its row says that it fails open, and only where somebody it needs was killed. */
  function assertWarnings(build: Build, kills: readonly Kill[]): void {
    // Who was killed shortly before may not serve yet when the build begins.
    const [begin, end] = [Date.parse(build.startedAt ?? '') - AWAY_MS, Date.parse(build.finishedAt ?? '')];
    const during = kills.filter(({ at }) => at.getTime() >= begin && at.getTime() <= end).map(({ victim }) => victim);
    for (const { key } of build.steps.filter(({ state }) => state === 'warned')) {
      const open = ACTING_STEPS.find((step) => step.key === key)?.run.failOpen ?? [];
      const needs = open.map(({ system }) => PROCESS_OF[system] ?? 'worker');
      assert.ok(needs.length > 0, `${key} is no step that fails open`);
      assert.ok(during.includes('worker') || needs.some((one) => during.includes(one)), `${key} warned of nothing`);
    }
  }

  async function deployWhileKilling(app: AppWithAll): Promise<readonly Build[]> {
    const builds: Build[] = [];
    while (plan.missing().length > 0 && builds.length < SDK_VERSIONS.length - 2) builds.push(await deploy(app));
    return builds;
  }

  async function deploy(app: AppWithAll): Promise<Build> {
    await app.change();
    building += 1;
    try {
      const { buildId } = await waitUntil('the request is accepted', () => trigger(app.name).catch(() => null));
      return await completed(buildId, DEPLOY_MS);
    } finally {
      building -= 1;
    }
  }

  async function publishChangelog(version: string): Promise<void> {
    const path = `/v1/package-changelogs/${encodeURIComponent(entryOf(version))}`;
    await call('registry', path, { method: 'PUT', body: JSON.stringify({ notes: 'Nothing to do.' }) });
  }

  async function call(service: Victim & ServiceName, path: string, init: RequestInit = {}): Promise<void> {
    const headers = { 'x-internal-key': h.stack.key, 'content-type': 'application/json' };
    const response = await fetch(h.directly(service) + path, { ...init, headers });
    assert.ok(response.ok, await response.text());
  }

  it('a value that a locker was killed over is copied by the next try, and nothing was written by the first', async () => {
    const app = await sampleService('copied');
    await using _ = app.repository;
    const handle = `lk://platform/kills/${app.name}`;
    await cli('locker', 'put', handle, '--secret', 'key');
    await cli('locker', 'bind', handle, '--service', app.name);
    const copy = ['config', 'set', '--secret', 'KEY', '--from-locker', handle, '--service', app.name];
    let restarted = Promise.resolve();
    onCall = (call) => {
      if (call !== 'POST /api/resolve') return false;
      onCall = null;
      restarted = kill('locker');
      return true;
    };
    const { code, stderr } = await run(...copy);
    assert.notEqual(code, 0);
    assert.match(stderr, /LOCKER_UNREACHABLE/);
    assert.equal((await cli('config', 'list', '--service', app.name, '-q')).stdout, '');
    await restarted;
    await waitUntil('the locker serves again', async () => (await run(...copy)).code === 0);
    assert.ok((await cli('config', 'list', '--service', app.name)).stdout.includes(`(locker: ${handle})`));
    await cli('locker', 'remove', handle, '--yes');
  });

  const run = (...argv: readonly string[]) => {
    const env = { FAIRLEAD_KEY: h.stack.key, FAIRLEAD_LOCKER_URL: h.directly('locker') };
    return runCli({ url: h.directly('builder') }, argv, { env, stdin: 'value-of-the-item' });
  };

  async function cli(...argv: readonly string[]) {
    const result = await run(...argv);
    assert.equal(result.code, 0, `${argv.join(' ')}\n${result.stderr}`);
    return result;
  }
});
