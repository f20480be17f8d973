import { z } from 'zod';
import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { AddedBy } from '../../domain/oauth-clients/added-by.ts';
import { type ClientField, valueAt } from '../../domain/oauth-clients/administration.ts';
import {
  ACTING_FOR_HEADER,
  ACTING_ORG_HEADER,
  SHARING_REVISION_HEADER,
} from '../../domain/oauth-clients/administration-port.ts';
import type { ClientRecord } from '../../domain/oauth-clients/client.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import { audit } from '../identity/audit.ts';
import type { IdentityDeps } from '../identity/deps.ts';

type Data = AuditEvent['data'];

/** Who is behind a call: the person the builder names when it calls with the internal key, else the caller itself. */
export function actorOf({ caller, headers }: Pick<RouteContext<Caller>, 'caller' | 'headers'>): string {
  const named = headers[ACTING_FOR_HEADER];
  if (caller.kind === 'internal' && typeof named === 'string' && /^[\w.-]{1,120}$/.test(named)) return named;
  return caller.name;
}

const addedForSchema = z.object({
  [ACTING_ORG_HEADER]: orgSlugSchema.nullable().default(null),
  [SHARING_REVISION_HEADER]: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .nullable()
    .default(null),
});

/**
 * For whom something is added to a client: as the builder says, else for the platform. @throws VALIDATION_FAILED for
 * headers that cannot be read: what was added would be taken for the platform's
 */
export function addedByOf(context: Pick<RouteContext<Caller>, 'caller' | 'headers'>): AddedBy {
  const actor = actorOf(context);
  if (context.caller.kind !== 'internal') return { org: null, actor, sharingRevision: null };
  const read = addedForSchema.safeParse(context.headers);
  if (!read.success) {
    const message = `${ACTING_ORG_HEADER} is the slug of an org, and ${SHARING_REVISION_HEADER} a number`;
    throw new FairleadError('VALIDATION_FAILED', message);
  }
  return { org: read.data[ACTING_ORG_HEADER], actor, sharingRevision: read.data[SHARING_REVISION_HEADER] };
}

/** Keeps what was done to a client, and by whom. */
export async function auditClient(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  event: {
    readonly type: string;
    readonly client: Pick<ClientRecord, 'clientId' | 'orgSlug'>;
    readonly data?: Data;
    readonly id?: string;
  },
): Promise<void> {
  const { type, client, data = {}, id } = event;
  await audit(deps, context, {
    ...(id === undefined ? {} : { id }),
    type,
    actor: actorOf(context),
    subject: client.clientId,
    orgSlug: client.orgSlug,
    data,
  });
}

/** The fields that changed, with their values before and after. No field of a client that can be changed is secret. */
export function changedFields(before: ClientRecord, after: ClientRecord, fields: readonly ClientField[]): Data {
  const values = fields.flatMap((field) => {
    const name = field.replace('.', '_');
    return [
      [`${name}_before`, auditValue(valueAt(before, field))],
      [`${name}_after`, auditValue(valueAt(after, field))],
    ] as const;
  });
  return { fields: [...fields], ...Object.fromEntries(values) };
}

/** Texts of mail are long: their kinds are enough. */
function auditValue(value: unknown): Data[string] {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value === 'object' && value !== null) return Object.keys(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
