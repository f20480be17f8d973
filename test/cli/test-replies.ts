import type { z } from 'zod';
import { type deployedEnvironmentSchema, serviceDetailSchema } from '../../domain/catalog/service-schema.ts';
import { planReplySchema } from '../../domain/deploys/plan-schema.ts';
import { type BuildView, buildViewSchema, releaseViewSchema } from '../../domain/deploys/schema.ts';
import { STEPS } from '../../domain/deploys/steps.ts';
import { pageSchema } from '../../domain/page-schema.ts';

/** Every step, as if the catalog asked for all that this version carries out. */
const PLANNED = STEPS.map(({ key, title, stage, run }) => ({ key, title, stage, run, onFailure: 'fail' }));

/** What the builder API of the tests knows about, in the API's own shapes. */

export const AT = '2026-01-02T03:04:05.000Z';

export type Deployed = z.infer<typeof deployedEnvironmentSchema>;

/** A queued build with its planned steps. */
export function buildOfTest(id: string, changes: Partial<BuildView>): BuildView {
  return buildViewSchema.parse({
    id,
    kind: 'deploy',
    serviceId: 'svc_1',
    service: 'hello',
    environment: 'prod',
    org: 'platform',
    source: { kind: 'archive', archiveId: 'arc_1', sha256: 'a'.repeat(64) },
    status: 'queued',
    reason: null,
    failure: null,
    commitSha: null,
    imageTag: null,
    imageDigest: null,
    releaseId: null,
    url: null,
    healthReportsCommit: null,
    retryOf: null,
    supersededBy: null,
    requestedBy: 'internal',
    requestId: 'req_1',
    createdAt: AT,
    startedAt: null,
    finishedAt: null,
    durationMs: null,
    logs: `/builds/${id}/logs`,
    steps: PLANNED.map(({ key, title, stage, onFailure, run }) => ({
      key,
      title,
      stage,
      onFailure,
      state: run === null ? 'skipped' : 'pending',
      reason: run === null ? 'not carried out by this installation' : null,
      attempt: 1,
      startedAt: null,
      finishedAt: null,
      durationMs: null,
      warnings: [],
    })),
    diagnostics: [],
    lockfile: null,
    blockedGrants: [],
    waiting: null,
    warnings: [],
    ...changes,
  });
}

/** A service that is live where the test says. */
export function serviceOfTest(name: string, environments: readonly Deployed[]) {
  return serviceDetailSchema.parse({
    id: 'svc_1',
    name,
    org: 'platform',
    authorizedOrgs: [],
    gitUrl: null,
    branch: null,
    appPath: null,
    dockerfilePath: null,
    port: null,
    config: { GREETING: 'hi' },
    secrets: { API_TOKEN: '********' },
    lastBuildId: null,
    createdAt: AT,
    updatedAt: AT,
    environments: environments,
  });
}

export function planOfTest() {
  const steps = PLANNED.map(({ key, title, stage, onFailure, run }) => {
    const skipped = run === null;
    return {
      key,
      title,
      stage,
      onFailure,
      state: skipped ? 'skipped' : 'pending',
      reason: skipped ? 'later work' : null,
    };
  });
  const found = [
    { key: 'start', title: 'Start', value: 'node a.js', reason: 'the script', setBy: 'platform.io/start-command' },
  ];
  const head = {
    service: 'hello',
    environment: 'prod',
    framework: 'express',
    podTier: 'nano',
    healthEndpoint: '/health',
    healthRule: 'declared',
  };
  return planReplySchema.parse({ ...head, port: 3000, found, steps, warnings: ['no catalog file'] });
}

export function releasesOfTest() {
  const release = (id: string, active: boolean) => ({
    id,
    buildId: 'bld_1',
    service: 'hello',
    environment: 'prod',
    commitSha: 'c0ffee0123456789c0ffee0123456789c0ffee01',
    imageTag: 'hello:1',
    imageDigest: 'registry/hello@sha256:1',
    port: 3000,
    healthEndpoint: '/health',
    healthRule: 'declared',
    podTier: 'nano',
    configKeys: [],
    secretKeys: [],
    active,
    createdAt: AT,
    activatedAt: AT,
  });
  return pageSchema(releaseViewSchema).parse({
    items: [release('rel_2', true), release('rel_1', false)],
    nextCursor: null,
  });
}
