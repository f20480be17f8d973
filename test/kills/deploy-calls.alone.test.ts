import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Build, completed, trigger, visit } from '../e2e/harness.ts';
import { killPart } from '../e2e/kill-part.ts';
import { buildsOf, containersOf, type SampleService, sampleService } from '../e2e/sample-service.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type ProxiedStack, startProxiedStack } from './proxied-stack.ts';

/** Makes a deploy call every service of the platform. */
const SPEC = `  auth: { mode: sso }
  routes: [{ path: /orders, methods: [GET], gas: 1, charge: service, auth: required }]
  queues: [{ name: orders }]
  schedules: [{ name: nightly, cron: 0 2 * * * }]`;
const CHANGELOG = '# Changelog\n\n## 1.0.0\n\n- It takes orders.\n';

/** `api` is the process of all services, the builder's API among them. */
const VICTIMS = ['api', 'worker'] as const;
/** A deploy in which nothing is killed any more comes long before. */
const MOST_DEPLOYS = 6;

/** Calls of a deploy that change something, as far as this version makes them. */
const CALLS = [
  'PUT /v1/services/*',
  'PUT /v1/services/*/environments/prod/namespace',
  'POST /api/internal/oauth-clients/provision',
  'PUT /v1/services/*/environments/prod/deploys/*/snapshot',
  'PUT /v1/services/*/environments/prod/registration',
  'PUT /v1/services/*/environments/prod/bindings/queue/orders',
  'PUT /v1/services/*/environments/prod/bindings/schedule/nightly',
  'PUT /v1/services/*/environments/prod/deploys/*/manifest',
  'POST /api/plugins/*/changelog',
  'POST /v1/events/emit',
];

/**
 * Each call by which a deploy changes something at a service of the platform is carried out and never answered, since a
 * process is killed in that moment: by turns that of the services and that of the deploy.
 */
describe('deploys whose processes are killed after each of their calls took effect', { timeout: 580_000 }, () => {
  let h: ProxiedStack;
  const killed = new Set<string>();
  let isKilling = false;
  let down: Promise<void> | null = null;

  /** Never kills while something is down. */
  function interrupt(call: string): boolean {
    if (!isKilling || down !== null || killed.has(call)) return false;
    const victim = VICTIMS[killed.size % VICTIMS.length] ?? 'api';
    killed.add(call);
    down = killPart(victim).finally(() => {
      down = null;
    });
    return true;
  }

  before(async () => {
    h = await startProxiedStack(interrupt);
  });
  after(() => h?.[Symbol.asyncDispose]());

  it('complete, warn as the table of steps says, and leave what undisturbed ones leave', async (t) => {
    await using app = await serviceWithAll();
    const deploys = await deployUntilNothingIsKilled(app);
    for (const call of CALLS) assert.ok(killed.has(call), call);
    for (const { steps } of deploys) {
      const tried = steps.filter(({ state, attempt }) => state === 'warned' || attempt > 1);
      t.diagnostic(tried.map(({ key, state, attempt }) => `${key} ${state} in attempt ${attempt}`).join(', '));
    }
    assert.deepEqual(deploys.at(-1)?.warnings, []);
    const warned = deploys.map(({ steps }) => steps.filter(({ state }) => state === 'warned').map(({ key }) => key));
    const left = await recordsOf(app, warned);

    await using control = await serviceWithAll();
    for (const _ of deploys) await deploy(control);
    assert.deepEqual(left, await recordsOf(control, warned));
    assert.equal(JSON.parse((await visit(app.name)).body).commit, deploys.at(-1)?.commitSha);
  });

  async function serviceWithAll(): Promise<SampleService> {
    const app = await sampleService('killed', { spec: SPEC });
    await writeFile(join(app.repository.path, 'CHANGELOG.md'), CHANGELOG);
    return app;
  }

  async function deployUntilNothingIsKilled(app: SampleService): Promise<readonly Build[]> {
    const builds: Build[] = [];
    isKilling = true;
    for (let before = -1; killed.size > before && builds.length < MOST_DEPLOYS; ) {
      before = killed.size;
      builds.push(await deploy(app));
    }
    isKilling = false;
    return builds;
  }

  async function deploy(app: SampleService): Promise<Build> {
    await app.commit({ spec: SPEC });
    const { buildId } = await waitUntil('the request is accepted', () => trigger(app.name).catch(() => null));
    const build = await completed(buildId, 300_000);
    await down;
    return build;
  }

  /**
   * What the services of the platform hold of a service, and what runs of it.
   * @param warned keys of the steps of each deploy, the oldest first, that may not have written their part
   */
  async function recordsOf({ name }: SampleService, warned: readonly (readonly string[])[]): Promise<unknown> {
    const { id } = await ask<{ id: string }>('builder', `/services/${name}`);
    const builds = await buildsOf(name);
    const { items } = await ask<{ items: readonly DeployView[] }>(
      'registry',
      `/v1/services/${id}/environments/prod/deploys`,
    );
    const deploys = builds.toReversed().map((build, index) => {
      const record = items.find(({ buildId }) => buildId === build.id);
      const part = (step: string, written: unknown) => (warned[index]?.includes(step) ? 'any' : (written ?? null));
      return { manifest: part('changelog', record?.manifest), snapshot: part('snapshot', record?.snapshot) };
    });
    assert.equal(deploys.length, warned.length);
    const events = await waitUntil('the events of all deploys', async () => {
      const { events: found } = await ask<{ events: LedgerEvent[] }>(
        'audit-ledger',
        `/v1/events?entityId=${name}&limit=100`,
      );
      return found.filter(({ eventType }) => eventType === 'service.deployed').length >= builds.length ? found : null;
    });
    // They go after the build, and where that was killed, with a later look.
    await waitUntil('the end of the containers of earlier releases', async () => {
      const older = await Promise.all(builds.slice(1).map((build) => containersOf(build.id)));
      return older.every(({ length }) => length === 0);
    });
    const records = {
      containers: (await Promise.all(builds.map((build) => containersOf(build.id)))).map(({ length }) => length),
      // How often it changed depends on which steps ended with a warning.
      entry: { ...(await ask<object>('registry', `/v1/services/${id}`)), revision: null },
      deploys,
      changelog: await ask('registry', `/api/plugins/${name}/changelog`),
      // One secret: of a lost answer nothing stays beside it.
      client: await ask<object>('builder', `/oauth/clients/${name}-prod`),
      events: events.map(({ eventType, data }) => ({ eventType, data })),
    };
    return withoutNames(records, name);
  }

  async function ask<T>(service: 'registry' | 'builder' | 'audit-ledger', path: string): Promise<T> {
    const response = await fetch(h.directly(service) + path, { headers: { 'x-internal-key': h.stack.key } });
    const { success, data } = (await response.json()) as { success: boolean; data: T };
    assert.ok(success, `GET ${path}: ${response.status}`);
    return data;
  }
});

interface DeployView {
  readonly buildId: string;
  readonly manifest: unknown;
  readonly snapshot: unknown;
}

interface LedgerEvent {
  readonly eventType: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The same text for two services that differ in names, ids, digests and times alone. */
function withoutNames(records: unknown, name: string): unknown {
  return JSON.parse(
    JSON.stringify(records)
      .replaceAll(new RegExp(`${name}-[a-z0-9]{20}`, 'g'), 'IMAGE')
      .replaceAll(name, 'NAME')
      .replaceAll(/\b[a-z]+_[A-Za-z0-9-]{8,}/g, 'ID')
      .replaceAll(/\b(sha256:)?[0-9a-f]{40,64}\b/g, 'DIGEST')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'),
  );
}
