import { FairleadError } from '../errors.ts';
import { PROVIDER_CHOICE } from '../git-provider.ts';

/** Where a repository is, after checking: an address for git's HTTP transport, or a directory of this machine. */
export type GitUrl =
  | {
      readonly kind: 'http';
      /** Without credentials, query or fragment. SSH addresses are here in their https form. */
      readonly url: string;
      /** Lower case, IPv6 without brackets. */
      readonly hostname: string;
      readonly port: number;
      /** True for the git host of the platform itself (`GIT_URL`): plain http and private addresses are fine there. */
      readonly ofPlatform: boolean;
    }
  | { readonly kind: 'local' /** Absolute. */; readonly path: string };

const MAX_URL_LENGTH = 2_048;
const MAX_NAME_LENGTH = 255;
/** `user@host:path`, the short SSH form: no slash before the colon. */
const SCP_FORM = /^(?:(?<user>[^@/]*)@)?(?<host>\[[^\]]+\]|[^/:@[\]]+):(?<path>[^:].*)$/s;
const SCHEME = /^(?<scheme>[a-z][a-z0-9+.-]*):\/\//i;
const FORMS = 'use https://host/org/repo.git, git@host:org/repo.git, file:///path or an absolute path';

/**
 * Checks and classifies the address of a repository.
 *
 * Accepted: https; http only at the platform's own git host; SSH in both forms, turned into https (spec 2, "Source
 * access"); absolute local paths and `file://`. Refused: credentials inside the address, git's remote helpers
 * (`ext::…`), anything that git could read as an option, other schemes, control characters.
 *
 * @param platformGitUrl `GIT_URL`; null when there is none.
 * @throws SOURCE_REFUSED; the message never repeats the address, which may carry a secret.
 */
export function parseGitUrl(text: string, platformGitUrl: string | null): GitUrl {
  refuseOddText(text);
  const scheme = SCHEME.exec(text)?.groups?.scheme?.toLowerCase();
  if (scheme === undefined) return parseWithoutScheme(text, platformGitUrl);
  if (scheme === 'file') return parseFileUrl(text);
  if (scheme === 'ssh' || scheme === 'git+ssh') return parseSshUrl(text, platformGitUrl);
  if (scheme === 'https' || scheme === 'http') return checkHttp(parseUrl(text), platformGitUrl);
  throw refused(`Git URL: the scheme ${scheme.slice(0, 20)}:// is not supported; ${FORMS}`);
}

/**
 * A branch name as git accepts it (`git check-ref-format --branch`), with a leading `refs/heads/` taken off.
 * @throws SOURCE_REFUSED
 */
export function parseBranchName(text: string): string {
  const name = text.replace(/^refs\/heads\//, '');
  const bad =
    name === '' ||
    name.length > MAX_NAME_LENGTH ||
    name === 'HEAD' ||
    name === '@' ||
    /^[-/]|[/.]$|\/\/|\.\.|@\{|(^|\/)\.|\.lock(\/|$)/.test(name) ||
    hasControlCharacter(name) ||
    /[\s~^:?*[\\]/.test(name);
  if (bad) throw refused(`Branch ${quote(text)} is not a valid git branch name; give one such as main or release/2.1`);
  return name;
}

/**
 * A commit id in lower case: 40 or 64 hexadecimal digits, or an abbreviation of at least 7.
 * @throws SOURCE_REFUSED
 */
export function parseCommitId(text: string): string {
  if (/^([0-9a-f]{7,40}|[0-9a-f]{64})$/i.test(text)) return text.toLowerCase();
  throw refused(`Commit ${quote(text)} is not a commit id; give its 7 to 40 hexadecimal digits`);
}

function refuseOddText(text: string): void {
  if (text === '') throw refused(`Git URL is empty; ${FORMS}`);
  if (text.length > MAX_URL_LENGTH) throw refused(`Git URL is longer than ${MAX_URL_LENGTH} characters`);
  if (hasControlCharacter(text) || text !== text.trim()) {
    throw refused('Git URL contains control characters or blanks at its ends; remove them');
  }
  if (text.startsWith('-')) throw refused(`Git URL begins with a dash, which git would read as an option; ${FORMS}`);
  if (/^[a-z0-9+.-]+::/i.test(text)) throw refused(`Git URL names a git remote helper, which is not allowed; ${FORMS}`);
}

function parseWithoutScheme(text: string, platformGitUrl: string | null): GitUrl {
  if (text.startsWith('/')) return { kind: 'local', path: normalizePath(text) };
  const scp = SCP_FORM.exec(text)?.groups;
  if (scp === undefined) {
    throw refused(`Git URL is neither an address nor an absolute path; ${FORMS}`);
  }
  if (scp.user?.includes(':')) throw credentials();
  return fromSsh(scp.host ?? '', scp.path ?? '', platformGitUrl);
}

function parseSshUrl(text: string, platformGitUrl: string | null): GitUrl {
  const url = parseUrl(text.replace(/^[^:]+/, 'ssh'));
  if (url.password !== '') throw credentials();
  refuseQuery(url);
  return fromSsh(url.hostname, url.pathname, platformGitUrl);
}

/** The https form of an SSH address; at the platform's own host, the form its `GIT_URL` has. */
function fromSsh(host: string, path: string, platformGitUrl: string | null): GitUrl {
  const url = parseUrl(`https://${host}/`);
  if (url.host !== host.toLowerCase() || host.includes('@')) throw refused(`Git URL has no valid host; ${FORMS}`);
  const platform = platformGitUrl === null ? null : new URL(platformGitUrl);
  const base = platform !== null && platform.hostname === url.hostname ? platform : url;
  return checkHttp(parseUrl(`${base.origin}/${path.replace(/^\/+/, '')}`), platformGitUrl);
}

function checkHttp(url: URL, platformGitUrl: string | null): GitUrl {
  if (url.username !== '' || url.password !== '') throw credentials();
  refuseQuery(url);
  const path = url.pathname.replace(/\/+$/, '');
  if (path === '') throw refused(`Git URL names a host but no repository; ${FORMS}`);
  const ofPlatform = platformGitUrl !== null && new URL(platformGitUrl).origin === url.origin;
  if (url.protocol === 'http:' && !ofPlatform) {
    throw refused(
      'Git URL begins with http://, which is not encrypted: anybody on the way could change what is deployed. Use its https:// address; for a git host of your own that has none, start the platform with GIT_URL set to it',
    );
  }
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (!/^[a-z0-9][a-z0-9._:-]*$|^::/.test(hostname)) throw refused(`Git URL has no valid host; ${FORMS}`);
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
  return { kind: 'http', url: `${url.origin}${path}`, hostname, port, ofPlatform };
}

function parseFileUrl(text: string): GitUrl {
  const url = parseUrl(text);
  if (url.hostname !== '' && url.hostname !== 'localhost') {
    throw refused('Git URL: file:// reaches this machine only; write file:///absolute/path');
  }
  refuseQuery(url);
  const path = decodePath(url.pathname);
  if (hasControlCharacter(path)) throw refused('Git URL contains control characters; remove them');
  return { kind: 'local', path: normalizePath(path) };
}

function refuseQuery(url: URL): void {
  if (url.search !== '' || url.hash !== '') {
    throw refused(
      'Git URL has a query or a fragment; remove what follows ? or #, and give the branch as its own field',
    );
  }
}

function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw refused('Git URL has a broken percent escape in its path');
  }
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw refused(`Git URL is not a valid address; ${FORMS}`);
  return new URL(text);
}

function hasControlCharacter(text: string): boolean {
  return Array.from(text).some((character) => character < ' ' || character === '\u007f');
}

/** Names come from callers: shown short and without control characters. */
function quote(text: string): string {
  const clean = Array.from(text.slice(0, 60), (character) => (hasControlCharacter(character) ? '?' : character));
  return `"${clean.join('')}"`;
}

function credentials(): FairleadError {
  return refused(
    `Git URL carries credentials; remove them from the address (and revoke them) and give the repository a token of its own: fairlead git connect SERVICE --provider ${PROVIDER_CHOICE} --token, or GIT_TOKEN or GITHUB_TOKEN on the builder`,
  );
}

function refused(message: string): FairleadError {
  return new FairleadError('SOURCE_REFUSED', message);
}
