import type { GitUrl } from '../../domain/deploys/git-url.ts';
import { type ErrorCode, FairleadError } from '../../domain/errors.ts';
import { PROVIDER_CHOICE } from '../../domain/git-provider.ts';
import { cutBeforeRedaction } from '../../domain/logs/cut-line.ts';

/** What an error message may say about where the source comes from. */
export interface GitPlace {
  readonly target: GitUrl;
  readonly access: GitAccess;
}

/** What a repository is read with: a token of the installation, the one that the org gave with its connection, or nothing. */
export type GitAccess =
  | { readonly with: 'GIT_TOKEN' | 'GITHUB_TOKEN' | 'connection' }
  /** No variable has a token for that host. */
  | { readonly with: 'nothing'; readonly why: 'no-token' }
  | {
      readonly with: 'nothing';
      /** The variable for that host is not set, or the repository is not the org's. */
      readonly why: 'not-set' | 'not-own';
      readonly variable: 'GIT_TOKEN' | 'GITHUB_TOKEN';
      /** What GIT_OWNERS would have to list; null where the repository is the org's by its name. */
      readonly entry: string | null;
    };

interface ErrorRow {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  readonly retryable?: boolean;
  readonly message: (place: GitPlace) => string;
}

/** What git says on stderr (in English: LC_ALL=C) → what it means here. The first row that matches counts. */
const ROWS: readonly ErrorRow[] = [
  {
    pattern: /No space left on device|Disk quota exceeded/i,
    code: 'DISK_FULL',
    message: () => 'No space left to fetch the source; free some and retry',
  },
  {
    pattern: /File too large/i,
    code: 'SOURCE_REFUSED',
    message: (place) => `${shown(place)} is too large to fetch; take out what the build does not need`,
  },
  {
    pattern: /requested URL returned error: 30\d|unable to update url base from redirection/,
    code: 'SOURCE_REFUSED',
    message: (place) => `${shown(place)} answers with a redirect, which is not followed; use the address it leads to`,
  },
  {
    pattern:
      /Authentication failed|could not read (Username|Password)|terminal prompts disabled|returned error: 40[13]\b/,
    code: 'SOURCE_REFUSED',
    message: refusedMessage,
  },
  {
    pattern: /returned error: 404\b|Repository not found|repository '.*' not found/i,
    code: 'SOURCE_MISSING',
    message: (place) => `${shown(place)} has no repository there, or hides it: check the address${tokenHint(place)}`,
  },
  {
    pattern:
      /does not appear to be a git repository|not valid: is this a git repository|not a git repository|' does not exist/,
    code: 'SOURCE_MISSING',
    message: (place) => `${shown(place)} is not a git repository; check the address`,
  },
  {
    pattern:
      /SSL certificate problem|certificate verif|unable to get local issuer|no alternative certificate subject name/i,
    code: 'SOURCE_UNREACHABLE',
    message: (place) =>
      `The TLS certificate of ${shown(place)} cannot be verified; give its authority in SSL_CERT_FILE or GIT_SSL_CAINFO`,
  },
  {
    pattern: /fsck error|error in object|repository corruption|fsck_objects|index-pack failed.*fsck/i,
    code: 'SOURCE_REFUSED',
    message: (place) => `${shown(place)} holds damaged or malicious objects; run git fsck on it and repair it`,
  },
  {
    pattern: /returned error: (5\d\d|429|408)\b/,
    code: 'SOURCE_UNREACHABLE',
    retryable: true,
    message: (place) => `${shown(place)} does not serve the repository at the moment`,
  },
  {
    pattern:
      /Could not resolve|Failed to connect|Connection (refused|reset|timed out)|timed out|Operation too slow|early EOF|Empty reply|unexpected disconnect|hung up|Recv failure|Send failure|GnuTLS|SSL_ERROR|RPC failed|Network is unreachable|No route to host/i,
    code: 'SOURCE_UNREACHABLE',
    retryable: true,
    message: (place) => `${shown(place)} cannot be reached, or the connection broke`,
  },
];

/** The domain error for a failed git command. `output` is what it wrote to stderr, free of secrets. */
export function explainGitFailure(output: string, place: GitPlace): FairleadError {
  const row = ROWS.find(({ pattern }) => pattern.test(output));
  const details = { git: lastLines(output) };
  if (row !== undefined) {
    return new FairleadError(row.code, row.message(place), { details, retryable: row.retryable ?? false });
  }
  return new FairleadError('SOURCE_UNREACHABLE', `Git failed on ${shown(place)}: ${details.git}`, { details });
}

/** How a source is named in messages: host and path, or the local path. */
export function shown({ target }: GitPlace): string {
  return target.kind === 'local' ? target.path : target.url.replace(/^https?:\/\//, '');
}

const GIVE_TOKEN = `connect it with a token of its own: fairlead git connect SERVICE --provider ${PROVIDER_CHOICE} --token`;

function refusedMessage(place: GitPlace): string {
  const { access } = place;
  if (access.with === 'connection') {
    return `${shown(place)} does not accept the token of its connection; give one that may read it: fairlead git token SERVICE`;
  }
  if (access.with !== 'nothing') {
    return `${shown(place)} does not accept the token in ${access.with}; renew it, or let it read this repository`;
  }
  return `${shown(place)} asks for credentials, and ${whyNothing(access)}`;
}

/** Why nothing was sent, and what to do. */
function whyNothing(access: Extract<GitAccess, { with: 'nothing' }>): string {
  if (access.why === 'no-token') {
    return `the builder has none for that host: ${GIVE_TOKEN} (GIT_TOKEN is for GIT_URL's host, GITHUB_TOKEN for github.com)`;
  }
  const { why, variable, entry } = access;
  if (why === 'not-own') {
    return `${variable} is not sent for a repository of another owner: ${GIVE_TOKEN}, or have the operator add ${entry} to GIT_OWNERS`;
  }
  const listed = entry === null ? '' : `, and add ${entry} to GIT_OWNERS`;
  return `none is set: ${GIVE_TOKEN}, or set ${variable} on the builder to a token that may read it${listed}`;
}

function tokenHint({ access }: GitPlace): string {
  if (access.with === 'connection') return ' and what the token of its connection may read';
  if (access.with !== 'nothing') return ` and what the token in ${access.with} may read`;
  return access.why === 'no-token' ? '' : `. If it is private, ${whyNothing(access)}`;
}

function lastLines(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
  return cutBeforeRedaction(lines.slice(-3).join(' · '), 500);
}
