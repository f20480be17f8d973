import type { SecretContext } from '../config/ports.ts';
import type { SealedSecret } from '../config/sealed-secret.ts';
import type { HttpCheck } from './check-kinds.ts';

/**
 * A value of an org that its checks send as a header, to the hosts that it is for and to no other: whoever may add a check, and so
 * point it at a server of their own, does not read the value by that. It is set as a whole, hosts and value, and never given out.
 */
export interface CheckSecret {
  readonly name: string;
  /** As in an address: `api.example.com`, or with a port that is not the usual one. */
  readonly hosts: readonly string[];
  readonly sealed: SealedSecret;
  readonly setAt: Date;
  readonly setBy: string;
}

/** All of an org: one record, so that their number has a limit whoever adds at once. */
export interface OrgSecrets {
  readonly org: string;
  readonly secrets: readonly CheckSecret[];
  /** One more with each change. */
  readonly revision: number;
}

/** Secrets of one org. */
export const MOST_SECRETS = 50;
export const MOST_SECRET_HOSTS = 10;
export const MOST_SECRET_CHARACTERS = 4_096;

/** Where a value belongs: it opens for its org, name and hosts alone, so that nobody who edits the database sends it elsewhere. */
export function checkSecretContext(org: string, { name, hosts }: Pick<CheckSecret, 'name' | 'hosts'>): SecretContext {
  return { service: `monitors/${org}`, key: JSON.stringify([name, ...hosts]) };
}

/**
 * Why a secret is not sent to an address; null: it is. It goes by https alone, which says that the host is the one that is meant;
 * plain http is for the platform's own addresses, whose way to the router is the platform's.
 * @param isPlatformHost whether the platform itself gives addresses there
 */
export function sendingProblem(
  { name, hosts }: Pick<CheckSecret, 'name' | 'hosts'>,
  { url }: Pick<HttpCheck, 'url'>,
  isPlatformHost: (host: string) => boolean,
): string | null {
  const { host, hostname, protocol } = new URL(url);
  if (!hosts.includes(host)) return `the secret ${name} is not for ${host}, only for ${hosts.join(', ')}`;
  if (protocol === 'https:' || isPlatformHost(hostname)) return null;
  return `the secret ${name} is sent by https, and by plain http to addresses of the platform alone`;
}

/** The secrets of an org with one of them set; null where the org has as many as it may have. */
export function withSecret(known: OrgSecrets, secret: CheckSecret): OrgSecrets | null {
  const others = known.secrets.filter(({ name }) => name !== secret.name);
  if (others.length >= MOST_SECRETS) return null;
  const secrets = [...others, secret].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { ...known, secrets, revision: known.revision + 1 };
}

/** Without one of them. */
export function withoutSecret(known: OrgSecrets, name: string): OrgSecrets {
  return { ...known, secrets: known.secrets.filter((each) => each.name !== name), revision: known.revision + 1 };
}
