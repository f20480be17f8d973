import { FairleadError } from '../../domain/errors.ts';
import { type GitConnection, repositoryOf } from '../../domain/git-hooks/connection.ts';
import { type GitDelivery, type LookOutcome, type LookReason, outcome } from '../../domain/git-hooks/delivery.ts';
import type { Look, PushedBuild, PushedRef } from '../../domain/git-hooks/messages.ts';
import type { HeadKey } from '../../domain/git-hooks/ports.ts';
import { parseRef, skipMark } from '../../domain/git-hooks/rule.ts';
import { isPusherConfirmed, type Pusher } from './confirm-pusher.ts';
import { type DeployTarget, deployTargets, serviceOf } from './deploy-targets.ts';
import type { GitHooksActivityDeps } from './deps.ts';

export interface LookInput extends PushedRef {
  /** Ids of the deliveries that asked for it. */
  readonly deliveries: readonly string[];
}

/**
 * Looks at the head of a branch or tag, and decides what it deploys. Reads, and notes heads that deploy nothing; can be
 * repeated: nothing is asked for here.
 * @throws SOURCE_UNREACHABLE (retryable when it may pass), UNAVAILABLE, or the abort reason
 */
export async function lookAtRef(deps: GitHooksActivityDeps, input: LookInput, signal: AbortSignal): Promise<Look> {
  const { connectionId, ref: fullName } = input;
  const only = (reason: LookReason, message: string | null = null): Look => ({
    outcomes: [outcome(reason, { ref: fullName, message })],
    builds: [],
  });
  const connection = await deps.gitConnections.find(connectionId);
  if (connection === null) return only('connection_removed');
  if (connection.paused) return only('paused');
  const ref = parseRef(fullName);
  const targets = ref === null ? [] : deployTargets(connection, ref);
  if (targets.length === 0) return only('no_rule');
  let head: string | undefined;
  try {
    head = (await deps.refs.readRefs(repositoryOf(connection), signal, [fullName])).get(fullName);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return only('source_refused', error.message);
  }
  if (head === undefined) return only('ref_deleted');
  const { requestedBy, pusher } = requesterOf(await deps.gitDeliveries.findMany(input.deliveries), head);
  const about = {
    connection,
    head,
    ref: fullName,
    message: once(() => messageOf(deps, connection, head, signal)),
  };
  const outcomes: LookOutcome[] = [];
  const builds: PushedBuild[] = [];
  for (const target of targets) {
    const { reason, before } = await decide(deps, about, target, signal);
    const { serviceId, service, environment } = target;
    if (reason === null) {
      const decided = { commit: head, before, requestedBy };
      const build = { connectionId, ref: fullName, buildId: deps.newId('build'), serviceId, service, environment };
      builds.push({ ...build, ...decided });
    } else outcomes.push(outcome(reason, { ref: fullName, service, environment, commit: head }));
  }
  if (pusher === null || builds.length === 0) return { outcomes, builds };
  const pushed = { pusher, ref: fullName, commit: head };
  const isConfirmed = await isPusherConfirmed(deps, connection, pushed, signal);
  return { outcomes, builds: isConfirmed ? builds.map((build) => ({ ...build, confirmedPusher: pusher })) : builds };
}

/** Git says no, and will say so again. */
export function isRefusal(error: unknown): error is FairleadError {
  if (!(error instanceof FairleadError) || error.retryable) return false;
  return ['SOURCE_REFUSED', 'SOURCE_MISSING', 'SOURCE_UNREACHABLE'].includes(error.code);
}

interface About {
  readonly connection: GitConnection;
  readonly ref: string;
  readonly head: string;
  readonly message: () => Promise<string | null>;
}

interface Decision {
  /** Why the head is not deployed; null when it is. */
  readonly reason: LookReason | null;
  /** The head that was looked at before; null for none. */
  readonly before: string | null;
}

async function decide(
  deps: GitHooksActivityDeps,
  about: About,
  target: DeployTarget,
  signal: AbortSignal,
): Promise<Decision> {
  const { connection, ref, head } = about;
  const { serviceId, environment } = target;
  const service = await serviceOf(deps, connection, serviceId);
  if (typeof service === 'string') return { reason: service, before: null };
  const key: HeadKey = { connectionId: connection.id, serviceId, environment, ref };
  const known = await deps.gitHeads.find(key);
  const before = known?.seen ?? null;
  if (before === head) return { reason: 'unchanged', before };
  const reason = await reasonToLeave(deps, about, { target, built: known?.built ?? null }, signal);
  if (reason !== null) await deps.gitHeads.set(key, { seen: head }, before);
  return { reason, before };
}

/** Why a head that was not looked at before is not deployed; null when it is. */
async function reasonToLeave(
  { refs }: GitHooksActivityDeps,
  { connection, head, message }: About,
  { target: { paths }, built }: { readonly target: DeployTarget; readonly built: string | null },
  signal: AbortSignal,
): Promise<LookReason | null> {
  if (skipMark((await message()) ?? '') !== null) return 'skip_mark';
  if (built === null || paths.some((globs) => globs.length === 0)) return null;
  for (const globs of paths) {
    // What is not known to be unchanged deploys.
    const changed = await orUnknown(
      refs.hasChanged({ ...repositoryOf(connection), base: built, head, paths: globs }, signal),
    );
    if (changed !== false) return null;
  }
  return 'paths_unchanged';
}

/** Of a commit that git does not give out, as after a forced push between, nothing is known. */
function messageOf(
  { refs }: GitHooksActivityDeps,
  connection: GitConnection,
  head: string,
  signal: AbortSignal,
): Promise<string | null> {
  return orUnknown(refs.readMessage(repositoryOf(connection), head, signal));
}

async function orUnknown<T>(read: Promise<T | null>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/**
 * Who pushed the head, or else who pushed last; a look by hand is of who asked for it. Only who pushed this very head, and is
 * told by the id of the account, may be a person: somebody else may push right after them, or take over a login.
 */
function requesterOf(
  deliveries: readonly GitDelivery[],
  head: string,
): { readonly requestedBy: string; readonly pusher: Pusher | null } {
  const newest = deliveries.toSorted((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime());
  const byHand = newest.find(({ requestedBy }) => requestedBy !== null)?.requestedBy;
  const pushed = newest.find(({ claimedHead, login }) => claimedHead === head && login !== null);
  if (pushed === undefined && byHand != null) return { requestedBy: byHand, pusher: null };
  const { login = null, accountId = null } = pushed ?? newest.find((delivery) => delivery.login !== null) ?? {};
  if (login === null) return { requestedBy: 'git', pusher: null };
  const pusher = pushed === undefined || accountId === null ? null : { login, accountId };
  return { requestedBy: `git:${login}`, pusher };
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => {
    result ??= work();
    return result;
  };
}
