import { FairleadError } from '../../domain/errors.ts';
import type { Platform, PlatformEvent, PlatformService } from '../../web/platform/platform.ts';

/** What a route of the platform answers: data, or the error that it refuses with. */
export type SampleReply = unknown | FairleadError | ((request: SampleRequest) => unknown);

export interface SampleRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Rows such as `GET builder /services/:name`; `:name` stands for any one part of the path. */
export type SampleTable = Readonly<Record<string, SampleReply>>;

/** The platform in memory, by a table of its routes: replies pass the page's own schemas, as those of the services do. */
export function createSamplePlatform(rows: SampleTable = SAMPLE) {
  const asked: SampleRequest[] = [];
  const find = (service: PlatformService, request: SampleRequest): unknown => {
    asked.push(request);
    const wanted = `${request.method} ${service} ${request.path}`;
    const key = Object.keys(rows).find((row) => new RegExp(`^${row.replace(/:[a-zA-Z]+/g, '[^/]+')}$`).test(wanted));
    if (key === undefined) throw new FairleadError('NOT_FOUND', `There is no ${request.path}`);
    const reply = rows[key];
    const answer = typeof reply === 'function' ? reply(request) : reply;
    if (answer instanceof FairleadError) throw answer;
    return answer;
  };
  const platform: Platform & { readonly asked: readonly SampleRequest[] } = {
    asked,
    get: async (service, path, reply, query = {}) =>
      reply.parse(find(service, { method: 'GET', path, query, body: undefined })),
    send: async (service, method, path, reply, { query = {}, body } = {}) =>
      reply.parse(find(service, { method, path, query, body })),
    follow: async function* (service, path, { query = {} }): AsyncGenerator<PlatformEvent> {
      yield* find(service, { method: 'FOLLOW', path, query, body: undefined }) as readonly PlatformEvent[];
    },
  };
  return platform;
}

const NOW = Date.now();
const earlier = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

function build(id: string, service: string, more: Record<string, unknown> = {}) {
  return {
    ...{ id: `bld_${id}`, kind: 'deploy', serviceId: `svc_${service}`, service, environment: 'prod', org: 'acme' },
    source: { kind: 'git', url: `https://git.example/acme/${service}`, branch: 'main', commit: null },
    ...{ status: 'completed', reason: null, failure: null, commitSha: '8bbf4c7d3c1a9e0f5b2d', imageTag: '8bbf4c7' },
    ...{
      imageDigest: `sha256:${'ab'.repeat(32)}`,
      releaseId: `rel_${id}`,
      url: `http://${service}.prod.localhost:8000`,
    },
    ...{ healthReportsCommit: true, retryOf: null, supersededBy: null, requestedBy: 'usr_ann', requestId: 'req_1' },
    ...{ waiting: null, createdAt: earlier(30), startedAt: earlier(30), finishedAt: earlier(29), durationMs: 41_500 },
    logs: `/builds/bld_${id}/logs`,
    ...more,
  };
}

function service(name: string, more: Record<string, unknown> = {}) {
  return {
    ...{ id: `svc_${name}`, name, org: 'acme', authorizedOrgs: [], gitUrl: `https://git.example/acme/${name}` },
    ...{ branch: 'main', appPath: null, dockerfilePath: null, port: 8080, config: { LOG_LEVEL: 'info' } },
    ...{ secrets: { DATABASE_URL: '********' }, lastBuildId: null, createdAt: earlier(9_000), updatedAt: earlier(60) },
    ...more,
  };
}

const ended = { durationMs: 12_300, finishedAt: earlier(3) };
const failed = {
  ...{ status: 'failed', reason: 'step_failed', releaseId: null, url: null, imageDigest: null },
  failure: {
    code: 'BUILD_FAILED',
    message: 'npm ci ended with 1: the lockfile does not match package.json',
    step: 'image-build',
  },
};

export const SAMPLE_BUILDS = [
  build('running', 'shop', { status: 'building', createdAt: earlier(1), finishedAt: null, durationMs: 38_000 }),
  build('waiting', 'reports', {
    ...{ status: 'queued', createdAt: earlier(2), finishedAt: null, durationMs: null },
    waiting: { since: earlier(2), until: earlier(-58) },
  }),
  build('broken', 'mailer', { ...failed, ...ended, environment: 'sandbox', createdAt: earlier(4) }),
  build('shop', 'shop', { createdAt: earlier(180) }),
  build('cancelled', 'mailer', { status: 'failed', reason: 'cancelled', releaseId: null, createdAt: earlier(600) }),
  build('mailer', 'mailer', { createdAt: earlier(1_500), durationMs: 203_000 }),
];

const SERVICES = [
  service('mailer', { lastBuildId: 'bld_broken', branch: 'release/2026-11' }),
  service('reports', { lastBuildId: 'bld_waiting', appPath: 'apps/reports' }),
  service('shop', { lastBuildId: 'bld_running' }),
  service('upload-only', { gitUrl: null, branch: null }),
];

const environments = [
  {
    ...{ environment: 'prod', url: 'http://shop.localhost:8000', releaseId: 'rel_shop', buildId: 'bld_shop' },
    ...{ commitSha: '8bbf4c7d3c1a9e0f5b2d', activatedAt: earlier(179) },
  },
  {
    ...{ environment: 'sandbox', url: 'http://shop.sandbox.localhost:8000', releaseId: 'rel_2', buildId: 'bld_2' },
    ...{ commitSha: null, activatedAt: earlier(9_000) },
  },
];

const healthy = {
  status: 'ok',
  version: '0.2.0',
  commit: '8bbf4c7d3c1a',
  uptimeSeconds: 93_000,
  checks: { mongo: 'ok' },
};
const party = (name: string, org: string) => ({ serviceId: `svc_${name}`, name, org });
const step = (title: string, state = 'pending', reason: string | null = null) => ({
  ...{ key: title.toLowerCase().replaceAll(' ', '-'), title, stage: 'building', onFailure: 'fail', state, reason },
});

/** An installation with a bit of everything. */
export const SAMPLE: SampleTable = {
  'GET builder /builds': { items: SAMPLE_BUILDS, nextCursor: null },
  'GET builder /services': { items: SERVICES, nextCursor: null },
  'GET builder /services/:name': ({ path }: SampleRequest) => {
    const found = SERVICES.find(({ name }) => path.endsWith(`/${name}`));
    if (found === undefined) return new FairleadError('SERVICE_NOT_FOUND', 'There is no such service');
    return { ...found, environments: found.name === 'shop' ? environments : [] };
  },
  'GET builder /grants': {
    items: [
      {
        ...{ id: 'sgr_1', holder: party('reports', 'beta'), environment: 'prod', target: party('shop', 'acme') },
        ...{ scopes: ['shop:orders.read', 'shop:customers.read'], granted: [], status: 'pending', revision: 1 },
        ...{ requestedBy: 'usr_bob', requestedAt: earlier(45), decidedBy: null, decidedAt: null },
      },
    ],
    nextCursor: null,
  },
  'POST builder /builds/plan': {
    ...{ service: 'shop', environment: 'prod', framework: null, podTier: 'small', healthEndpoint: '/health' },
    ...{ healthRule: 'declared', port: 8080, found: [], warnings: [] },
    steps: [
      step('Fetch the source'),
      step('Read the catalog'),
      step('Check the balance', 'skipped', 'the wallet is not part of this installation'),
      step('Build the image'),
      step('Push the image'),
      step('Run the tests', 'skipped', 'the service declares none'),
      step('Deploy'),
      step('Check the health'),
    ],
  },
  'POST builder /builds/trigger': {
    ...{ buildId: 'bld_running', deduplicated: false, supersededBuildId: null, service: 'shop', environment: 'prod' },
  },
  'POST builder /services': service('shop'),
  'DELETE builder /services/:name': { id: 'svc_shop', name: 'shop' },
  'GET builder /health': { ...healthy, checks: { mongo: 'ok', temporal: 'ok' } },
  'GET idp /health': healthy,
  'GET registry /health': healthy,
  'GET wallet /health': healthy,
  'GET audit-ledger /health': new FairleadError('UNAVAILABLE', 'Not answering: mongo', {
    details: { checks: { mongo: 'no answer' } },
  }),
  'GET locker /health': healthy,
  'GET builder /config/reencryption': {
    ...{ status: 'completed', checked: 41, resealed: 0, unreadable: 0, unreadableSecrets: [] },
    ...{ earlierKeyInUse: false, problem: null },
  },
};
