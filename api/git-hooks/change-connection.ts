import type { z } from 'zod';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type GitConnection, isSameRepository } from '../../domain/git-hooks/connection.ts';
import { outcome } from '../../domain/git-hooks/delivery.ts';
import type {
  ConnectedReply,
  ConnectionView,
  changeConnectionBodySchema,
  RuleBody,
  rotateBodySchema,
} from '../../domain/git-hooks/git-hook-schema.ts';
import { formatRef, parseRef } from '../../domain/git-hooks/rule.ts';
import { hasRule } from './accept-delivery.ts';
import { newSecret, parseRules, sealToken, withService } from './connect.ts';
import { type AskedBy, auditConnection, requireConnection, viewOf } from './connection-access.ts';
import type { GitHooksDeps } from './deps.ts';
import { type HookProblem, registerHook } from './register-hook.ts';

const ATTEMPTS = 20;

/**
 * Reads a connection and writes what was made of it; both again while others do so.
 * @throws what `next` refuses; CONFLICT (retryable) while others change it again and again
 */
async function change(
  deps: GitHooksDeps,
  by: AskedBy,
  id: string,
  next: (connection: GitConnection) => Partial<GitConnection>,
): Promise<GitConnection> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const connection = await requireConnection(deps, by.caller, id);
    const changed = { ...connection, ...next(connection), updatedAt: deps.now() };
    if (await deps.gitConnections.replace(changed, connection.revision)) {
      return { ...changed, revision: connection.revision + 1 };
    }
  }
  throw new FairleadError('CONFLICT', `The connection ${id} is being changed by others`, { retryable: true });
}

/** Pauses a connection, has it polled, or gives it another token. */
export async function changeConnection(
  deps: GitHooksDeps,
  by: AskedBy,
  { id, body }: { readonly id: string; readonly body: z.output<typeof changeConnectionBodySchema> },
): Promise<ConnectedReply> {
  const { paused, pollMinutes, token } = body;
  const changed = await change(deps, by, id, () => ({
    ...(paused === undefined ? {} : { paused }),
    ...(pollMinutes === undefined ? {} : { pollMinutes }),
    ...(token === undefined ? {} : { tokenProblem: null, token: token === null ? null : sealToken(deps, id, token) }),
  }));
  const data = { fields: Object.keys(body) };
  await auditConnection(deps, by, changed, { type: 'git.changed', data });
  if (pollMinutes !== undefined) await deps.gitHookCommands.changed(id);
  const registered = typeof token === 'string' ? await registerHook(deps, changed) : null;
  return reply(deps, registered?.connection ?? changed, null, registered?.problem ?? null);
}

/** Replaces the rules of one service; without any it is connected no more. @throws CONFLICT for the last one */
export async function changeRules(
  deps: GitHooksDeps,
  by: AskedBy,
  { id, service, rules }: { readonly id: string; readonly service: ServiceRecord; readonly rules: readonly RuleBody[] },
): Promise<ConnectionView> {
  const connected = { serviceId: service.id, service: service.name, rules: parseRules(rules) };
  const changed = await change(deps, by, id, (connection) => {
    const { services, org } = connection;
    if (service.org !== org || !isSameRepository(connection, service.gitUrl, deps.platformGitUrl)) {
      throw new FairleadError('CONFLICT', `${service.name} is not built from ${connection.repository}`);
    }
    const others = services.filter(({ serviceId }) => serviceId !== service.id);
    if (rules.length === 0 && others.length === 0) {
      throw new FairleadError(
        'CONFLICT',
        `${service.name} is the last service of ${id}; remove the connection instead`,
      );
    }
    return { services: rules.length === 0 ? others : withService(services, connected), baselineAt: null };
  });
  await auditConnection(deps, by, changed, { type: 'git.services_changed', data: { service: service.name } });
  return viewOf(deps, changed);
}

/**
 * Makes a second secret, beside which the first one stays good until it is taken away by `finish`.
 * @throws CONFLICT for a third one, or where there is no older one to take away
 */
export async function rotateSecret(
  deps: GitHooksDeps,
  by: AskedBy,
  { id, body }: { readonly id: string; readonly body: z.output<typeof rotateBodySchema> },
): Promise<ConnectedReply> {
  if (body.finish) return await finishRotation(deps, by, id);
  const connection = await requireConnection(deps, by.caller, id);
  const { secret, sealed } = newSecret(deps, connection, body.secret);
  const changed = await change(deps, by, id, ({ secrets }) => {
    if (secrets.length < 2) return { secrets: [sealed, ...secrets] };
    throw new FairleadError('CONFLICT', 'Two secrets are good already: take the older one away first, by finish');
  });
  await auditConnection(deps, by, changed, { type: 'git.secret_rotated', data: { secretId: sealed.id } });
  const registered = await registerHook(deps, changed);
  const isKnown = body.secret !== undefined || (registered !== null && registered.problem === null);
  return reply(deps, registered?.connection ?? changed, isKnown ? null : secret, registered?.problem ?? null);
}

/** The hook has the newer secret first: whatever dies then, its deliveries are known. */
async function finishRotation(deps: GitHooksDeps, by: AskedBy, id: string): Promise<ConnectedReply> {
  const connection = await requireConnection(deps, by.caller, id);
  const registered = connection.secrets.length < 2 ? null : await registerHook(deps, connection);
  const changed = await change(deps, by, id, ({ secrets }) => {
    const [newest, older] = secrets;
    if (newest !== undefined && older !== undefined) return { secrets: [newest] };
    throw new FairleadError('CONFLICT', 'There is one secret only: no older one to take away');
  });
  await auditConnection(deps, by, changed, { type: 'git.secret_removed' });
  return reply(deps, changed, null, registered?.problem ?? null);
}

/** Has a branch or tag looked at, or all that rules match. @throws VALIDATION_FAILED */
export async function look(
  deps: GitHooksDeps,
  { caller }: AskedBy,
  connection: GitConnection,
  wanted: string | undefined,
): Promise<{ deliveryId: string; alreadySeen: boolean }> {
  const ref = wanted === undefined ? null : parseRef(wanted);
  if (wanted !== undefined && ref === null) {
    const message = 'ref: give the full name of a branch or tag, such as refs/heads/main';
    throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'ref', message }] });
  }
  const { id: connectionId } = connection;
  const id = deps.newId('gitDelivery');
  const fullName = ref === null ? null : formatRef(ref);
  await deps.gitDeliveries.insert({
    ...{ id, connectionId, kind: 'look', event: 'look', providerId: null, ref: fullName, claimedHead: null },
    ...{ login: null, accountId: null, requestedBy: caller.name, alreadySeen: false, receivedAt: deps.now() },
    ...{ state: 'waiting', outcomes: [] },
  });
  if (fullName === null) await deps.gitHookCommands.lookAtAll(connectionId, id);
  else if (hasRule(connection, fullName)) await deps.gitHookCommands.look({ connectionId, ref: fullName }, id);
  else await deps.gitDeliveries.decide([id], [outcome('no_rule', { ref: fullName })]);
  return { deliveryId: id, alreadySeen: false };
}

function reply(
  deps: GitHooksDeps,
  connection: GitConnection,
  secret: string | null,
  hookProblem: HookProblem | null,
): ConnectedReply {
  return { connection: viewOf(deps, connection), secret, hookProblem };
}
