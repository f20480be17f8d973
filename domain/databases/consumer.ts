import { createHash } from 'node:crypto';
import { CONSUMED_ENGINES, type ConsumedEngine, DATABASE_ACCESS, type DatabaseAccessKind } from '../catalog/catalog.ts';
import { type DatabaseRecord, databaseId } from './record.ts';

/** A database of another service that a release was given a login of. */
export interface ConsumedDatabase {
  readonly engine: ConsumedEngine;
  readonly access: DatabaseAccessKind;
  /** Name of the service that has the database. */
  readonly service: string;
  readonly serviceId: string;
}

/** As grants name it: `database/postgres:read`. No service has such a scope of its own, as no name of one has a slash. */
export function databaseScope({ engine, access }: { readonly engine: string; readonly access: string }): string {
  return `database/${engine}:${access}`;
}

const SCOPES: ReadonlySet<string> = new Set(
  CONSUMED_ENGINES.flatMap((engine) => DATABASE_ACCESS.map((access) => databaseScope({ engine, access }))),
);

/** Whether a scope of a grant is about a database: it is none of the holder's OAuth client. */
export function isDatabaseScope(scope: string): boolean {
  return SCOPES.has(scope);
}

const KEY = /^[a-z2-7]{10}$/;

/** Tells who uses a database, and how, from all others that do: 50 bits of the service's id, which no later service has. */
function consumerKey(serviceId: string, access: DatabaseAccessKind): string {
  const digest = createHash('sha256').update(`${serviceId}/${access}`).digest();
  return Array.from(digest.subarray(0, 10), (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte % 32]).join('');
}

export function consumerId(
  engine: ConsumedEngine,
  database: string,
  { serviceId, access }: { readonly serviceId: string; readonly access: DatabaseAccessKind },
): string {
  return `${databaseId(engine, database)}/${consumerKey(serviceId, access)}`;
}

/** What the users of a record are called, but for their turn: `shop_prod`, or `shop_prod_abcdefghij` of who uses that as well. */
export function userBase({ id, database, consumes }: Pick<DatabaseRecord, 'id' | 'database' | 'consumes'>): string {
  return consumes === null ? database : `${database}_${id.slice(id.lastIndexOf('/') + 1)}`;
}

/** Whether a user of a database is one of a service that uses it beside its own. */
export function isConsumerUser(database: string, user: string): boolean {
  const [key, turn, ...rest] = user.startsWith(`${database}_`) ? user.slice(database.length + 1).split('_') : [];
  return key !== undefined && KEY.test(key) && (turn === 'a' || turn === 'b') && rest.length === 0;
}

/**
 * The variable that holds the address of another service's database, `SHOP_POSTGRES_URI`. Names of services have no
 * underscores, so no two databases have the same one, and addresses of dependencies end in `_URL`.
 */
export function consumedVariable({ service, engine }: Pick<ConsumedDatabase, 'service' | 'engine'>): string {
  const name = `${service.toUpperCase().replaceAll('-', '_')}_${engine.toUpperCase()}_URI`;
  return /^\d/.test(name) ? `_${name}` : name;
}
