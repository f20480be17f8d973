import type { BuildStep } from '../../domain/deploys/build.ts';
import type { Decision, DecisionInput } from '../../domain/deploys/build-wait.ts';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  askerOf,
  awaitedGrants,
  type BlockedGrant,
  foreignScopes,
  grantsBlocked,
  readBlockedGrants,
} from './dependency-grants.ts';
import type { DeploysDeps } from './deps.ts';
import { findService, ownerOf } from './service-lookup.ts';
import { requireFacts } from './step.ts';

type Deps = Pick<DeploysDeps, 'builds' | 'grants' | 'log' | 'now' | 'services' | 'sources'>;

/**
 * How the grants stand that a build waits for, as their records say: `open` while one is pending and none is denied, revoked
 * or too narrow; `granted` when the step is to run again, which asks anew for what is gone meanwhile. The record of the
 * build names what it waits for. Idempotent: it sets a state, and its log lines carry keys; an attempt that was paused until
 * the build went on changes nothing.
 */
export async function readGrantDecisions(
  deps: Deps,
  input: DecisionInput,
  signal: EffectContext['signal'],
): Promise<Decision> {
  const { request, facts, since, until, step } = input;
  const { catalog } = requireFacts(facts, ['catalog']);
  // Before the grants are read: what began after that is not changed by what they said.
  const at = await stepAt(deps, input);
  const needed = await foreignScopes(deps, await findService(deps, request), request.environment, catalog);
  const blocked = (await readBlockedGrants(deps, needed)) ?? [];
  if (blocked.length === 0) {
    await goOn(deps, input, { at, signal });
    return { state: 'granted' };
  }
  const { code, message, details } = grantsBlocked(blocked, { asker: askerOf(needed), hasWaited: true });
  const failure = { code, message, step: step.key, details };
  if (blocked.some(({ state }) => state !== 'pending')) return { state: 'refused', failure };
  const waiting = { since: new Date(since), until: new Date(until), blockedGrants: blocked };
  if (!(await deps.builds.setWaiting(request.buildId, waiting, at))) return { state: 'open', failure };
  await deps.builds.markStep(request.buildId, step, { finishedAt: null }, at);
  await sayOnce(deps, input, `wait/${until}/${idsOf(blocked)}`, [
    `Waits until ${until} for grants:`,
    ...awaitedGrants(blocked),
  ]);
  return { state: 'open', failure };
}

type StepAt = Pick<BuildStep, 'key' | 'attempt'>;

/** The step that waits, and its latest attempt. */
async function stepAt({ builds }: Deps, { request, step: { key } }: DecisionInput): Promise<StepAt> {
  const record = await builds.find(request.buildId);
  return { key, attempt: record?.steps.find((each) => each.key === key)?.attempt ?? 0 };
}

async function goOn(
  deps: Deps,
  input: DecisionInput,
  { at, signal }: { readonly at: StepAt; readonly signal: EffectContext['signal'] },
): Promise<void> {
  const { buildId } = input.request;
  const moved = await movedSource(deps, input, signal);
  await deps.builds.setWaiting(buildId, null, at);
  await sayOnce(deps, input, `granted/${input.since}`, ['Nothing is left to decide: the build goes on.']);
  if (moved === null) return;
  await sayOnce(deps, input, `moved/${input.since}`, [moved], 'warn');
  await deps.builds.addWarnings(buildId, [moved]);
}

/** A build installs the commit that it built, also where its branch went on while it waited: that is said. */
async function movedSource(
  deps: Deps,
  { request: { source, serviceId }, facts: { commitSha } }: DecisionInput,
  signal: EffectContext['signal'],
): Promise<string | null> {
  if (source.kind !== 'git' || source.commit !== null || commitSha == null) return null;
  const built = commitSha.slice(0, 7);
  try {
    const repository = { url: source.url, org: await ownerOf(deps, serviceId) };
    const head = await deps.sources.resolveHead(repository, source.branch, signal);
    if (head.commit === commitSha) return null;
    return `${head.branch} went on to ${head.commit.slice(0, 7)} while the build waited: it installs ${built}, which it built. Deploy again for the newer one.`;
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return `Whether the branch went on while the build waited is not known; it installs ${built}: ${error.message}`;
  }
}

function idsOf(blocked: readonly BlockedGrant[]): string {
  return blocked.map(({ id }) => id).join();
}

async function sayOnce(
  { log, now }: Deps,
  { request, step }: DecisionInput,
  key: string,
  lines: readonly string[],
  level: 'info' | 'warn' = 'info',
): Promise<void> {
  const time = now();
  await log.append(
    request.buildId,
    lines.map((text) => ({ time, step: step.key, level, text })),
    key,
  );
}
