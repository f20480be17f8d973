import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { CliEnv } from '../adapters/env.ts';
import { parseJson } from '../domain/parse-json.ts';
import type { ServiceUrls } from '../domain/service-addresses.ts';
import type { ServiceName } from '../domain/services.ts';
import { CliFailure } from './cli-failure.ts';
import type { CredentialsFile, StoredLogin } from './login/credentials-file.ts';

/** What the API knows the caller by: a key of the installation, or a person's login. */
export type Credential =
  | { readonly kind: 'key'; readonly key: string; readonly source: 'environment' | 'checkout' }
  | { readonly kind: 'login'; readonly login: StoredLogin };

/** Where the builder API is and what it is shown. */
export interface Connection {
  /** Base URL without a trailing slash. */
  readonly api: string;
  /** Null when there is none: `fairlead login` works without. */
  readonly credential: Credential | null;
  /**
   * A service beside that API, where it is known: by its variable (FAIRLEAD_AUDIT_URL), else of the stack that runs from
   * this checkout.
   */
  service(name: OtherService): ServiceAddress | null;
  /** Address of the Temporal UI, where a running stack told it. */
  readonly temporalUi: string | null;
  /** Tells the stack of this checkout from any other at its address; null where the API is another one. */
  readonly installation: string | null;
  /** True where the login that is kept for the address was made at another installation, and is not used. */
  readonly hasForeignLogin: boolean;
}

/** The builder's API is what a connection is to. */
export type OtherService = Exclude<ServiceName, 'builder'>;

export interface ServiceAddress {
  readonly url: string;
  /** True for a service of this checkout's own stack. */
  readonly ofCheckout: boolean;
}

/** What `npm start` leaves behind for the command line, readable by its owner only. */
const connectionFile = z.looseObject({
  api: z.url(),
  key: z.string().min(1),
  edgePort: z.number().int().optional(),
  domain: z.string().optional(),
  /** Base addresses by the service's name. */
  services: z.record(z.string(), z.url()).optional(),
  /** Of the ledger, as versions before 0.2 told it. */
  audit: z.url().nullish(),
  temporalUi: z.url().nullish(),
});

type ConnectionFile = z.infer<typeof connectionFile>;

/**
 * The API to speak to: `--api-url`, else FAIRLEAD_URL, else the stack that runs from this checkout, else the API of the
 * last login. What it is shown: FAIRLEAD_KEY, else the login there, else the key of this checkout's stack. A login or a
 * key of a file is only ever sent to the address it is kept for, and a login not to another stack at that address.
 *
 * @param root the package root; the `connection.json` of its data folder is read (FAIRLEAD_DATA_DIR, else `.fairlead`).
 * @throws CliFailure with exit `auth` or `unreachable`
 */
export function resolveConnection(
  env: CliEnv,
  apiUrl: string | undefined,
  root: string,
  logins: Pick<CredentialsFile, 'find' | 'current'>,
): Connection {
  const path = join(resolve(env.FAIRLEAD_DATA_DIR ?? join(root, '.fairlead')), 'connection.json');
  const named = apiUrl ?? env.FAIRLEAD_URL;
  const { FAIRLEAD_KEY: key } = env;
  if (named !== undefined && key !== undefined) {
    const credential = { kind: 'key', key, source: 'environment' } as const;
    const other = { temporalUi: null, installation: null, hasForeignLogin: false };
    return { api: baseUrl(named), credential, service: serviceLookUp(env, null), ...other };
  }
  const file = readConnectionFile(path);
  const api = named ?? file?.api ?? logins.current();
  if (api === null) {
    throw new CliFailure('NO_CONNECTION', `No builder API is known: there is no ${path}.`, {
      exit: 'unreachable',
      remedy:
        'Start the stack with `npm start`; if it has another data folder, set FAIRLEAD_DATA_DIR here as well. ' +
        'For an API that runs elsewhere, run `fairlead login --api-url <url>`.',
    });
  }
  const own = file !== null && baseUrl(file.api) === baseUrl(api) ? file : null;
  const installation = own === null ? null : installationOf(own);
  const kept = logins.find(baseUrl(api));
  const isForeign = installation !== null && kept?.installation != null && kept.installation !== installation;
  const credential = credentialFor({ key, login: isForeign ? null : kept, file: own });
  return {
    api: baseUrl(api),
    credential,
    service: serviceLookUp(env, own),
    temporalUi: file?.temporalUi ?? null,
    installation,
    hasForeignLogin: isForeign && key === undefined,
  };
}

/** Each installation generates a key of its own; from this one nobody finds it out. */
function installationOf({ key }: ConnectionFile): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

function serviceLookUp({ serviceUrls: named }: CliEnv, file: ConnectionFile | null): Connection['service'] {
  const kept: ServiceUrls =
    file === null ? {} : { ...(file.audit == null ? {} : { 'audit-ledger': file.audit }), ...file.services };
  return (name) => {
    const ofCheckout = kept[name] === undefined ? null : baseUrl(kept[name]);
    const url = named[name] ?? ofCheckout;
    return url === null ? null : { url, ofCheckout: url === ofCheckout };
  };
}

function credentialFor(from: {
  key: string | undefined;
  login: StoredLogin | null;
  file: ConnectionFile | null;
}): Credential | null {
  if (from.key !== undefined) return { kind: 'key', key: from.key, source: 'environment' };
  if (from.login !== null) return { kind: 'login', login: from.login };
  return from.file === null ? null : { kind: 'key', key: from.file.key, source: 'checkout' };
}

function readConnectionFile(path: string): ConnectionFile | null {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return null;
  if ((mode & 0o077) !== 0 && process.platform !== 'win32') {
    throw new CliFailure('CONNECTION_UNSAFE', `Other users of this machine can read the key in ${path}.`, {
      exit: 'auth',
      remedy: `Run \`chmod 600 ${path}\`. If others use this machine, delete it and run \`npm start\` for a new key.`,
    });
  }
  const parsed = connectionFile.safeParse(parseJson(readFileSync(path, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new CliFailure('CONNECTION_INVALID', `${path} is not a connection file: ${z.prettifyError(parsed.error)}`, {
    exit: 'unreachable',
    remedy: 'Delete it and run `npm start`, which writes it anew.',
  });
}

function baseUrl(url: string): string {
  return url.replace(/\/+$/, '');
}
