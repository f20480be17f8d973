import { z } from 'zod';
import type { BackedUpDatabase, ListedBackup } from '../../domain/backups/backup.ts';
import { databasesReplySchema, healthReplySchema, healthView, nightView } from '../../domain/backups/backup-schema.ts';
import { type DatabaseHealth, type HealthRecord, healthOf, summarizeHealth } from '../../domain/backups/health.ts';
import { type Night, nextNightAt } from '../../domain/backups/night.ts';
import type { BackupFilter, KnownDatabase } from '../../domain/backups/ports.ts';
import { recentRecords } from '../../domain/backups/recent-records.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { ENGINES } from '../../domain/databases/engines.ts';
import { eachItem } from '../../domain/each-item.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { requireService, visibleOrg } from '../catalog/access.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { BackupsDeps } from './deps.ts';

const tag = 'backups';
const DAY_MS = 86_400_000;
/** Of one service so many nights are shown. */
const NIGHTS_SHOWN = 90;

/** How the databases of a service, and those of all services that the caller sees, are backed up (ours, beside spec 2). */
export function healthRoutes(deps: BackupsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/services/:id/databases',
      summary: 'Databases of a service, and how they are backed up',
      tag,
      callers: BUILDER_CALLERS.viewer,
      params: z.strictObject({ id: z.string().min(1).max(64).describe('Id or name of the service') }),
      responses: { 200: { description: 'One row for each database', schema: databasesReplySchema } },
      errors: ['SERVICE_NOT_FOUND'],
      resource: ({ params }, { caller }) => requireService(deps.services, caller, params.id),
      handle: async ({ resource: service }) => ({ status: 200, data: await describeDatabases(deps, service) }),
    }),
    defineRoute({
      method: 'get',
      path: '/databases/backups/health',
      summary: 'How the backups of every database are, the worst first',
      description:
        'Of the services that the caller sees; for the platform, of every database of its servers. A database without any backup is named after 36 hours.',
      tag,
      callers: BUILDER_CALLERS.viewer,
      responses: { 200: { description: 'One row for each database', schema: healthReplySchema } },
      handle: async (_input, { caller }) => {
        const org = visibleOrg(caller);
        const { owners, records, known } = org === null ? await ofPlatform(deps) : await ofOrg(deps, org);
        const shown = await withoutDropped(deps, summarizeHealth(records, deps.now(), known));
        const databases = shown.map((health) => ({
          ...healthView(health),
          org: health.service === null ? null : (owners.get(health.service) ?? null),
        }));
        return { status: 200, data: { databases } };
      },
    }),
  ];
}

/** The database of a removed service, once it was dropped, needs no backups: only what is not healthy is looked at. */
async function withoutDropped(
  { isDropped }: BackupsDeps,
  databases: readonly DatabaseHealth[],
): Promise<readonly DatabaseHealth[]> {
  const shown: DatabaseHealth[] = [];
  for (const database of databases) {
    const isGone = database.state !== 'healthy' && database.service !== null && (await isDropped(database));
    if (!isGone) shown.push(database);
  }
  return shown;
}

async function describeDatabases(deps: BackupsDeps, service: ServiceRecord) {
  const { serviceDatabases, backups, backupNights, now } = deps;
  const ofEnvironments = await Promise.all(
    ENVIRONMENTS.map(async (environment) =>
      (await serviceDatabases.of(service, environment)).map((database) => ({ environment, ...database })),
    ),
  );
  const since = new Date(now().getTime() - NIGHTS_SHOWN * DAY_MS);
  const serviceIds = await serviceDatabases.recordedUnder([service.id]);
  const databases = ofEnvironments.flat().map(async (of) => {
    const database: BackedUpDatabase = { service: service.name, ...of };
    const filter: BackupFilter = { ...of, serviceIds };
    const found: ListedBackup[] = [];
    for await (const backup of eachItem((page) => backups.list({ ...filter, since }, page))) found.push(backup);
    const health = healthOf(database, found, now());
    return {
      ...healthView(health),
      // A manual backup may be older than what was looked at.
      lastCompletedAt: health.lastCompletedAt?.toISOString() ?? (await lastCompletedAt(deps, filter)),
      nights: found.flatMap((backup) => (isNightly(backup) ? [nightView(backup)] : [])),
    };
  });
  const nextNight = backupNights.isEnabled ? nextNightAt(now(), backupNights.hourUtc).toISOString() : null;
  const notBackedUp = (await serviceDatabases.notBackedUp(service)).map(({ engine, environment, database }) => {
    return { engine, environment, databaseName: database, reason: ENGINES[engine].notBackedUp ?? '' };
  });
  return { databases: await Promise.all(databases), notBackedUp, nextNightAt: nextNight };
}

async function lastCompletedAt({ backups }: BackupsDeps, filter: BackupFilter): Promise<string | null> {
  const { items } = await backups.list({ ...filter, statuses: ['completed'] }, { cursor: null, limit: 1 });
  return items[0]?.startedAt.toISOString() ?? null;
}

function isNightly(backup: ListedBackup): backup is ListedBackup & { readonly night: Night } {
  return backup.night !== null;
}

interface Looked {
  /** Orgs that own the services, by the names of the services. */
  readonly owners: ReadonlyMap<string, string>;
  readonly records: readonly HealthRecord[];
  /** What services have, where the platform makes backups by itself. */
  readonly known: readonly KnownDatabase[];
}

async function ofPlatform(deps: BackupsDeps): Promise<Looked> {
  const owners = new Map<string, string>();
  for await (const { name, org } of eachItem((page) => deps.services.list({ org: null }, page))) owners.set(name, org);
  return { owners, records: await recentRecords(deps), known: await knownOf(deps, null) };
}

/** By the ids of the org's services: an earlier service of the same name may have been of another org. */
async function ofOrg(deps: BackupsDeps, org: string): Promise<Looked> {
  const owners = new Map<string, string>();
  const records: HealthRecord[] = [];
  const known: KnownDatabase[] = [];
  let cursor: PageRequest['cursor'] = null;
  do {
    const page: Page<ServiceRecord> = await deps.services.list({ org }, { cursor, limit: 200 });
    for (const service of page.items) owners.set(service.name, service.org);
    const ids = page.items.map(({ id }) => id);
    const serviceIds = await deps.serviceDatabases.recordedUnder(ids);
    for (const record of await recentRecords(deps, { serviceIds })) records.push(record);
    for (const database of await knownOf(deps, ids)) known.push(database);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { owners, records, known };
}

async function knownOf(
  { serviceDatabases, backupNights }: BackupsDeps,
  serviceIds: readonly string[] | null,
): Promise<readonly KnownDatabase[]> {
  const known: KnownDatabase[] = [];
  if (!backupNights.isEnabled) return known;
  for await (const database of serviceDatabases.known(serviceIds)) known.push(database);
  return known;
}
