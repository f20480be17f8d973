import type { z } from 'zod';
import { NO_PROGRESS, type ReencryptionCommands, type ReencryptionRun } from '../../domain/config/messages.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { reencryptionSchema } from '../../domain/config/reencryption-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { ADMINISTRATORS } from '../http/allowed-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';

export interface ReencryptionDeps {
  readonly reencryption: ReencryptionCommands;
  /** Null when no CONFIG_ENCRYPTION_KEY is set. */
  readonly cipher: SecretCipher | null;
}

/** Where the routes are, and which keys they are about. */
export interface ReencryptionPlace {
  readonly path: string;
  readonly tag: string;
  readonly variable: 'CONFIG_ENCRYPTION_KEY' | 'LOCKER_ENCRYPTION_KEY';
}

const OF_BUILDER: ReencryptionPlace = {
  path: '/config/reencryption',
  tag: 'config',
  variable: 'CONFIG_ENCRYPTION_KEY',
};

/** The key that seals secrets, for who administers the installation. Variables of a service: api/catalog/config-routes.ts. */
export function reencryptionRoutes(
  { reencryption, cipher }: ReencryptionDeps,
  { path, tag, variable }: ReencryptionPlace = OF_BUILDER,
): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path,
      summary: `Seal every stored secret with the first key of ${variable}`,
      description: 'Starts a run, or joins the one under way. When it has completed, earlier keys can be taken out.',
      tag,
      callers: ADMINISTRATORS,
      responses: { 202: { description: 'It runs', schema: reencryptionSchema } },
      handle: async () => {
        if (cipher === null) throw new FairleadError('UNAVAILABLE', `${variable} is not set here`);
        await reencryption.start(cipher.keyId);
        return { status: 202, data: view(await reencryption.latest(cipher.keyId)) };
      },
    }),
    defineRoute({
      method: 'get',
      path,
      summary: 'What the re-encryption with the current key that is under way, or the last one, did so far',
      tag,
      callers: ADMINISTRATORS,
      responses: { 200: { description: 'The run', schema: reencryptionSchema } },
      handle: async () => ({
        status: 200,
        data: view(cipher === null ? null : await reencryption.latest(cipher.keyId)),
      }),
    }),
  ];
}

function view(run: ReencryptionRun | null): z.input<typeof reencryptionSchema> {
  const { checked, resealed, unreadable, earlierKeyInUse } = run?.progress ?? NO_PROGRESS;
  const unreadableSecrets = unreadable.first.map((secret) => ({ ...secret }));
  const { status = 'none', problem = null } = run ?? {};
  return { status, checked, resealed, unreadable: unreadable.count, unreadableSecrets, earlierKeyInUse, problem };
}
