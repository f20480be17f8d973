import { FairleadError } from '../../domain/errors.ts';

interface Meaning {
  /** Of the codes of Neo4j ("Neo4j status codes"). */
  readonly pattern: RegExp;
  readonly text: string;
  readonly retryable: boolean;
}

export const COMMUNITY =
  'is of the Community Edition, which has one graph for all and no roles, so every service would have the graph of every other: name one of the Enterprise Edition in DB_NEO4J_ADMIN_URI';

const MEANINGS: readonly Meaning[] = [
  {
    pattern: /Security\.(?:Unauthorized|CredentialsExpired|TokenExpired|AuthenticationRateLimit)$/,
    text: 'refuses DB_NEO4J_ADMIN_USER with DB_NEO4J_ADMIN_PASSWORD, or wants another password: correct them',
    retryable: false,
  },
  {
    pattern: /Security\.Forbidden$/,
    text: 'does not let DB_NEO4J_ADMIN_USER do this: it needs the role admin',
    retryable: false,
  },
  { pattern: /UnsupportedAdministrationCommand$/, text: COMMUNITY, retryable: false },
  {
    pattern:
      /^(?:ServiceUnavailable|SessionExpired)$|^Neo\.TransientError|DatabaseUnavailable|NotALeader|Neo\.TransientError/,
    text: 'does not answer, or is starting, stopping or busy',
    retryable: true,
  },
  { pattern: /DatabaseLimitReached$/, text: 'has as many databases as it may have', retryable: false },
];

/** An error of the driver or the server in the platform's terms. Its cause is kept; nothing of it is shown. */
export function neo4jError(error: unknown): unknown {
  if (error instanceof FairleadError || error instanceof RangeError || !(error instanceof Error)) return error;
  const code = (error as { readonly code?: unknown }).code;
  const known = MEANINGS.find(({ pattern }) => pattern.test(String(code)));
  if (known !== undefined) return failure('UNAVAILABLE', known.text, known.retryable, error);
  return failure('INTERNAL', `answered with error ${typeof code === 'string' ? code : error.name}`, false, error);
}

export function failure(
  code: 'UNAVAILABLE' | 'INTERNAL',
  text: string,
  retryable = false,
  cause?: unknown,
): FairleadError {
  return new FairleadError(code, `The Neo4j server of databases ${text}.`, { system: 'neo4j', retryable, cause });
}

/** Whether the server answered with an error of that code. */
export function isCode(error: unknown, pattern: RegExp): boolean {
  return error instanceof Error && pattern.test(String((error as { readonly code?: unknown }).code));
}
