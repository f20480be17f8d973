import { z } from 'zod';
import { KEY_STATES, type SigningKey } from '../../../domain/identity/signing-key.ts';
import { PLATFORM } from '../../http/allowed-callers.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
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
      summary: 'Signing keys: ids, states and times',
      responses: { 200: { description: 'The keys', schema: z.object({ keys: z.array(keySchema) }) } },
      handle: async () => ({ status: 200, data: { keys: (await deps.signingKeys.read()).keys.map(view) } }),
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
        const { keys, ...done } = await deps.signer.rotate(body);
        const { activated, retired, removed, created } = done;
        if (activated !== null || created.length + removed.length > 0) {
          await audit(deps, context, {
            type: 'keys.rotated',
            actor: context.caller.name,
            subject: activated ?? created[0] ?? removed[0] ?? 'none',
            orgSlug: null,
            data: { force: body.force, activated, retired, removed, created },
          });
        }
        return { status: 200, data: { ...done, keys: keys.map(view) } };
      },
    }),
  ];
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
