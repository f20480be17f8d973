import { createHash } from 'node:crypto';
import { keyPrefix } from '../../domain/databases/engines.ts';
import type { DatabaseLogin } from '../../domain/databases/ports.ts';

/**
 * What a user of a service may call. Categories first, then what shows or changes something of others all the same: rules
 * for keys hold for no command that names none.
 */
const COMMANDS: readonly string[] = [
  '+@all',
  '-@admin',
  '-@dangerous',
  // Queue libraries ask for the version before they begin. It shows nothing that others wrote.
  '+info',
  // Names of keys of all services, some of which are secrets, such as ids of sessions.
  ...['-scan', '-randomkey', '-dbsize', '-client|tracking'],
  // One library of functions serves all users: who replaces it has others run its code.
  ...['-function', '-fcall', '-fcall_ro'],
  // Scripts of others.
  ...['-script|flush', '-script|kill', '-script|debug'],
  // Channels of others; how many listen to one is asked with its name.
  ...['-pubsub|channels', '-pubsub|shardchannels'],
  ...['-memory', '+memory|usage'],
];

/**
 * A pattern of channels that says whose work a user is: rules have no comments. Every channel of it is of the service anyway,
 * so it gives no right.
 */
function mark(database: string): string {
  return `&${keyPrefix(database)}fairlead:made-for-a-service`;
}

/** The rules of a user, which replace all that it had. The server is told a hash in the place of the password. */
export function rulesOf(database: string, { password }: Pick<DatabaseLogin, 'password'>): string[] {
  const hash = createHash('sha256').update(password).digest('hex');
  const reach = [`~${keyPrefix(database)}*`, `&${keyPrefix(database)}*`, mark(database)];
  return ['reset', 'resetkeys', 'resetchannels', 'nocommands', 'on', `#${hash}`, ...reach, ...COMMANDS];
}

/** Whether the platform made a user of these channels for a database. */
export function isMarked(channels: string, database: string): boolean {
  return channels.split(' ').includes(mark(database));
}
