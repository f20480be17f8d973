import { join } from 'node:path';
import type { Logger } from 'pino';
import type { PlatformAudit } from '../../domain/audit/platform-audit.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type AuditClient, type AuditClientOptions, createAuditClient } from '../../sdk/index.ts';

export interface PlatformAuditOptions {
  readonly auditUrl: string;
  readonly internalKey: string;
  /** Namespace of the events: the part of the platform that writes them. */
  readonly namespace: string;
  /** Folder for outboxes, one for each process that runs at the same time. */
  readonly folder: string;
  readonly log: Pick<Logger, 'warn'>;
}

/** More processes than this on one folder are a mistake. */
const MOST_PROCESSES = 64;

/**
 * The platform's way to the ledger: over HTTP, by the internal key, with an outbox on disk. The ledger may be away for as
 * long as it takes; nothing of a deploy waits for it.
 *
 * @throws CONFLICT when {@link MOST_PROCESSES} others hold their outboxes
 */
export function createPlatformAudit(options: PlatformAuditOptions): PlatformAudit & Pick<AuditClient, 'close'> {
  const { auditUrl, internalKey, namespace, folder, log } = options;
  const client = firstFree({
    auditUrl,
    apiKey: internalKey,
    outbox: { folder: join(folder, namespace) },
    onError: (error, { eventType, entityId, lostSoFar }) => {
      log.warn({ eventType, entityId, lostSoFar, reason: error.message }, 'an audit event is lost');
    },
  });
  return {
    async record({ key, orgSlug, ...event }) {
      const owner = orgSlug === null ? {} : { orgSlug };
      await client.emit({ ...event, namespace, ...owner }, { idempotencyKey: key });
    },
    close: client.close,
  };
}

/** A process that ended left its outbox to the next that starts. */
function firstFree(options: AuditClientOptions & Required<Pick<AuditClientOptions, 'outbox'>>): AuditClient {
  for (let number = 1; ; number += 1) {
    try {
      return createAuditClient({ ...options, outbox: { folder: `${options.outbox.folder}-${number}` } });
    } catch (error) {
      if (!(error instanceof FairleadError) || error.code !== 'CONFLICT' || number === MOST_PROCESSES) throw error;
    }
  }
}
