import { createHash } from 'node:crypto';
import { databaseUsers } from '../../domain/databases/database-name.ts';
import { keyPrefix } from '../../domain/databases/engines.ts';
import type { DatabaseLogin, ListedUser } from '../../domain/databases/ports.ts';

/** Whose keys a user reaches. */
export type KeySpace = Pick<ListedUser, 'database' | 'generation'>;

const MARK = 'fairlead:made-for-a-service';

/**
 * A pattern of channels that says whose work a user is: rules have no comments. Every channel of it is of the service anyway,
 * so it gives no right.
 */
function mark({ database, generation }: KeySpace): string {
  return `&${keyPrefix(database, generation)}${MARK}`;
}

/**
 * The rules of a user, which replace all that it had. The server is told a hash in the place of the password.
 * @param commands those that allow commands
 */
export function rulesOf(
  space: KeySpace,
  { password }: Pick<DatabaseLogin, 'password'>,
  commands: readonly string[],
): string[] {
  const prefix = keyPrefix(space.database, space.generation);
  const hash = createHash('sha256').update(password).digest('hex');
  const reach = [`~${prefix}*`, `&${prefix}*`, mark(space)];
  return ['reset', 'resetkeys', 'resetchannels', 'nocommands', 'on', `#${hash}`, ...reach, ...commands];
}

/** Whose keys a user reaches that the platform made; null for another one. @param rules its channels at least, as the server lists them */
export function spaceOf(user: string, rules: string): KeySpace | null {
  for (const rule of rules.split(' ')) {
    const [, database, generation = null] =
      /^&([a-z0-9_-]+)(?:\.([0-9a-f]{12}))?:fairlead:made-for-a-service$/.exec(rule) ?? [];
    if (database !== undefined && databaseUsers(database).includes(user)) return { database, generation };
  }
  return null;
}
