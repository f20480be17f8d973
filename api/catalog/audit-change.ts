import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import type { AuditRecorder } from '../../domain/audit/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NewId } from '../../domain/ids.ts';
import type { Caller } from '../http/caller.ts';

export interface AuditChangeDeps {
  /** Null where no ledger is. */
  readonly audit: AuditRecorder | null;
  readonly newId: NewId;
  readonly now: Clock;
}

/** What somebody did to a service. Names of variables alone: a value may be a secret. */
export interface ServiceChange {
  readonly type:
    | 'service.registered'
    | 'service.changed'
    | 'service.config_changed'
    | 'service.config_read'
    | 'service.backup_downloaded'
    | 'service.database_rotation_requested'
    | 'service.kept_database_drop_requested'
    | 'service.deleted'
    | 'service.delete_requested'
    | 'build.cancel_requested';
  /** What is told once, such as the id of the build; absent for what may happen again. */
  readonly once?: string;
  readonly data: AuditEvent['data'];
}

/**
 * Tells the audit ledger who changed a service, once the change is made: a process that is killed between the two tells
 * nothing. The owner reads it, whoever did it. How builds end is told by the worker, as `service.deployed`, of a rollback too.
 */
export async function auditChange(
  { audit, newId, now }: AuditChangeDeps,
  { caller, requestId }: { readonly caller: Caller; readonly requestId: string },
  service: Pick<ServiceRecord, 'name' | 'org'>,
  { type, once, data }: ServiceChange,
): Promise<void> {
  await audit?.record({
    id: once === undefined ? newId('event') : `${type}/${once}`,
    type,
    actor: caller.name,
    subject: service.name,
    // Empty where nobody owns it any more.
    orgSlug: service.org || null,
    data: { service: service.name, ...data },
    requestId,
    address: null,
    // Under one id it is recorded again as it was first.
    time: once === undefined ? now() : null,
  });
}
