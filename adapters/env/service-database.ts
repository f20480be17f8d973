import type { ServiceRow } from '../../domain/services.ts';
import { type EnvSource, readTogether, readVariable } from '../read-variables.ts';
import { mongoSection } from './platform.ts';
import { mongodbUri } from './variable-kinds.ts';

/** Where a service's data is. */
export interface ServiceDatabase {
  readonly uri: string;
  /** Goes before the database that the address names; undefined: that one. */
  readonly database: string | undefined;
}

/** What the table says of the database of a service that has one. */
export type StoringRow = Pick<ServiceRow, 'databaseUriVariable'> & { readonly database: string };

/** Whether a service keeps anything. */
export function hasDatabase<Row extends Pick<ServiceRow, 'database'>>(row: Row): row is Row & { database: string } {
  return row.database !== null;
}

/**
 * The database of a service: at the address of its own variable, which names it; else by its name on the server of
 * MONGODB_URI. A service without such a variable has the database that MONGODB_URI names.
 * @throws VALIDATION_FAILED
 */
export function readServiceDatabase({ database, databaseUriVariable }: StoringRow, source: EnvSource): ServiceDatabase {
  const { platform, own } = readTogether({
    platform: () => readVariable('MONGODB_URI', mongoSection.MONGODB_URI, source),
    own: () =>
      databaseUriVariable === null ? undefined : readVariable(databaseUriVariable, mongodbUri.optional(), source),
  });
  if (own !== undefined) return { uri: own, database: undefined };
  return { uri: platform, database: databaseUriVariable === null ? undefined : database };
}
