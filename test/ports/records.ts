import type { BuildRecord } from '../../domain/deploys/build.ts';
import { planDeploy } from '../../domain/deploys/plan.ts';
import type { Release } from '../../domain/deploys/release.ts';

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
    steps: planDeploy(null, { kind: 'deploy', fromStep: null, runtime: 'docker' }),
    commitSha: null,
    imageTag: null,
    imageDigest: null,
    releaseId: null,
    url: null,
    healthReportsCommit: null,
    diagnostics: [],
    blockedGrants: [],
    warnings: [],
    retryOf: null,
    supersededBy: null,
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
    healthEndpoint: '/health',
    podTier: 'nano',
    readOnlyRoot: true,
    oauthClient: false,
    config: { COLOUR: 'blue' },
    secrets: { KEY: { keyId: '01234567', sealed: 'c2VhbGVk' } },
    createdAt: new Date('2026-01-01T00:00:00Z'),
    activatedAt: null,
    ...changes,
  };
}
