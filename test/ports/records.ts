import type { Catalog, TestDeclaration } from '../../domain/catalog/catalog.ts';
import { inferCatalog } from '../../domain/catalog/infer-catalog.ts';
import type { BuildRecord, BuildRequest } from '../../domain/deploys/build.ts';
import { DOCKER_INSTALLATION, notBegun, planDeploy } from '../../domain/deploys/plan.ts';
import type { Release } from '../../domain/deploys/release.ts';
import type { BuildStage } from '../../domain/deploys/status.ts';
import type { PlanContext } from '../../domain/deploys/step-definition.ts';
import { STEPS, type StepKey } from '../../domain/deploys/steps.ts';
import type { Grant } from '../../domain/grants/grant.ts';

/** A deploy whose catalog is not read yet. */
export const CONTEXT: PlanContext = {
  kind: 'deploy',
  fromStep: null,
  done: null,
  catalog: null,
  facts: {},
  installation: DOCKER_INSTALLATION,
};

/** The catalog of an express app that declares nothing. */
export function catalogRecord(changes: Partial<Catalog> = {}): Catalog {
  const { catalog } = inferCatalog({ manifest: '{"name":"hello","dependencies":{"express":"5"}}', files: [] });
  return { ...catalog, declared: true, ...changes };
}

/** A test that any answer of 2xx at `/` passes. */
export function testRecord(changes: Partial<TestDeclaration> = {}): TestDeclaration {
  return {
    ...{ name: 'home', method: 'GET', path: '/', headers: {}, body: null },
    ...{ expectStatus: null, expectBodyContains: null },
    ...changes,
  };
}

let requests = 0;

/** The request of a deploy from git, of a build and a service of its own. */
export function buildRequest(changes: Partial<BuildRequest> = {}): BuildRequest {
  requests += 1;
  return {
    buildId: `bld_${requests}`,
    kind: 'deploy',
    serviceId: 'svc_1',
    service: `hello-${requests}`,
    environment: 'prod',
    org: 'platform',
    source: { kind: 'git', url: 'https://git.example/hello.git', branch: null, commit: null },
    requestedBy: 'internal',
    requestId: `req_${requests}`,
    requestedAt: '2026-01-01T00:00:00.000Z',
    resume: null,
    releaseId: null,
    ...changes,
  };
}

/** A queued build with every step planned. */
export function buildRecord(changes: Partial<BuildRecord> & { id: string }): BuildRecord {
  return {
    kind: 'deploy',
    serviceId: 'svc_hello',
    service: 'hello',
    environment: 'prod',
    org: 'platform',
    source: { kind: 'git', url: 'https://git.example/hello.git', branch: null, commit: null },
    status: 'queued',
    reason: null,
    failure: null,
    steps: planDeploy(CONTEXT).map(notBegun),
    commitSha: null,
    imageTag: null,
    imageDigest: null,
    releaseId: null,
    url: null,
    healthReportsCommit: null,
    diagnostics: [],
    blockedGrants: [],
    waiting: null,
    warnings: [],
    retryOf: null,
    supersededBy: null,
    epoch: null,
    facts: {},
    requestedBy: 'internal',
    requestId: 'req_1',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    startedAt: null,
    finishedAt: null,
    ...changes,
  };
}

export function releaseRecord(changes: Partial<Release> & { id: string }): Release {
  return {
    buildId: 'bld_1',
    serviceId: 'svc_hello',
    service: 'hello',
    environment: 'prod',
    commitSha: 'a'.repeat(40),
    imageTag: 'localhost:5050/hello:a',
    imageDigest: `localhost:5050/hello@sha256:${'b'.repeat(64)}`,
    port: 3000,
    portRule: 'given',
    onLoopback: false,
    healthEndpoint: '/health',
    healthRule: 'declared',
    podTier: 'nano',
    readOnlyRoot: true,
    writablePaths: [],
    foundFolders: [],
    oauthClient: false,
    ...{ databases: [], consumedDatabases: [] },
    publicUrl: 'http://hello.prod.localhost:8000',
    dependencies: [],
    config: { COLOUR: 'blue' },
    secrets: { KEY: { keyId: '01234567', sealed: 'c2VhbGVk' } },
    createdAt: new Date('2026-01-01T00:00:00Z'),
    activatedAt: null,
    epoch: null,
    installedBy: null,
    ...changes,
  };
}

/** Key and stage of a step, as the store needs them to mark it. */
export function stepOf(key: StepKey): { readonly key: StepKey; readonly stage: BuildStage } {
  const definition = STEPS.find((step) => step.key === key);
  if (definition === undefined) throw new Error(`no step is called ${key}`);
  return { key, stage: definition.stage };
}

/** A grant that `shop` of org `other` asks for, of `notes` of `acme`. */
export function grantRecord(changes: Partial<Grant> = {}): Grant {
  return {
    id: 'sgr_test',
    holder: { serviceId: 'svc_shop', name: 'shop', org: 'other' },
    environment: 'prod',
    target: { serviceId: 'svc_notes', name: 'notes', org: 'acme' },
    scopes: ['notes:read'],
    granted: [],
    status: 'pending',
    wasApproved: false,
    revision: 1,
    requestedBy: 'usr_eve',
    requestedAt: new Date('2026-01-01T00:00:00Z'),
    decidedBy: null,
    decidedAt: null,
    ...changes,
  };
}
