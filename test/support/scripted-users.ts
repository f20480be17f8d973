import type { Answer } from './scripted-mongo.ts';

type Row = Readonly<Record<string, unknown>>;

/** What a MongoDB server knows of its databases, users and roles, without passwords: nobody logs in. */
export interface ScriptedUsers {
  readonly answer: Answer;
  readonly users: Map<string, Row>;
  readonly roles: Map<string, Row>;
  /** Names of collections, by database. */
  readonly databases: Map<string, Set<string>>;
  /** The commands, in order. */
  readonly asked: string[];
  /** What the next commands are answered with instead, by their names. */
  readonly faults: Map<string, Row>;
  /** What others do just after the next command of a name was answered, once. */
  readonly meanwhile: Map<string, () => void>;
}

const OK = { ok: 1 };
/** Those of MongoDB's own that the platform's roles and users have. */
const BUILT_IN: ReadonlySet<string> = new Set(['read', 'readWrite', 'dbAdmin', 'restore']);
const ofCode = (code: number, codeName: string): Row => ({
  ok: 0,
  code,
  codeName,
  errmsg: `${codeName} of the script`,
});

/**
 * Answers the commands by which databases, users and roles are administered as the manual of MongoDB 7.0 says ("User
 * Management Commands", "Role Management Commands"). It refuses what would need a login: whoever asks for users of `admin`.
 */
export function createScriptedUsers(): ScriptedUsers {
  const users = new Map<string, Row>();
  const roles = new Map<string, Row>();
  const databases = new Map<string, Set<string>>();
  const asked: string[] = [];
  const faults = new Map<string, Row>();
  const meanwhile = new Map<string, () => void>();
  const set = (rows: Map<string, Row>, key: string, row: Row, isNew: boolean, [code, name]: [number, string]): Row => {
    if (rows.has(key) === isNew) return ofCode(code, name);
    rows.set(key, { ...rows.get(key), ...row });
    return OK;
  };
  const taken = (rows: Map<string, Row>, key: string, [code, name]: [number, string]): Row =>
    rows.delete(key) ? OK : ofCode(code, name);
  const found = (rows: Map<string, Row>, key: string): Row[] => [rows.get(key) ?? []].flat() as Row[];
  /** One by its name, or all of a database for 1. */
  const told = (rows: Map<string, Row>, db: string, asked: unknown, name: string): Row[] =>
    asked === 1
      ? [...rows].filter(([key]) => key.startsWith(`${db}.`)).map(([, row]) => row)
      : found(rows, `${db}.${(asked as Row)[name]}`);
  /** Runs a command whose roles are all there. */
  const withRoles = (given: unknown, run: () => Row): Row => {
    const named = (given as readonly Partial<Record<'role' | 'db', string>>[]).filter(({ role }) => role !== undefined);
    const isThere = ({ role = '', db }: (typeof named)[number]) => BUILT_IN.has(role) || roles.has(`${db}.${role}`);
    return named.every(isThere) ? run() : ofCode(31, 'RoleNotFound');
  };
  const commands: Readonly<Record<string, (command: Row, db: string) => Row>> = {
    usersInfo: ({ usersInfo }, db) => {
      if (db === 'admin') return ofCode(13, 'Unauthorized');
      return { ...OK, users: told(users, db, usersInfo, 'user') };
    },
    createUser: ({ createUser, roles: given, customData }, db) =>
      withRoles(given, () => {
        const row = { user: createUser, roles: given, customData };
        return set(users, `${db}.${createUser}`, row, true, [51_003, 'Location51003']);
      }),
    updateUser: ({ updateUser, roles: given, customData }, db) =>
      withRoles(given, () =>
        set(users, `${db}.${updateUser}`, { roles: given, customData }, false, [11, 'UserNotFound']),
      ),
    dropUser: ({ dropUser }, db) => taken(users, `${db}.${dropUser}`, [11, 'UserNotFound']),
    rolesInfo: ({ rolesInfo }, db) => ({ ...OK, roles: told(roles, db, rolesInfo, 'role') }),
    createRole: ({ createRole, roles: given, privileges }, db) =>
      set(roles, `${db}.${createRole}`, { role: createRole, roles: given, privileges }, true, [
        51_002,
        'Location51002',
      ]),
    updateRole: ({ updateRole, roles: given, privileges }, db) =>
      withRoles(given, () =>
        set(roles, `${db}.${updateRole}`, { roles: given, privileges }, false, [31, 'RoleNotFound']),
      ),
    dropRole: ({ dropRole }, db) => {
      // Also from whoever has it: users, and other roles.
      for (const rows of [users, roles]) {
        for (const [key, row] of rows) {
          const left = (row.roles as readonly Row[]).filter(({ role, db: of }) => role !== dropRole || of !== db);
          rows.set(key, { ...row, roles: left });
        }
      }
      return taken(roles, `${db}.${dropRole}`, [31, 'RoleNotFound']);
    },
    killAllSessions: () => OK,
    listCollections: (_, db) =>
      cursor(
        db,
        '$cmd.listCollections',
        [...(databases.get(db) ?? [])].map((name) => ({ name })),
      ),
    listDatabases: () => ({ ...OK, databases: [...databases.keys()].map((name) => ({ name, sizeOnDisk: 8_192 })) }),
    dropDatabase: (_, db) => {
      databases.delete(db);
      return OK;
    },
    find: ({ find }, db) => cursor(db, String(find), []),
  };
  const answer: Answer = (command) => {
    const [name = ''] = Object.keys(command);
    asked.push(name);
    const fault = faults.get(name);
    if (fault !== undefined) return fault;
    const answered =
      commands[name]?.(command, String(command.$db)) ?? (name === 'endSessions' ? OK : ofCode(59, 'CommandNotFound'));
    const happens = meanwhile.get(name);
    meanwhile.delete(name);
    happens?.();
    return answered;
  };
  return { answer, users, roles, databases, asked, faults, meanwhile };
}

function cursor(db: string, collection: string, firstBatch: readonly Row[]): Row {
  return { ...OK, cursor: { id: 0n, ns: `${db}.${collection}`, firstBatch } };
}
