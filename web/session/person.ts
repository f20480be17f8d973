import type { z } from 'zod';
import type { PersonCaller } from '../../api/http/caller.ts';
import { isPerson } from '../../api/http/caller.ts';
import { tokenCaller } from '../../api/http/token-caller.ts';
import { FairleadError } from '../../domain/errors.ts';
import { accessTokenClaimsSchema } from '../../domain/identity/claims.ts';
import { parseJson } from '../../domain/parse-json.ts';

/**
 * The person that an access token is of, for the console to know what to show. The token came from the provider itself, and
 * whether it is good is for the services to say: its signature is not checked here. @throws UNAUTHORIZED
 */
export function personOf(accessToken: string): PersonCaller {
  const [, payload = ''] = accessToken.split('.');
  const claims: z.ZodSafeParseResult<z.infer<typeof accessTokenClaimsSchema>> = accessTokenClaimsSchema.safeParse(
    parseJson(Buffer.from(payload, 'base64url').toString()),
  );
  const caller = claims.success ? tokenCaller(claims.data, '') : null;
  if (caller !== null && isPerson(caller)) return caller;
  throw new FairleadError('UNAUTHORIZED', 'The identity provider gave no token of a person: sign in again');
}
