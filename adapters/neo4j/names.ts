import { databaseUsers, parseDatabaseName } from '../../domain/databases/database-name.ts';
import { graphName } from '../../domain/databases/engines.ts';

const PREFIX = 'fairlead_';

/** The role of a database's users: by it the platform knows what it made. Roles have letters, digits and underscores. */
export function roleName(database: string): string {
  return `${PREFIX}${database.replaceAll('-', '__')}`;
}

/** A name as Cypher takes it. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

/** The database of a graph; null for a graph of another name than a service's has. */
export function databaseOfGraph(graph: string): string | null {
  const match = /^service-(.+)-([a-z]+)$/.exec(graph);
  const database = match === null ? '' : `${match[1]}_${match[2]}`;
  return parseDatabaseName(database) !== null && graphName(database) === graph ? database : null;
}

/** @throws RangeError */
export function requireUser(database: string, user: string): void {
  requirePlain(database);
  if (!databaseUsers(database).includes(user)) throw new RangeError(`${user} is no user of ${database}`);
}

/** @throws RangeError for a name that no service has */
export function requirePlain(database: string): void {
  if (!/^[a-z0-9-]+_[a-z]+$/.test(database)) throw new RangeError(`${database} is no name of a service's database`);
}
