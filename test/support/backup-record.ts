import type { Backup } from '../../domain/backups/backup.ts';
import type { Restore } from '../../domain/backups/restore.ts';

/** A completed backup of `shop` in production, but for what is given. */
export function backupRecord(fields: Partial<Backup> = {}): Backup {
  const startedAt = fields.startedAt ?? new Date('2026-05-04T02:00:00.000Z');
  const key = `prod/shop/daily/shop_prod-${startedAt.toISOString().replaceAll(/[:.]/g, '-')}.pgdump`;
  return {
    id: 'bak_00000000000000000001',
    serviceId: 'svc_shop',
    service: 'shop',
    environment: 'prod',
    engine: 'postgres',
    databaseName: 'shop_prod',
    kind: 'nightly',
    tier: 'daily',
    night: startedAt.toISOString().slice(0, 10),
    status: 'completed',
    requestedBy: 'schedule',
    startedAt,
    finishedAt: new Date(startedAt.getTime() + 60_000),
    sizeBytes: 1_000,
    sha256: 'ab'.repeat(32),
    objectKey: key,
    uploads: [key],
    figures: { 'public.orders': 3 },
    problem: null,
    verification: null,
    triedAt: null,
    ...fields,
  };
}

/** A completed restore of {@link backupRecord}, but for what is given. */
export function restoreRecord(fields: Partial<Restore> = {}): Restore {
  return {
    id: 'rst_00000000000000000001',
    serviceId: 'svc_shop',
    service: 'shop',
    environment: 'prod',
    engine: 'postgres',
    databaseName: 'shop_prod',
    backupId: 'bak_00000000000000000001',
    mode: 'swap',
    status: 'completed',
    phase: 'done',
    requestedBy: 'usr_admin',
    startedAt: new Date('2026-05-04T09:00:00.000Z'),
    finishedAt: null,
    bytesRead: 0,
    keptDatabase: null,
    keptUntil: null,
    keptBytes: null,
    safetyBackupId: null,
    problem: null,
    ...fields,
  };
}
