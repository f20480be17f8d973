import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type GitConnection, sealingContext } from '../../domain/git-hooks/connection.ts';
import { type GitDelivery, outcome, type UnseenDelivery } from '../../domain/git-hooks/delivery.ts';
import { type DeliveryEvent, readEvent } from '../../domain/git-hooks/delivery-event.ts';
import { checkProof, type DeliveryHeaders, PROOF_HEADERS, readProof } from '../../domain/git-hooks/delivery-proof.ts';
import { matchesRef, parseRef } from '../../domain/git-hooks/rule.ts';
import { shareFreshReads } from '../http/fresh-read.ts';
import { BRANCHES_PER_MINUTE, type BranchLimit, createBranchLimit } from './branch-limit.ts';
import { createConnectionLimit } from './connection-limit.ts';
import { createDeliveryNotes, type DeliveryNotes } from './delivery-notes.ts';
import type { GitHooksDeps } from './deps.ts';
import { createDeliveryReader, type ReadDelivery } from './read-delivery.ts';
import { createStrangerLimit } from './stranger-limit.ts';

export interface AcceptOptions {
  /** Genuine deliveries of one connection. */
  readonly perMinute?: number;
  /** Branches and tags of one connection that are looked at each by itself. */
  readonly branchesPerMinute?: number;
}

export interface Accepted {
  readonly deliveryId: string;
  readonly alreadySeen: boolean;
}

type Accept = (connectionId: string, request: DeliveryRequest) => Promise<Accepted>;

interface DeliveryRequest {
  /** Where it came from; of IPv6, the network. */
  readonly address: string;
  readonly headers: DeliveryHeaders;
  readonly stream: AsyncIterable<Uint8Array>;
}

/** Many pushes at once are common, such as of all branches of a mirror. */
const PER_MINUTE = 3_000;

/**
 * Makes what takes deliveries. One that is genuine is kept, and has its branch or tag looked at: nothing that it says is
 * deployed. Nobody is told whether a connection is unknown or a signature wrong.
 * @throws UNAUTHORIZED, PAYLOAD_TOO_LARGE, RATE_LIMITED, UNAVAILABLE
 */
export function createAcceptDelivery(
  deps: GitHooksDeps,
  { perMinute = PER_MINUTE, branchesPerMinute = BRANCHES_PER_MINUTE }: AcceptOptions = {},
): Accept {
  const notes = createDeliveryNotes(deps);
  const prove = createProver(deps, notes);
  const countGenuine = createConnectionLimit(perMinute, deps.now);
  const isOwned = createOwnershipRead(deps);
  const act = createAct(deps, createBranchLimit(branchesPerMinute, deps.now));
  return async (connectionId, request) => {
    const { connection, digest, body } = await prove(connectionId, request);
    const { headers } = request;
    notes.delivered(connection.id);
    countGenuine(connection.id);
    if (!(await isOwned(connection))) throw refused();
    const event = readEvent(connection, headers, body === null ? null : payloadOf(headers, body));
    const delivery = await deps.gitDeliveries.insertSigned(newDelivery(deps, connection, event), digest);
    await noteFirst(deps, connection, delivery);
    await act(connection, delivery, event);
    return { deliveryId: delivery.id, alreadySeen: delivery.alreadySeen };
  };
}

interface Proven extends Pick<ReadDelivery, 'digest' | 'body'> {
  readonly connection: GitConnection;
}

/** Makes what reads a delivery and checks that it is genuine. @throws UNAUTHORIZED, PAYLOAD_TOO_LARGE, RATE_LIMITED */
function createProver(
  deps: GitHooksDeps,
  notes: DeliveryNotes,
): (connectionId: string, request: DeliveryRequest) => Promise<Proven> {
  const read = createDeliveryReader();
  const findConnection = shareFreshReads((id) => deps.gitConnections.find(id));
  const strangers = createStrangerLimit(deps.now);
  return async (connectionId, { address, headers, stream }) => {
    const asker = { connectionId, address };
    strangers.check(asker);
    const connection = await findConnection(connectionId);
    const fail = (): void => {
      strangers.failed(asker);
      if (connection !== null) notes.refused(connection.id);
    };
    if (PROOF_HEADERS.every((name) => headers[name] === undefined)) {
      fail();
      throw refused();
    }
    const presented = connection === null ? null : readProof(connection, headers, deps.now());
    const check = checkProof(presented, connection === null ? [] : openSecrets(deps, connection));
    let isGenuine = false;
    try {
      const { secret, digest, body } = await read(stream, check, presented);
      if (connection === null || secret === null) throw refused();
      isGenuine = true;
      return { connection, digest, body };
    } finally {
      // A body that is too long, or ends half-way, costs as much as a forged one.
      if (isGenuine) strangers.proved(asker);
      else fail();
    }
  };
}

/** One answer to whoever proves nothing. */
function refused(): FairleadError {
  return new FairleadError('UNAUTHORIZED', 'There is no such connection, or its secret did not sign this delivery');
}

/** @throws INTERNAL for a secret that does not open; UNAVAILABLE without a key */
export function openSecrets({ cipher }: Pick<GitHooksDeps, 'cipher'>, { id, secrets }: GitConnection): string[] {
  if (cipher === null) throw new FairleadError('UNAVAILABLE', 'CONFIG_ENCRYPTION_KEY is not set on the builder');
  return secrets.map((secret) => cipher.open(secret.sealed, sealingContext(id, secret.id)));
}

/** A form has the body as its field `payload`; GitHub sends one where its hook says so. */
function payloadOf(headers: DeliveryHeaders, body: string): string {
  const type = headers['content-type'];
  const isForm = typeof type === 'string' && type.startsWith('application/x-www-form-urlencoded');
  return isForm ? (new URLSearchParams(body).get('payload') ?? '') : body;
}

/** How old the answer may be whose services they are. A look asks again, so nothing is deployed by an old one. */
const OWNED_FOR_MS = 1_000;
const MOST_REMEMBERED = 2_000;

/** Reads whether a connection is one still: not when all its services are gone, or of other orgs by now. */
function createOwnershipRead({ services }: GitHooksDeps): (connection: GitConnection) => Promise<boolean> {
  const read = new LRUCache<string, boolean, GitConnection>({
    max: MOST_REMEMBERED,
    ttl: OWNED_FOR_MS,
    ttlResolution: 0,
    fetchMethod: async (_key, _stale, { context: { org, services: connected } }) => {
      for (const { serviceId } of connected) {
        const service = await services.find(serviceId);
        if (service !== null && service.org === org && service.removingSince === null) return true;
      }
      return false;
    },
  });
  return async (connection) =>
    (await read.fetch(`${connection.id}/${connection.revision}`, { context: connection })) === true;
}

function newDelivery(
  { newId, now }: { readonly newId: GitHooksDeps['newId']; readonly now: Clock },
  { id: connectionId }: GitConnection,
  { kind, name: event, providerId, ref, claimedHead, login, accountId }: DeliveryEvent,
): UnseenDelivery {
  return {
    ...{ id: newId('gitDelivery'), connectionId, kind, event, providerId, claimedHead, login, accountId },
    ref: typeof ref === 'string' ? null : ref.one,
    requestedBy: null,
    receivedAt: now(),
    state: 'waiting',
    outcomes: [],
  };
}

/** The first genuine delivery proves that the hook arrives, and ends the polling. */
async function noteFirst(
  deps: GitHooksDeps,
  { id, verifiedAt }: GitConnection,
  { receivedAt }: GitDelivery,
): Promise<void> {
  if (verifiedAt !== null) return;
  const wasFirst = await deps.gitConnections.verify(id, receivedAt);
  if (wasFirst) await deps.gitHookCommands.changed(id);
}

type Act = (connection: GitConnection, delivery: GitDelivery, event: DeliveryEvent) => Promise<void>;

/** Makes what has a delivery looked at, or decides that there is nothing to look at. */
function createAct({ gitDeliveries, gitHookCommands }: GitHooksDeps, isFewEnough: BranchLimit): Act {
  return async (connection, { id }, { kind, ref }) => {
    const { id: connectionId } = connection;
    if (kind === 'ping') return await gitDeliveries.decide([id], [outcome('ping')]);
    if (kind === 'other') return await gitDeliveries.decide([id], [outcome('not_a_push')]);
    if (ref === 'all') return await gitHookCommands.lookAtAll(connectionId, id);
    if (ref === 'none') return await gitDeliveries.decide([id], [outcome('no_rule')]);
    const pushed = { connectionId, ref: ref.one };
    if (!hasRule(connection, ref.one)) return await gitDeliveries.decide([id], [outcome('no_rule', { ref: ref.one })]);
    if (isFewEnough(pushed)) await gitHookCommands.look(pushed, id);
    else await gitHookCommands.lookAtAll(connectionId, id);
  };
}

/** True when a rule is about the branch or tag, given by its full name. */
export function hasRule({ services }: Pick<GitConnection, 'services'>, fullName: string): boolean {
  const ref = parseRef(fullName);
  return ref !== null && services.some(({ rules }) => rules.some((rule) => matchesRef(rule, ref)));
}
