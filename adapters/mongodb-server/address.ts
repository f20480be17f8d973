/** The parts of a MongoDB address, which may name several servers, so that it is no URL. */
interface Parts {
  /** `mongodb://` or `mongodb+srv://` */
  readonly scheme: string;
  /** As it is written there, with `:` between user and password; null for none. */
  readonly login: string | null;
  readonly servers: string;
  readonly database: string;
  readonly options: URLSearchParams;
}

function partsOf(uri: string): Parts {
  const match = /^(mongodb(?:\+srv)?:\/\/)(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(uri);
  const [, scheme = '', login, servers = '', database = '', query] = match ?? [];
  return { scheme, login: login ?? null, servers, database, options: new URLSearchParams(query) };
}

function written({ scheme, login, servers, options }: Parts): string {
  const query = options.toString();
  return `${scheme}${login === null ? '' : `${login}@`}${servers}/${query === '' ? '' : `?${query}`}`;
}

/**
 * The same server without a database, and who logs in is known where it was known before. What reads by it reads from the
 * primary: another member may not have yet what is to be copied.
 */
export function withoutDatabase(uri: string): string {
  const parts = partsOf(uri);
  for (const name of ['readPreference', 'readPreferenceTags', 'maxStalenessSeconds']) parts.options.delete(name);
  const { login, database, options } = parts;
  if (login !== null && !options.has('authSource')) {
    options.set('authSource', decodeURIComponent(database) || 'admin');
  }
  return written(parts);
}

/**
 * The same for the tools of MongoDB, which are told by an argument how long they look for a server: of an address some of
 * them take the milliseconds for seconds, and would look for hours.
 */
export function addressForTools(uri: string): string {
  const parts = partsOf(withoutDatabase(uri));
  parts.options.delete('serverSelectionTimeoutMS');
  return written(parts);
}

/** The same server, with nobody's credentials. */
export function withoutLogin(uri: string): string {
  return written(nobodys(uri));
}

/** The same server, with the credentials of a user of a database, who logs in by SCRAM-SHA-256. */
export function withLogin(
  uri: string,
  { user, password, database }: { readonly user: string; readonly password: string; readonly database: string },
): string {
  const parts = nobodys(withoutDatabase(uri));
  parts.options.set('authSource', database);
  parts.options.set('authMechanism', 'SCRAM-SHA-256');
  return written({ ...parts, login: `${encodeURIComponent(user)}:${encodeURIComponent(password)}` });
}

function nobodys(uri: string): Parts {
  const parts = partsOf(uri);
  for (const name of ['authSource', 'authMechanism', 'authMechanismProperties']) parts.options.delete(name);
  return { ...parts, login: null };
}

/** The password of an address, as it is and as it is written there; none for an address without one. */
export function passwordsOf(uri: string): readonly string[] {
  const password = partsOf(uri).login?.split(':').slice(1).join(':') ?? '';
  return password === '' ? [] : [...new Set([password, decodeURIComponent(password)])];
}

/** Options of the address of a server that clients of it need as well. */
export function sharedOptions(uri: string): Readonly<Record<string, string>> {
  const { options } = partsOf(uri);
  const names = ['tls', 'ssl', 'replicaSet', 'directConnection'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = options.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
