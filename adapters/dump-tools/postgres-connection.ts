import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessEnv } from '../process/base-env.ts';

/** Who connects to which database, as the tools of PostgreSQL read it from their environment. */
export interface PostgresLogin {
  readonly user: string;
  readonly password: string;
}

/** The same server with another database, and another login when there is one. */
export function withDatabase(adminUri: string, database: string, login?: PostgresLogin): string {
  const uri = new URL(adminUri);
  uri.pathname = `/${encodeURIComponent(database)}`;
  if (login !== undefined) {
    uri.username = encodeURIComponent(login.user);
    uri.password = encodeURIComponent(login.password);
  }
  return uri.href;
}

/** The login of an address. */
export function loginOf(adminUri: string): PostgresLogin {
  const { username, password } = new URL(adminUri);
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** How the server is known, and the administrator to it: parameters of an address, and the variables of the tools for them. */
const TLS_VARIABLES = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
} as const;

/**
 * The variables by which `pg_dump` and `pg_restore` find the server. The password is one of them: the command line of a
 * process is shown to everybody on the machine. A name of a database stands here as it is, whatever it holds.
 */
export function toolEnv(adminUri: string, database: string, { user, password }: PostgresLogin): ProcessEnv {
  const { hostname, port, searchParams } = new URL(adminUri);
  const tls = Object.entries(TLS_VARIABLES).flatMap(([parameter, variable]) => {
    const value = searchParams.get(parameter);
    return value === null ? [] : [[variable, value] as const];
  });
  return {
    PGHOST: hostname.replace(/^\[(.*)\]$/, '$1'),
    PGPORT: port === '' ? '5432' : port,
    PGUSER: user,
    PGPASSWORD: password,
    PGDATABASE: database,
    PGAPPNAME: 'fairlead-backup',
    PGCONNECT_TIMEOUT: '10',
    // Their messages are read.
    LC_ALL: 'C',
    // No file of the home folder changes what is connected to.
    PGPASSFILE: '/dev/null',
    PGSERVICEFILE: '/dev/null',
    ...Object.fromEntries(tls),
  };
}

/** Where Debian and its kin install the programs, each major version in a folder. */
const INSTALLED = '/usr/lib/postgresql';

/** A program of the major version of the server, which refuses older ones; by its name where there is none. */
export async function findProgram(
  name: 'pg_dump' | 'pg_restore',
  major: number,
  installed = INSTALLED,
): Promise<string> {
  const path = join(installed, String(major), 'bin', name);
  try {
    await access(path, constants.X_OK);
    return path;
  } catch {
    return name;
  }
}
