import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { PlannedRotation } from '../../../domain/identity/ports.ts';
import { KEY_STATES, type SigningKey, type WithdrawnKey } from '../../../domain/identity/signing-key.ts';
import { ADMINISTRATORS, PLATFORM } from '../../http/allowed-callers.ts';
import type { AdministratorCaller, Caller } from '../../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';

const moment = z.iso.datetime().nullable();

const keySchema = z.object({
  id: z.string(),
  state: z.enum(KEY_STATES),
  createdAt: moment,
  activatedAt: moment,
  retiredAt: moment,
});

const withdrawnSchema = z.array(z.object({ id: z.string(), withdrawnAt: z.iso.datetime() }));

const keySetSchema = z.object({ keys: z.array(keySchema), withdrawn: withdrawnSchema });

const withdrawalSchema = z.object({
  /** The key that signs in the place of the withdrawn one; null when that one did not sign. */
  activated: z.string().nullable(),
  created: z.array(z.string()),
  keys: z.array(keySchema),
});

const rotationSchema = z.object({
  activated: z.string().nullable(),
  retired: z.string().nullable(),
  removed: z.array(z.string()),
  created: z.array(z.string()),
  keys: z.array(keySchema),
});

/** Signing keys and their rotation. */
export function keyRoutes(deps: IdentityDeps): readonly Route[] {
  const shared = { tag: 'keys', callers: PLATFORM } as const;
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: '/api/admin/keys',
      summary: 'Signing keys: ids, states and times, and the keys withdrawn lately',
      responses: { 200: { description: 'The keys', schema: keySetSchema } },
      handle: async () => {
        const { keys, withdrawn } = await deps.signingKeys.read();
        const data = { keys: keys.map(view), withdrawn: withdrawn.map(viewWithdrawn) };
        return { status: 200, data };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: '/api/admin/keys/rotate',
      summary: 'Do what is due for the signing keys',
      description:
        'Without `force` it does what the time asks for, which is mostly nothing; the hourly schedule calls it so. With `force` the next key signs at once, if it has been published for two minutes; else 409 with `details.notBefore`.',
      body: z.strictObject({ force: z.boolean().default(false) }),
      responses: { 200: { description: 'What was done', schema: rotationSchema } },
      errors: ['CONFLICT'],
      handle: async ({ body }, context) => {
        const tell = (planned: PlannedRotation) => recordRotation(deps, context, body.force, planned);
        const { keys, ...done } = await deps.signer.rotate(body, tell);
        return { status: 200, data: { ...done, keys: keys.map(view) } };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/admin/keys/:keyId/withdraw',
      summary: 'Withdraw a signing key that leaked',
      description:
        'At once: the key signs no more, is published no more, and every token of it is void, forged and genuine ones alike. Verifiers that follow `/api/oauth/revocations` refuse them within a second, others when they read the published keys again. Logins go on: a refresh brings a token of another key. In the place of the active key the next one signs. Can be repeated.',
      tag: 'keys',
      callers: ADMINISTRATORS,
      params: z.object({ keyId: z.string().min(1).max(128) }),
      body: z.strictObject({ reason: z.string().trim().min(1).max(300).optional() }),
      responses: { 200: { description: 'What was done', schema: withdrawalSchema } },
      errors: ['NOT_FOUND'],
      handle: async ({ params, body }, context) => {
        await recordWithdrawal(deps, context, params.keyId, body.reason);
        const { activated, created, keys } = await deps.signer.withdraw(params.keyId);
        return { status: 200, data: { activated, created: [...created], keys: keys.map(view) } };
      },
    }),
  ];
}

/**
 * Before the effect. Of processes that begin the same change at once one makes it, so by whom and whether it was due is
 * part of the id: each is told once.
 */
function recordRotation(
  deps: IdentityDeps,
  context: RouteContext<Caller>,
  force: boolean,
  { activated, retired, removed, create, version }: PlannedRotation,
): Promise<void> {
  const type = 'keys.rotated';
  return audit(deps, context, {
    id: [type, version, force ? 'forced' : 'due', context.caller.name].join('/'),
    type,
    actor: context.caller.name,
    subject: activated ?? removed[0] ?? 'none',
    orgSlug: null,
    data: { force, activated, retired, removed, created: create },
  });
}

/** Before the effect, and once however often it is repeated. @throws NOT_FOUND for a key there is not */
async function recordWithdrawal(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  keyId: string,
  reason: string | undefined,
): Promise<void> {
  const { keys, withdrawn } = await deps.signingKeys.read();
  if (withdrawn.some(({ id }) => id === keyId)) return;
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) throw new FairleadError('NOT_FOUND', `There is no signing key ${keyId}`);
  const type = 'keys.withdrawn';
  await audit(deps, context, {
    id: `${type}/${keyId}`,
    type,
    actor: context.caller.name,
    subject: keyId,
    orgSlug: null,
    data: { state: key.state, ...(reason === undefined ? {} : { reason }) },
  });
}

/** What may be told of a key: never the private half, not even sealed. */
function view({ id, state, createdAt, activatedAt, retiredAt }: SigningKey): z.output<typeof keySchema> {
  return {
    id,
    state,
    createdAt: createdAt.toISOString(),
    activatedAt: activatedAt?.toISOString() ?? null,
    retiredAt: retiredAt?.toISOString() ?? null,
  };
}

function viewWithdrawn({ id, withdrawnAt }: WithdrawnKey): z.output<typeof withdrawnSchema>[number] {
  return { id, withdrawnAt: withdrawnAt.toISOString() };
}
