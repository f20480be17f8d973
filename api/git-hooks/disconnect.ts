import type { ConnectionRemoval, GitConnection } from '../../domain/git-hooks/connection.ts';
import { finishRemoval } from '../../domain/git-hooks/finish-removal.ts';
import type { Caller } from '../http/caller.ts';
import { type AskedBy, hookUrlOf, isOfCaller, requireConnection } from './connection-access.ts';
import type { GitHooksDeps } from './deps.ts';
import { type HookProblem, inTime } from './register-hook.ts';

/** A connection, or what is left of one whose removal somebody began who was killed. @throws NOT_FOUND */
export async function requireConnected(
  deps: GitHooksDeps,
  caller: Caller,
  id: string,
): Promise<GitConnection | ConnectionRemoval> {
  const removal = await deps.gitConnections.findRemoval(id);
  return removal !== null && isOfCaller(removal, caller) ? removal : await requireConnection(deps, caller, id);
}

/**
 * Removes a connection: its deliveries are refused from then on. The hook at the provider goes where a token allows it. It is
 * noted first: whatever dies then, whoever asks again finishes it, and else the worker does.
 */
export async function disconnect(
  deps: GitHooksDeps,
  by: AskedBy,
  connected: GitConnection | ConnectionRemoval,
): Promise<{ hookProblem: HookProblem | null }> {
  const removal = 'hookAddress' in connected ? connected : await begin(deps, by, connected);
  if (removal === null) return { hookProblem: null };
  const problem = await inTime((signal) => finishRemoval(deps, removal, signal));
  return { hookProblem: problem === null ? null : { code: problem.code, message: problem.message } };
}

/** What is to be removed, as whoever asked first noted it; null when that has ended already. */
async function begin(deps: GitHooksDeps, by: AskedBy, connection: GitConnection): Promise<ConnectionRemoval | null> {
  const removal = removalOf(deps, by, connection);
  const { id } = connection;
  if (!(await deps.gitConnections.beginRemoval(removal))) return await deps.gitConnections.findRemoval(id);
  if ((await deps.gitConnections.find(id)) !== null) return removal;
  await deps.gitConnections.endRemoval(id);
  return null;
}

function removalOf(deps: GitHooksDeps, { caller, requestId }: AskedBy, connection: GitConnection): ConnectionRemoval {
  const { id, org, provider, repository, apiUrl, token } = connection;
  const services = connection.services.map(({ serviceId, service }) => ({ serviceId, service }));
  return {
    ...{ id, org, provider, repository, apiUrl, token, services, hookAddress: hookUrlOf(deps, id) },
    ...{ askedBy: caller.name, requestId, askedAt: deps.now() },
  };
}
