import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LABELS } from '../../adapters/docker/labels.ts';
import { readSecrets } from '../../infra/dev/stack-secrets.ts';
import type { Build } from '../e2e/harness.ts';
import { processesWith } from '../e2e/kill-part.ts';
import { buildsOf, containersOf, docker, temporalClient } from '../e2e/sample-service.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { ProxiedStack } from './proxied-stack.ts';

interface LedgerEvent {
  readonly eventType: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface DeployView {
  readonly buildId: string;
  readonly manifest: unknown;
  readonly snapshot: unknown;
}

/**
 * What the services of the platform and others hold of a service after its deploys, and what runs of it; the same for two
 * services that differ in names, ids, digests, times and the number of deploys alone.
 * @param deploys all of them, the oldest first; the last one warned of nothing
 */
export async function leftOf(h: ProxiedStack, name: string, deploys: readonly Build[]): Promise<unknown> {
  const { id } = await ask<{ id: string }>(h, 'builder', `/services/${name}`);
  const builds = (await buildsOf(name)).map((build) => build.id);
  assert.deepEqual(builds, deploys.map((build) => build.id).toReversed(), 'a build for each request, and no other');
  const running = await containersOf(builds[0] ?? '');
  const left = {
    containers: running.map(({ State, Labels }) => [State, Labels[LABELS.release] === undefined ? 'relay' : 'release']),
    // How often it changed depends on which steps ended with a warning.
    entry: { ...(await ask<object>(h, 'registry', `/v1/services/${id}`)), revision: null },
    deploys: await deployRecords(h, id, deploys),
    changelog: await ask(h, 'registry', `/api/plugins/${name}/changelog`),
    // One secret: of a lost answer nothing stays beside it.
    client: await ask<object>(h, 'builder', `/oauth/clients/${name}-prod`),
    told: h.told(name),
    events: await eventsOf(h, name, builds.length),
  };
  return withoutNames(left, name);
}

/** One record of each deploy; they are alike, but for what steps that ended with a warning did not write. */
async function deployRecords(h: ProxiedStack, serviceId: string, deploys: readonly Build[]): Promise<unknown> {
  const path = `/v1/services/${serviceId}/environments/prod/deploys?limit=200`;
  const { items } = await ask<{ items: readonly DeployView[] }>(h, 'registry', path);
  assert.equal(new Set(items.map(({ buildId }) => buildId)).size, items.length);
  const last = items.find(({ buildId }) => buildId === deploys.at(-1)?.id);
  for (const build of deploys) {
    const record = items.find(({ buildId }) => buildId === build.id);
    const isWarned = (step: string): boolean =>
      build.steps.some(({ key, state }) => key === step && state === 'warned');
    assert.ok(record?.manifest != null || isWarned('changelog'), `${build.id} has a manifest`);
    assert.ok(record?.snapshot != null || isWarned('snapshot'), `${build.id} has a snapshot`);
  }
  return { manifest: last?.manifest, snapshot: last?.snapshot };
}

/** Each kind of event once, and how often where that is not the number of deploys. */
async function eventsOf(h: ProxiedStack, name: string, builds: number): Promise<unknown> {
  const events = await waitUntil('the events of all deploys', async () => {
    const path = `/v1/events?entityId=${name}&limit=200`;
    const { events: found } = await ask<{ events: readonly LedgerEvent[] }>(h, 'audit-ledger', path);
    return found.filter(({ eventType }) => eventType === 'service.deployed').length >= builds ? found : null;
  });
  const kinds = Map.groupBy(events, ({ eventType }) => eventType);
  return [...kinds].sort().map(([type, of]) => ({
    type,
    data: of[0]?.data,
    times: of.length === builds && type === 'service.deployed' ? 'once a deploy' : of.length,
  }));
}

/** What runs or lies about and belongs to nothing that serves. */
export async function orphansOf({ stack: { dataDir } }: ProxiedStack, services: readonly string[]): Promise<string[]> {
  const newest = await Promise.all(services.map(async (name) => (await buildsOf(name))[0]?.id));
  const { stackId } = await readSecrets(dataDir);
  const containers = await docker.listContainers({ all: true, filters: { label: [`${LABELS.stack}=${stackId}`] } });
  const old = containers.filter(({ Labels: { [LABELS.build]: of } }) => of !== undefined && !newest.includes(of));
  const workspaces = await readdir(join(dataDir, 'workspaces'));
  const processes = await processesWith(join(dataDir, 'workspaces'));
  await using temporal = await temporalClient();
  const builds: string[] = [];
  const query = "ExecutionStatus='Running' AND WorkflowType='runBuild'";
  for await (const { workflowId } of temporal.client.workflow.list({ query })) builds.push(workflowId);
  return [
    ...old.map(({ Names, State }) => `container ${Names.join()} ${State}`),
    ...workspaces.map((file) => `workspace ${file}`),
    ...processes.map((args) => `process ${args}`),
    ...builds.map((id) => `workflow ${id}`),
  ];
}

type Asked = 'registry' | 'builder' | 'audit-ledger';

async function ask<T>(h: ProxiedStack, service: Asked, path: string): Promise<T> {
  const response = await fetch(h.directly(service) + path, { headers: { 'x-internal-key': h.stack.key } });
  const { success, data } = (await response.json()) as { success: boolean; data: T };
  assert.ok(success, `GET ${path}: ${response.status}`);
  return data;
}

function withoutNames(records: unknown, name: string): unknown {
  return JSON.parse(
    JSON.stringify(records)
      .replaceAll(new RegExp(`${name}-[a-z0-9]{20}`, 'g'), 'IMAGE')
      .replaceAll(name, 'NAME')
      .replaceAll(/\b[a-z]+_[A-Za-z0-9-]{8,}/g, 'ID')
      .replaceAll(/\b(sha256:)?[0-9a-f]{40,64}\b/g, 'DIGEST')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/(?<="@fairlead\/sdk":")[\d.]+/g, 'VERSION'),
  );
}
