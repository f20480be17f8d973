import type { BuildRequest, PlannedStep } from '../../domain/deploys/build.ts';
import type { BuildFacts } from '../../domain/deploys/facts.ts';
import {
  DOCKER_INSTALLATION,
  declaredButSkipped,
  notBegun,
  planDeploy,
  stepsDone,
  stepsToRun,
} from '../../domain/deploys/plan.ts';
import type { PlanContext } from '../../domain/deploys/step-definition.ts';
import type { DeploysDeps } from './deps.ts';

/** The parts whose presence decides which steps run. */
export type PlanDeps = Pick<
  DeploysDeps,
  'builds' | 'wallet' | 'serviceRegistry' | 'monitor' | 'siteRegistry' | 'testRunner' | 'dns'
> & { readonly settings: Pick<DeploysDeps['settings'], 'runtimeName'> };

/** What the plan of a build depends on, with the facts that are known. Reads the record of the build that is retried. */
export async function planContext(
  { builds, wallet, serviceRegistry, monitor, siteRegistry, testRunner, dns, settings }: PlanDeps,
  build: BuildRequest,
  facts: BuildFacts,
): Promise<PlanContext> {
  const retried = build.resume === null ? null : await builds.find(build.resume.buildId);
  return {
    kind: build.kind,
    fromStep: build.resume?.fromStep ?? null,
    done: retried === null ? null : stepsDone(retried),
    catalog: facts.catalog ?? null,
    facts,
    installation: {
      ...DOCKER_INSTALLATION,
      runtime: settings.runtimeName,
      wallet: wallet !== null,
      registry: serviceRegistry !== null,
      monitor: monitor !== null,
      siteRegistry: siteRegistry !== null,
      testRunner: testRunner !== null,
      dns: dns !== null,
    },
  };
}

/**
 * Plans the rest of a build with its catalog known, stores the plan, and warns of what the catalog asks for in vain.
 * Steps that have begun stay as they are in the record. Idempotent: the plan is a function of build and facts. A late
 * attempt, which read the record before other steps went on, changes nothing.
 *
 * @param after key of the step that found the catalog
 * @returns what is left to run: all that follows it. A later step may have begun all the same, when a worker was killed
 * before Temporal knew of the results; it runs again, because nobody else has them.
 */
export async function replan(
  deps: PlanDeps,
  build: BuildRequest,
  { facts, after }: { readonly facts: BuildFacts; readonly after: string },
  warn: (warning: string) => void,
): Promise<readonly PlannedStep[]> {
  const context = await planContext(deps, build, facts);
  const record = await deps.builds.find(build.buildId);
  const begun = new Map(record?.steps.filter(({ startedAt }) => startedAt !== null).map((step) => [step.key, step]));
  const planned = planDeploy(context);
  for (const { title, reason } of declaredButSkipped(context)) warn(`${title}: ${reason}`);
  const steps = planned.map((step) => begun.get(step.key) ?? notBegun(step));
  await deps.builds.setSteps(build.buildId, steps);
  return stepsToRun(planned.slice(planned.findIndex(({ key }) => key === after) + 1));
}
