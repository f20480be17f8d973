import { setTimeout as delay } from 'node:timers/promises';
import { isWorkloadOf } from '../../../activities/deploys/active-workload.ts';
import type { EdgeRouter } from '../../../domain/deploys/workload-runtime.ts';
import { createDeploysModel, type DeploysModel } from './deploys-model.ts';
import { createRandom, type Random } from './random.ts';

const LONGEST_WAIT_MS = 30_000;

/** What people and the platform do, each as often as its number says. */
const EVENTS: readonly (readonly [weight: number, happen: (model: DeploysModel) => Promise<unknown>])[] = [
  [5, (model) => model.deploy('serves')],
  [2, (model) => model.deploy('stops')],
  [2, (model) => model.deploy('is unwell')],
  [3, (model) => model.rollback()],
  [2, (model) => model.retry()],
  [3, (model) => model.restart()],
  [2, (model) => model.cancel()],
  [1, (model) => model.terminate()],
  [2, (model) => model.restartMachine()],
  [3, (model) => model.compare()],
  [2, (model) => model.remove()],
  [1, (model) => model.register()],
];
const POOL = EVENTS.flatMap(([weight, happen]) => Array.from({ length: weight }, () => happen));

export interface PlayedOrder {
  readonly violations: readonly string[];
  /** How each build and workflow ended. */
  readonly ends: readonly string[];
}

/** Plays one order of events, calls, kills and pauses. */
export async function playOrder(seed: number, change?: (edge: EdgeRouter) => EdgeRouter): Promise<PlayedOrder> {
  const random = createRandom(seed);
  const model = createDeploysModel(random, change);
  await model.register();
  model.beside(model.deploy('serves'));
  await playEvents(model, random);
  await comeToRest(model);
  model.scheduler.end();
  await requireRest(model);
  return { violations: model.violations, ends: [...(await model.ends()), ...model.temporal.ends] };
}

async function playEvents(model: DeploysModel, random: Random): Promise<void> {
  let events = 4 + random.below(6);
  await playOn(model, {
    beforeNext: (happened) => {
      // What takes long may be over at any time.
      if (random.chance(0.02)) model.temporal.fireTimer();
      if (events === 0 || (happened && !random.chance(0.05))) return false;
      events -= 1;
      const happen = POOL[random.below(POOL.length)];
      if (happen !== undefined) model.beside(happen(model));
      return true;
    },
  });
}

/** Until nothing is left to happen, and no time is left to pass. */
async function playOn(
  model: DeploysModel,
  { beforeNext = () => false }: { readonly beforeNext?: (happened: boolean) => boolean } = {},
): Promise<void> {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    const happened = await model.scheduler.next();
    await model.check();
    if (beforeNext(happened) || happened) continue;
    if (!model.isPerforming() && !model.temporal.fireTimer() && !model.isAsked()) return;
    if (Date.now() > deadline) throw new Error('nothing goes on');
    await delay(1);
  }
}

/** The comparison of every minute, until all it asked for is done. */
async function comeToRest(model: DeploysModel): Promise<void> {
  for (let times = 0; times < 3; times += 1) {
    model.beside(model.compare());
    await playOn(model);
  }
}

/** The route leads to the active release, which runs and answers with its commit, and nothing else is left. */
async function requireRest({ parts, violations, openBuilds, temporal }: DeploysModel): Promise<void> {
  for (const { id } of await openBuilds()) violations.push(`at rest: ${id} never ends`);
  for (const id of temporal.open()) violations.push(`at rest: ${id} still runs`);
  const active = await parts.releases.active('shop', 'prod');
  const routed = await parts.edge.current('shop', 'prod');
  const workloads = await parts.runtime.listAll();
  if (active === null) {
    if (routed !== null) violations.push(`at rest: routed to ${routed.workloadId}, and no release is active`);
    if (workloads.length > 0) violations.push('at rest: workloads of a service without a release');
    return;
  }
  const [workload, ...others] = workloads;
  if (others.length > 0) violations.push('at rest: workloads that serve nobody');
  if (workload === undefined || !isWorkloadOf(active, workload) || routed?.workloadId !== workload.id) {
    violations.push(`at rest: ${active.id} is active, and ${routed?.workloadId} is routed`);
  }
  const probe = await parts.edge.probe('shop', 'prod', '/health', new AbortController().signal);
  if (probe.commit !== active.commitSha)
    violations.push(`at rest: ${active.commitSha} is active, ${probe.commit} serves`);
  const { items } = await parts.builds.list(
    { serviceId: active.serviceId, status: 'completed' },
    { cursor: null, limit: 100 },
  );
  const newest = items.toSorted((a, b) => (b.epoch ?? 0) - (a.epoch ?? 0))[0];
  if (newest !== undefined && (newest.epoch ?? 0) > (active.epoch ?? 0)) {
    violations.push(`at rest: ${newest.id} completed last, and ${active.installedBy} serves`);
  }
}
