import { FairleadError } from '../../domain/errors.ts';
import type { GitConnection } from '../../domain/git-hooks/connection.ts';
import { canDeliver } from '../../domain/git-hooks/git-host-of.ts';
import { hostedRepository } from '../../domain/git-hooks/hosted-repository.ts';
import { openSecrets } from './accept-delivery.ts';
import { hookUrlOf } from './connection-access.ts';
import type { GitHooksDeps } from './deps.ts';

export interface HookProblem {
  readonly code: string;
  readonly message: string;
}

/** What became of registering a hook: null where there is no token to do it with, or no host to do it at. */
export type Registration = { readonly connection: GitConnection; readonly problem: HookProblem | null } | null;

/**
 * Has the provider deliver with the newest secret, where the connection has a token. The hook is one by its address, so
 * that this can be repeated. Whatever the provider answers, the connection stays: its hook can be set up by hand.
 */
export async function registerHook(deps: GitHooksDeps, connection: GitConnection): Promise<Registration> {
  const { gitHost } = deps;
  if (!canDeliver(connection.repository)) return null;
  try {
    const repository = hostedRepository(deps.cipher, connection);
    if (repository === null || gitHost === null) return null;
    const [secret = ''] = openSecrets(deps, connection);
    const address = hookUrlOf(deps, connection.id);
    const { hookId, proof } = await inTime((signal) => gitHost.registerHook(repository, { address, secret }, signal));
    return { connection: await note(deps, connection.id, { hookId, proof }), problem: null };
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return { connection, problem: { code: error.code, message: error.message } };
  }
}

/** Of all calls together, while a person waits: a host that lists and redirects slowly is not waited for any longer. */
const WITHIN_MS = 30_000;

/** @throws UNAVAILABLE when the time is over */
export async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const message = `The git host did not do it within ${WITHIN_MS / 1000} s`;
  const timer = setTimeout(
    () => abort.abort(new FairleadError('UNAVAILABLE', message, { retryable: true })),
    WITHIN_MS,
  );
  try {
    return await work(abort.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** The provider may have delivered meanwhile, which the connection notes as well. */
async function note(
  { gitConnections }: GitHooksDeps,
  id: string,
  found: Pick<GitConnection, 'hookId' | 'proof'>,
): Promise<GitConnection> {
  for (;;) {
    const connection = await gitConnections.find(id);
    if (connection === null) throw new FairleadError('NOT_FOUND', `There is no git connection ${id}`);
    const next = { ...connection, ...found };
    if (await gitConnections.replace(next, connection.revision)) {
      return { ...next, revision: connection.revision + 1 };
    }
  }
}
