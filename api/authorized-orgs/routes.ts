import { z } from 'zod';
import {
  authorizedOrgsView,
  authorizedOrgsViewSchema,
  authorizeOrgBodySchema,
  deauthorizedViewSchema,
  sharingHistoryEntrySchema,
  sharingHistoryView,
} from '../../domain/authorized-orgs/authorized-orgs-schema.ts';
import type { SharingCommands, SharingHistory } from '../../domain/authorized-orgs/ports.ts';
import type { SharingRequest } from '../../domain/authorized-orgs/sharing.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { NewId } from '../../domain/ids.ts';
import type { OrgDirectory } from '../../domain/org-directory.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { requireOwner, requireService } from '../catalog/access.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { type AllowedCallers, PLATFORM } from '../http/allowed-callers.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';

export interface AuthorizedOrgsDeps {
  readonly services: ServiceStore;
  readonly builds: Pick<BuildStore, 'list'>;
  readonly sharingHistory: Pick<SharingHistory, 'list'>;
  readonly sharingCommands: Pick<SharingCommands, 'change'>;
  /** Null where no identity provider is configured. */
  readonly orgs: OrgDirectory | null;
  readonly newId: NewId;
}

const tag = 'authorized orgs';
const id = z.string().min(1).max(64).describe('Id or name of the service');
const params = z.strictObject({ id });
const view = { description: 'The owner and the orgs that share the service', schema: authorizedOrgsViewSchema };

const ADDERS = { ...PLATFORM, user: 'admin' } as const satisfies AllowedCallers;

/**
 * The endpoint table has "owning-org admin only" for this, and rule 1 names super admins as well. No key and no service
 * takes an org out.
 */
const REMOVERS = { 'platform-admin': true, user: 'admin' } as const satisfies AllowedCallers;

/** Names of orgs could be tried out with it: it answers whether there is such an org. */
const TRIES_PER_MINUTE = 60;

/** Orgs that share a service with its owner (spec 2, "Authorized orgs"). */
export function authorizedOrgsRoutes(deps: AuthorizedOrgsDeps): readonly Route[] {
  const visible = (input: { params: z.output<typeof params> }, { caller }: RouteContext<Caller>) =>
    requireService(deps.services, caller, input.params.id);
  return [
    defineRoute({
      method: 'get',
      path: '/services/:id/authorized-orgs',
      summary: 'The org that owns a service, and those that share it',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params,
      responses: { 200: view },
      errors: ['SERVICE_NOT_FOUND'],
      resource: visible,
      handle: async ({ resource: service }) => ({ status: 200, data: authorizedOrgsView(service) }),
    }),
    defineRoute({
      method: 'get',
      path: '/services/:id/authorized-orgs/history',
      summary: 'Who let which org share a service, and who took it out, newest first',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of changes', schema: pageSchema(sharingHistoryEntrySchema) } },
      errors: ['SERVICE_NOT_FOUND'],
      resource: visible,
      handle: async ({ query, resource: service }) => {
        const page = await deps.sharingHistory.list(service.id, { cursor: query.cursor ?? null, limit: query.limit });
        return { status: 200, data: { items: page.items.map(sharingHistoryView), nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/services/:id/authorized-orgs',
      summary: 'Let another org use a service as its owner does',
      description:
        'Its members deploy it, change its variables, read its logs and share one history of builds, by their role in their own org. The owner pays. They cannot let further orgs in. The services of the org have the scopes of this one without a grant.',
      tag,
      callers: ADDERS,
      rateLimit: { perMinute: TRIES_PER_MINUTE },
      params,
      body: authorizeOrgBodySchema,
      responses: {
        200: { ...view, description: 'The org shared it already; its role on the repository is as asked for' },
        201: { ...view, description: 'The org shares it from now on' },
      },
      errors: ['SERVICE_NOT_FOUND', 'SERVICE_BUSY', 'ORG_NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
      resource: async (input, context) => owned(await visible(input, context), context.caller),
      handle: async ({ body: { orgSlug, repoRole }, resource: service }, context) => {
        // A name that nobody has yet could be taken by anybody, who then were in.
        await requireDirectory(deps).requireOrg(orgSlug);
        const wanted = { want: 'authorized', org: orgSlug, repoRole } as const;
        const { view: data, added } = await change(deps, context, service, wanted);
        return { status: added ? 201 : 200, data };
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/services/:id/authorized-orgs/:orgSlug',
      summary: 'Take an org out that shares a service',
      description:
        'From then on it is refused here. Scopes that its services had of this one are taken from them, and their tokens with them; what an approved grant gives stays. A build that it asked for goes on; the reply names it, to be cancelled where it should not. Secrets and redirect URIs that it added to the OAuth clients of the service are removed, and their tokens are void; those that somebody added before it was kept who did stay, so the reply names these clients. Where the service itself has a secret that the org asked for, deploy it again.',
      tag,
      callers: REMOVERS,
      params: z.strictObject({ id, orgSlug: orgSlugSchema }),
      responses: { 200: { ...view, schema: deauthorizedViewSchema } },
      errors: ['SERVICE_NOT_FOUND', 'SERVICE_BUSY', 'NOT_FOUND', 'FORBIDDEN'],
      resource: async ({ params: { id: idOrName } }, { caller }) =>
        owned(await requireService(deps.services, caller, idOrName), caller),
      handle: async ({ params: { orgSlug }, resource: service }, context) => {
        const wanted = { want: 'deauthorized', org: orgSlug } as const;
        const { view: data } = await change(deps, context, service, wanted);
        // Looked up afterwards: from now on the org asks for no more.
        const openBuilds = await openBuildsOf(deps, service, orgSlug);
        return { status: 200, data: { ...data, openBuilds, ...clientsOf(service, orgSlug) } };
      },
    }),
  ];
}

/** A service has few open builds: a newer one replaces what waits. */
async function openBuildsOf({ builds }: AuthorizedOrgsDeps, { id }: ServiceRecord, org: string): Promise<string[]> {
  const { items } = await builds.list({ serviceId: id, open: true }, { cursor: null, limit: 200 });
  return items.filter((build) => build.org === org).map((build) => build.id);
}

function clientsOf({ oauthCredentials }: ServiceRecord, org: string): { clients: string[]; deployAgain: string[] } {
  const credentials = Object.values(oauthCredentials);
  return {
    clients: credentials.map(({ clientId }) => clientId),
    deployAgain: credentials.filter(({ byHand }) => byHand?.org === org).map(({ clientId }) => clientId),
  };
}

/** @throws FORBIDDEN for an org that shares the service: it does not decide who else does (spec 2, "Authorized orgs", 2) */
function owned(service: ServiceRecord, caller: Caller): ServiceRecord {
  return requireOwner(service, caller, 'decide which orgs share it');
}

function requireDirectory({ orgs }: AuthorizedOrgsDeps): OrgDirectory {
  if (orgs !== null) return orgs;
  const message = 'No identity provider is configured at the builder: set IDP_URL and IDP_INTERNAL_KEY.';
  throw new FairleadError('UNAVAILABLE', message);
}

type Wanted = SharingRequest extends infer R ? (R extends SharingRequest ? Omit<R, 'id' | 'by'> : never) : never;

function change(
  { sharingCommands, newId }: AuthorizedOrgsDeps,
  { caller, requestId }: RouteContext<Caller>,
  service: ServiceRecord,
  wanted: Wanted,
) {
  const request: SharingRequest = { ...wanted, id: newId('sharingChange'), by: caller.name };
  return sharingCommands.change({ service: { id: service.id, name: service.name }, request, requestId });
}
