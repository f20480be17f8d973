import { z } from 'zod';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { variablesIn } from '../../domain/config/service-variables.ts';
import { parseBranchName } from '../../domain/deploys/git-url.ts';
import { NO_VARIABLES } from '../../domain/deploys/missing-config.ts';
import { planBodySchema, planReplySchema } from '../../domain/deploys/plan-schema.ts';
import {
  retryBodySchema,
  rollbackBodySchema,
  skipConventionCheckSchema,
  triggerBodySchema,
  triggerReplySchema,
  uploadReplySchema,
  waitForGrantsQueryShape,
} from '../../domain/deploys/schema.ts';
import type { ArchiveStore } from '../../domain/deploys/source-ports.ts';
import type { Installation } from '../../domain/deploys/step-definition.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { mayUse, requireService } from '../catalog/access.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { checkSource, type PutServiceDeps } from '../catalog/put-service.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { requireBuild } from './build-access.ts';
import { NOTHING_RECORDED, planBuild } from './plan-build.ts';
import {
  gitSource,
  type RequestBuildDeps,
  requestBuild,
  retrySource,
  retryStep,
  rollbackSource,
  rollbackTarget,
  waitForGrants,
} from './request-build.ts';
import { ATTEMPTS_ARE_ONE } from './requested-build-id.ts';
import { saveUpload, UPLOAD_CONTENT_TYPES } from './save-upload.ts';

export interface TriggerRoutesDeps
  extends RequestBuildDeps,
    Pick<PutServiceDeps, 'platformGitUrl' | 'localSourcesRoot'> {
  readonly services: ServiceStore;
  readonly archives: ArchiveStore;
  readonly enforceMinimumCatalogVersion: boolean;
  readonly installation: Installation;
}

const tag = 'builds';
const idParams = (what: string) => z.strictObject({ id: z.string().min(1).max(64).describe(what) });
const accepted = { 202: { description: 'The build is queued, or in flight already', schema: triggerReplySchema } };

/** Everything that starts a build (spec 2, "Services and builds", "Build status"). */
export function triggerRoutes(deps: TriggerRoutesDeps): readonly Route[] {
  return [triggerRoute(deps), uploadRoute(deps), planRoute(deps), retryRoute(deps), rollbackRoute(deps)];
}

function triggerRoute(deps: TriggerRoutesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/builds/trigger',
    summary: 'Build and deploy a service from its git repository',
    description: `A build in flight of the same service, environment and commit is joined: \`deduplicated\` is true. ${ATTEMPTS_ARE_ONE}`,
    tag,
    callers: BUILDER_CALLERS.member,
    body: triggerBodySchema,
    responses: accepted,
    errors: ['SERVICE_NOT_FOUND', 'SOURCE_MISSING', 'SOURCE_REFUSED', 'IDEMPOTENCY_KEY_MISMATCH'],
    resource: ({ body }, { caller }) => requireService(deps.services, caller, body.service),
    handle: async ({ body, resource: service }, by) => {
      const { branch, commit, environment, skipConventionCheck } = body;
      const wanted = { ...(branch === undefined ? {} : { branch }), ...(commit === undefined ? {} : { commit }) };
      const source = gitSource(service, wanted);
      const wait = waitForGrants(body);
      const asked = {
        kind: 'deploy',
        service,
        environment,
        source,
        skipConventionCheck,
        ...wait,
        payload: body,
      } as const;
      return { status: 202, data: await requestBuild(deps, by, asked) };
    },
  });
}

function uploadRoute(deps: TriggerRoutesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/builds/upload',
    summary: 'Build and deploy a service from an uploaded source archive',
    description: ATTEMPTS_ARE_ONE,
    tag,
    callers: BUILDER_CALLERS.member,
    query: z.strictObject({
      service: z.string().min(1).max(64),
      environment: environmentSchema.default('prod'),
      skipConventionCheck: skipConventionCheckSchema,
      ...waitForGrantsQueryShape,
    }),
    streamBody: { contentTypes: UPLOAD_CONTENT_TYPES, description: 'A gzip-compressed tar of at most 100 MiB' },
    responses: { 202: { description: 'The archive is stored and the build queued', schema: uploadReplySchema } },
    errors: ['SERVICE_NOT_FOUND', 'ARCHIVE_INVALID', 'UPLOAD_QUOTA_EXCEEDED', 'DISK_FULL', 'IDEMPOTENCY_KEY_MISMATCH'],
    resource: ({ query }, { caller }) => requireService(deps.services, caller, query.service),
    handle: async ({ query, resource }, context) => {
      const wait = waitForGrants(query);
      const { stream, headers } = context;
      const {
        id: archiveId,
        sha256,
        sizeBytes,
      } = await saveUpload(deps.archives, stream, {
        contentLength: headers['content-length'],
        org: uploaderOf(resource, context.caller),
        isNeeded: (id) => deps.builds.needsArchive(id),
      });
      // An upload may be slow, and the org of the caller be taken out meanwhile.
      const service = await requireService(deps.services, context.caller, resource.id);
      const source = { kind: 'archive', archiveId, sha256 } as const;
      const { environment, skipConventionCheck } = query;
      const payload = { ...query, sha256 };
      const wanted = { kind: 'deploy', service, environment, source, skipConventionCheck, ...wait, payload } as const;
      return { status: 202, data: { ...(await requestBuild(deps, context, wanted)), sha256, sizeBytes } };
    },
  });
}

/**
 * The org whose quota an upload takes: that of the caller, where it is the owner or authorized. An authorized org could
 * otherwise use up the quota of the owner, who then deploys nothing until those archives are old enough to make room; it is
 * billed gas for its service (spec 2, "Authorized orgs", 2), and an upload that is refused costs no gas. Whoever acts in
 * every org, such as the console by the internal key, uploads for the owner.
 */
function uploaderOf({ org, authorizedOrgs }: ServiceRecord, caller: Pick<Caller, 'org'>): string {
  return authorizedOrgs.includes(caller.org) ? caller.org : org;
}

function planRoute(deps: TriggerRoutesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/builds/plan',
    summary: 'The steps a deploy of these files would take, without running it',
    description:
      'Nothing is kept, and the service may not be here yet. The repository that `gitUrl`, `branch` and `appPath` name is checked as POST /services checks it.',
    tag,
    callers: BUILDER_CALLERS.viewer,
    body: planBodySchema,
    responses: { 200: { description: 'The plan', schema: planReplySchema } },
    errors: ['CATALOG_INVALID', 'CATALOG_VERSION_UNSUPPORTED', 'PLATFORM_CONFIG_INVALID', 'SOURCE_REFUSED'],
    handle: async ({ body }, { caller }) => {
      if (typeof body.gitUrl === 'string') checkSource(body.gitUrl, { deps, caller });
      if (typeof body.branch === 'string') parseBranchName(body.branch);
      const service = body.service === undefined ? null : await deps.services.find(body.service);
      // Of a service that is not the caller's, nothing is told: not even that it is there.
      const isKnown = service !== null && mayUse(caller, service);
      const options = {
        ...{ enforceMinimumVersion: deps.enforceMinimumCatalogVersion, installation: deps.installation },
        variables: isKnown ? variablesIn(service, body.environment) : NO_VARIABLES,
        record: isKnown ? service : NOTHING_RECORDED,
      };
      return { status: 200, data: planBuild(body, options) };
    },
  });
}

function retryRoute(deps: TriggerRoutesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/builds/:id/retry',
    summary: 'Repeat a failed build from the step that failed, or from an earlier one',
    description: ATTEMPTS_ARE_ONE,
    tag,
    callers: BUILDER_CALLERS.member,
    params: idParams('Id of the failed build'),
    body: retryBodySchema,
    responses: accepted,
    errors: ['BUILD_NOT_FOUND', 'SERVICE_NOT_FOUND', 'BUILD_NOT_RETRYABLE', 'STEP_UNKNOWN', 'IDEMPOTENCY_KEY_MISMATCH'],
    resource: ({ params }, { caller }) => requireBuild(deps, caller, params.id),
    handle: async ({ body, resource: build }, by) => {
      const fromStep = retryStep(build, body.fromStep);
      const service = await requireService(deps.services, by.caller, build.serviceId);
      const resume = { buildId: build.id, fromStep, facts: build.facts };
      const source = retrySource(build);
      const wanted = { service, environment: build.environment, source, resume, payload: body, ...waitForGrants(body) };
      return { status: 202, data: await requestBuild(deps, by, { kind: 'retry', ...wanted }) };
    },
  });
}

function rollbackRoute(deps: TriggerRoutesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/services/:id/rollback',
    summary: 'Install an earlier release again, without a build',
    description: ATTEMPTS_ARE_ONE,
    tag,
    callers: BUILDER_CALLERS.member,
    params: idParams('Id or name of the service'),
    body: rollbackBodySchema,
    responses: accepted,
    errors: ['SERVICE_NOT_FOUND', 'RELEASE_NOT_FOUND', 'IDEMPOTENCY_KEY_MISMATCH'],
    resource: ({ params }, { caller }) => requireService(deps.services, caller, params.id),
    handle: async ({ body, resource: service }, by) => {
      const { environment } = body;
      const release = await rollbackTarget(deps, service, environment, body.releaseId);
      const source = await rollbackSource(deps.builds, service, release);
      const wanted = { kind: 'rollback', service, environment, source, releaseId: release.id, payload: body } as const;
      return { status: 202, data: await requestBuild(deps, by, wanted) };
    },
  });
}
