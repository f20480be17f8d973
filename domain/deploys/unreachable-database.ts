import { DATABASE_ENGINES, type DatabaseEngine, databaseVariables } from '../databases/engines.ts';
import type { FailureClass } from './failure-class.ts';

/** Connections to the ports that databases have, and what their drivers print of one that does not answer. */
const DATABASE =
  /(?:ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)[^\n]*?\b(?:[\w.-]+:(?:5432|3306|27017|6379|9042|7687|1433)\b|\w*(?:db|mongo|postgres|mysql|redis)\w*)|MongoServerSelectionError|MongoNetworkError|Can't reach database server at |SequelizeConnection\w*Error|SequelizeHostNotFoundError|MaxRetriesPerRequestError|could not (?:connect to server|translate host name)/i;

/** What an output says of an engine: its name, or the usual port of its servers. */
const NAMED: Readonly<Record<DatabaseEngine, RegExp>> = {
  mongodb: /mongo|:27017\b/i,
  postgres: /postgres|:5432\b/i,
  redis: /redis|MaxRetriesPerRequest|:6379\b/i,
  neo4j: /neo4j|:7687\b/i,
};

const YOURS =
  'set the address of yours, for example with --secret DATABASE_URL; for one in your network the operator names it in WORKLOAD_NETWORKS.';

/** A service that waits in vain for its database: on its own machine, as in development, or by its name in a compose file. */
export const UNREACHABLE_DATABASE: FailureClass = {
  printed: DATABASE,
  remedies: {
    start: (found, known) => {
      const line = lineOf(found);
      const why = whereItLooks(line);
      if (why === null) {
        return 'Its database does not answer: check the address you set; for one in your network the operator names it in WORKLOAD_NETWORKS.';
      }
      const engine = DATABASE_ENGINES.find((one) => NAMED[one].test(line));
      if (engine === undefined) return `${why}: ${YOURS}`;
      const [variable] = databaseVariables(engine);
      if (known?.given.includes(engine))
        return `${why}: connect by the address in ${variable}, which the platform has set.`;
      // Declared, and not given: a warning of the build says that the installation has no server.
      if (known?.declared.includes(engine)) return `${why}: ${YOURS}`;
      const declare = `declare it in catalog-info.yaml (spec.databases: \`- type: ${engine}\`), and read its address from ${variable}`;
      return `${why}: ${declare}; or ${YOURS}`;
    },
    build: () => 'The build connects to a database, and builds reach none: connect when the service starts.',
  },
};

/** A place where no database of a service is; null for one that may be right. */
function whereItLooks(line: string): string | null {
  if (/127\.0\.0\.1|::1|localhost/.test(line))
    return 'It looks for its database on localhost, which is its own container';
  const name = /(?:ENOTFOUND|EAI_AGAIN|translate host name)\s+"?([\w-]{1,40})(?![\w.-])/.exec(line)?.[1];
  return name === undefined ? null : `It looks for its database by the name ${name}, which no machine has here`;
}

/** The whole line in which it was found. */
function lineOf({ input, index }: RegExpExecArray): string {
  const end = input.indexOf('\n', index);
  return input.slice(input.lastIndexOf('\n', index) + 1, end === -1 ? undefined : end);
}
