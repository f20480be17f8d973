import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../domain/parse-json.ts';
import { CliFailure } from '../cli-failure.ts';
import { underLock } from './file-lock.ts';

/** A login at one API. */
const loginSchema = z.object({
  issuer: z.url(),
  accessToken: z.string().min(1),
  /** ISO moment by this machine's clock. */
  expiresAt: z.iso.datetime(),
  /** Null where the provider gave none: then the login ends with its access token. */
  refreshToken: z.string().min(1).nullable(),
  identityId: z.string(),
  email: z.string().nullable(),
  loggedInAt: z.iso.datetime(),
  /** Of the stack of a checkout: which one it was; absent for others, and in files of earlier versions. */
  installation: z.string().nullish(),
});

const fileSchema = z.object({
  version: z.literal(1),
  /** The API of the last login, for commands that name none. */
  current: z.string().nullable(),
  logins: z.record(z.string(), loginSchema),
});

export type StoredLogin = z.infer<typeof loginSchema>;
type Content = z.infer<typeof fileSchema>;

/** The logins of this user on this machine, by the address of the API. Tokens leave it for that API alone. */
export interface CredentialsFile {
  readonly path: string;
  find(api: string): StoredLogin | null;
  /** The API of the last login. */
  current(): string | null;
  save(api: string, login: StoredLogin): Promise<void>;
  remove(api: string): Promise<void>;
  /** Puts what `change` makes of a login in its place; processes do so one at a time, each seeing what the last did. */
  update(api: string, change: (login: StoredLogin | null) => Promise<StoredLogin>): Promise<StoredLogin>;
}

const EMPTY: Content = { version: 1, current: null, logins: {} };

/** `$XDG_CONFIG_HOME/fairlead/credentials.json`, in `~/.config` without that variable (XDG Base Directory). */
export function credentialsPath(env: { readonly XDG_CONFIG_HOME?: string | undefined }): string {
  const { XDG_CONFIG_HOME: configured } = env;
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), '.config');
  return join(base, 'fairlead', 'credentials.json');
}

/**
 * The file, readable by its owner only and always replaced as a whole.
 * Its methods @throw CliFailure with exit `auth` when others can read it or it is damaged.
 */
export function createCredentialsFile(path: string): CredentialsFile {
  const locked = <T>(work: () => Promise<T>): Promise<T> => underLock(`${path}.lock`, work);
  return {
    path,
    find: (api) => loginAt(read(path), api),
    current: () => read(path).current,
    save: (api, login) => locked(async () => write(path, put(read(path), api, login))),
    remove: (api) =>
      locked(async () => {
        const { current, logins } = read(path);
        const { [api]: removed, ...rest } = logins;
        if (removed === undefined) return;
        if (Object.keys(rest).length === 0) rmSync(path, { force: true });
        else write(path, { version: 1, current: current === api ? null : current, logins: rest });
      }),
    update: (api, change) =>
      locked(async () => {
        const before = loginAt(read(path), api);
        const after = await change(before);
        const content = read(path);
        if (after !== before) write(path, { ...content, logins: { ...content.logins, [api]: after } });
        return after;
      }),
  };
}

function loginAt({ logins }: Content, api: string): StoredLogin | null {
  return Object.hasOwn(logins, api) ? (logins[api] ?? null) : null;
}

function put(content: Content, api: string, login: StoredLogin): Content {
  return { version: 1, current: api, logins: { ...content.logins, [api]: login } };
}

function read(path: string): Content {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return EMPTY;
  if ((stats.mode & 0o077) !== 0 && process.platform !== 'win32') {
    throw new CliFailure('CREDENTIALS_UNSAFE', `Other users of this machine can read the login in ${path}.`, {
      exit: 'auth',
      remedy: `Run \`chmod 600 ${path}\`. If others use this machine, run \`fairlead logout\` and log in again.`,
    });
  }
  const parsed = fileSchema.safeParse(parseJson(readFileSync(path, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new CliFailure('CREDENTIALS_INVALID', `${path} is damaged, or of another version.`, {
    exit: 'auth',
    remedy: `Delete it and run \`fairlead login\`.`,
  });
}

function write(path: string, content: Content): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
