/** What a Neo4j server of the Enterprise Edition knows, as far as the platform's statements go. */

export interface Answer {
  readonly fields: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** An error with Neo4j's code for it. */
export class Neo4jFailure extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface User {
  password: string;
  home: string | null;
  readonly roles: Set<string>;
}

interface Connection {
  readonly id: string;
  user: string | null;
  readonly end: () => void;
}

type Parameters = Readonly<Record<string, unknown>>;

export const ADMIN = { user: 'neo4j', password: 'password-of-the-administrator' } as const;

const NOTHING: Answer = { fields: [], rows: [] };
const UNSUPPORTED = 'Neo.ClientError.Statement.UnsupportedAdministrationCommand';
const UNAUTHORIZED = 'Neo.ClientError.Security.Unauthorized';
const COMMUNITY_KNOWS = /^(?:CALL|SHOW (?:USERS|DATABASES))/;

export type Neo4jState = ReturnType<typeof createNeo4jState>;

export function createNeo4jState({
  edition = 'enterprise',
  asksForPasswords = true,
}: {
  readonly edition?: 'community' | 'enterprise';
  readonly asksForPasswords?: boolean;
}) {
  const users = new Map<string, User>([
    [ADMIN.user, { password: ADMIN.password, home: null, roles: new Set(['admin']) }],
  ]);
  const roles = new Map<string, Set<string>>([['admin', new Set()]]);
  const graphs = new Map<string, unknown[]>([
    ['system', []],
    ['neo4j', []],
  ]);
  const connections = new Map<string, Connection>();
  const statements: string[] = [];
  let made = 0;
  const column = (field: string, values: Iterable<unknown>): Answer => ({
    fields: [field],
    rows: [...values].map((value) => [value]),
  });

  /** What each member answers to a statement that waits; empty for Cypher 25, which answers without rows. */
  const members = new Map([['localhost:7687', 'CaughtUp']]);
  const status = { current: 'online' };
  const waited = (): Answer => ({
    fields: ['address', 'state', 'message', 'success'],
    rows: [...members].map(([address, state]) => [address, state, '', state === 'CaughtUp']),
  });
  const commands: readonly (readonly [RegExp, (names: readonly string[], given: Parameters) => Answer])[] = [
    [/^CALL dbms\.components\(\) YIELD edition$/, () => column('edition', [edition])],
    [/^SHOW ROLES YIELD role$/, () => column('role', roles.keys())],
    [/^SHOW DATABASES YIELD name$/, () => column('name', graphs.keys())],
    [
      /^SHOW DATABASES YIELD name, currentStatus$/,
      () => ({ fields: ['name', 'currentStatus'], rows: [...graphs.keys()].map((name) => [name, status.current]) }),
    ],
    [
      /^SHOW USERS YIELD user, home$/,
      () => ({ fields: ['user', 'home'], rows: [...users].map(([name, { home }]) => [name, home]) }),
    ],
    [
      /^CALL dbms\.listConnections\(\) YIELD connectionId, username$/,
      () => ({
        fields: ['connectionId', 'username'],
        rows: [...connections.values()].map(({ id, user }) => [id, user]),
      }),
    ],
    [
      /^CALL dbms\.killConnections\(\$ids\)$/,
      (_names, { ids }) => {
        for (const id of ids as string[]) connections.get(id)?.end();
        return NOTHING;
      },
    ],
    [
      /^CREATE ROLE `([^`]+)` IF NOT EXISTS$/,
      ([role = '']) => {
        if (!/^[a-zA-Z0-9_]+$/.test(role))
          throw new Neo4jFailure('Neo.ClientError.Statement.ArgumentError', `role name ${role}`);
        if (!roles.has(role)) roles.set(role, new Set());
        return NOTHING;
      },
    ],
    [
      /^DROP ROLE `([^`]+)` IF EXISTS$/,
      ([role = '']) => {
        roles.delete(role);
        for (const user of users.values()) user.roles.delete(role);
        return NOTHING;
      },
    ],
    [
      /^CREATE DATABASE `([^`]+)` IF NOT EXISTS WAIT 60 SECONDS$/,
      ([graph = '']) => {
        if (!/^(?!system)[a-z][a-z0-9.-]{2,62}$/.test(graph)) {
          throw new Neo4jFailure('Neo.ClientError.Statement.ArgumentError', `database name ${graph}`);
        }
        if (!graphs.has(graph)) graphs.set(graph, []);
        return waited();
      },
    ],
    [
      /^DROP DATABASE `([^`]+)` IF EXISTS DESTROY DATA WAIT 60 SECONDS$/,
      ([graph = '']) => {
        graphs.delete(graph);
        for (const rights of roles.values()) rights.delete(graph);
        return waited();
      },
    ],
    [
      /^GRANT ACCESS ON DATABASE `([^`]+)` TO `([^`]+)`$/,
      ([graph = '', role = '']) => {
        roles.get(role)?.add(graph);
        return NOTHING;
      },
    ],
    [/^GRANT (?:MATCH \{\*\}|WRITE) ON GRAPH `[^`]+` TO `[^`]+`$/, () => NOTHING],
    [/^GRANT (?:NAME|INDEX|CONSTRAINT) MANAGEMENT ON DATABASE `[^`]+` TO `[^`]+`$/, () => NOTHING],
    [/^DENY LOAD ON ALL DATA TO `[^`]+`$/, () => NOTHING],
    [
      /^CREATE USER `([^`]+)` IF NOT EXISTS SET PLAINTEXT PASSWORD \$password SET PASSWORD CHANGE NOT REQUIRED SET HOME DATABASE `([^`]+)`$/,
      ([name = '', home = ''], { password }) => {
        if (!users.has(name)) users.set(name, { password: String(password), home, roles: new Set() });
        return NOTHING;
      },
    ],
    [
      /^ALTER USER `([^`]+)` SET STATUS ACTIVE SET HOME DATABASE `([^`]+)`$/,
      ([name = '', home = '']) => {
        userOf(name).home = home;
        return NOTHING;
      },
    ],
    [
      /^ALTER USER `([^`]+)` SET PLAINTEXT PASSWORD \$password SET PASSWORD CHANGE NOT REQUIRED$/,
      ([name = ''], { password }) => {
        const user = userOf(name);
        if (user.password === password) {
          const text = `Failed to alter the specified user '${name}': Old password and new password cannot be the same.`;
          throw new Neo4jFailure('Neo.ClientError.Statement.ArgumentError', text);
        }
        user.password = String(password);
        return NOTHING;
      },
    ],
    [
      /^GRANT ROLE `([^`]+)` TO `([^`]+)`$/,
      ([role = '', name = '']) => {
        userOf(name).roles.add(role);
        return NOTHING;
      },
    ],
    [
      /^DROP USER `([^`]+)` IF EXISTS$/,
      ([name = '']) => {
        users.delete(name);
        return NOTHING;
      },
    ],
  ];

  function userOf(name: string): User {
    const user = users.get(name);
    if (user === undefined) throw new Neo4jFailure('Neo.ClientError.Statement.EntityNotFound', `no user ${name}`);
    return user;
  }

  function administer(text: string, given: Parameters): Answer {
    statements.push(text);
    if (edition === 'community' && !COMMUNITY_KNOWS.test(text)) throw new Neo4jFailure(UNSUPPORTED, text);
    for (const [pattern, run] of commands) {
      const match = pattern.exec(text);
      if (match !== null) return run(match.slice(1), given);
    }
    throw new Neo4jFailure('Neo.ClientError.Statement.SyntaxError', `Invalid input: ${text}`);
  }

  function work(user: User, graph: string, text: string, { value }: Parameters): Answer {
    const nodes = graphs.get(graph);
    if (nodes === undefined || ![...user.roles].some((role) => roles.get(role)?.has(graph))) {
      throw new Neo4jFailure('Neo.ClientError.Database.DatabaseNotFound', `Graph not found: ${graph}`);
    }
    if (text === 'CREATE (:Note {value: $value})') {
      nodes.push(value);
      return NOTHING;
    }
    return column('value', nodes);
  }

  return {
    users,
    roles,
    graphs,
    members,
    status,
    /** Every one that an administrator gave, without its parameters. */
    statements,
    connect(end: () => void) {
      made += 1;
      const connection: Connection = { id: `bolt-${made}`, user: null, end };
      connections.set(connection.id, connection);
      return {
        id: connection.id,
        close: () => void connections.delete(connection.id),
        login({
          scheme,
          principal = '',
          credentials,
        }: {
          scheme?: string;
          principal?: string;
          credentials?: string;
        }): void {
          if (scheme === 'none' && !asksForPasswords) return;
          if (scheme !== 'basic' || users.get(principal)?.password !== credentials) {
            throw new Neo4jFailure(UNAUTHORIZED, 'The client is unauthorized due to authentication failure.');
          }
          connection.user = principal;
        },
        run(graph: string, text: string, given: Parameters): Answer {
          const user = connection.user === null ? undefined : users.get(connection.user);
          if (user === undefined) throw new Neo4jFailure(UNAUTHORIZED, 'nobody');
          if (graph !== 'system') return work(user, graph, text, given);
          if (user.roles.has('admin')) return administer(text, given);
          throw new Neo4jFailure('Neo.ClientError.Security.Forbidden', 'Permission denied.');
        },
      };
    },
  };
}
