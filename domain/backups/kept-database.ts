import type { DatabaseEngine } from '../databases/engines.ts';
import type { DatabaseRecord } from '../databases/record.ts';
import type { Environment } from '../environment.ts';
import type { Restore } from './restore.ts';

/** A database that no workload uses any more, and that is kept for a time before it is dropped. */
export interface KeptDatabase {
  /** `rst_…` of the restore that kept it, or `<engine>.<database>` of a removed service. */
  readonly id: string;
  readonly engine: DatabaseEngine;
  /** Its name on the server. */
  readonly databaseName: string;
  /** The database whose place another one took; its own name where its service was removed. */
  readonly of: string;
  readonly service: string | null;
  readonly environment: Environment | null;
  /** Slug of the org that has it; null where nobody has it any more. */
  readonly org: string | null;
  readonly because: 'restore' | 'service-removed';
  /** When it was kept; null where the server does not tell. */
  readonly bytes: number | null;
  readonly keptUntil: Date;
  /** `dropping`: its time has come. */
  readonly state: 'kept' | 'dropping';
}

export function keptDatabaseId({ engine, database }: Pick<DatabaseRecord, 'engine' | 'database'>): string {
  return `${engine}.${database}`;
}

/** Null for one that a service has. */
export function keptOfService(record: DatabaseRecord, now: Date): KeptDatabase | null {
  const { engine, database, service, environment, org, state, dropAfter, keptBytes, consumes } = record;
  if (state === 'active' || dropAfter === null || consumes !== null) return null;
  return {
    ...{ id: keptDatabaseId(record), engine, databaseName: database, of: database, service, environment, org },
    ...{ because: 'service-removed', bytes: keptBytes, keptUntil: dropAfter },
    state: state === 'dropping' || dropAfter <= now ? 'dropping' : 'kept',
  };
}

/**
 * Null for a restore that keeps none, or that runs.
 * @param owner who has the database that was restored; null for nobody, or for a later service that has nothing of this one
 */
export function keptOfRestore(
  restore: Restore,
  owner: Pick<DatabaseRecord, 'org'> | null,
  now: Date,
): KeptDatabase | null {
  const { id, engine, databaseName, keptDatabase, keptUntil, keptBytes, service, environment, status } = restore;
  if (keptDatabase === null || keptUntil === null || status === 'running') return null;
  return {
    ...{ id, engine, databaseName: keptDatabase, of: databaseName, service, environment, org: owner?.org ?? null },
    ...{ because: 'restore', bytes: keptBytes, keptUntil, state: keptUntil <= now ? 'dropping' : 'kept' },
  };
}
