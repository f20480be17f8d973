import type { z } from 'zod';
import {
  ACTING_FOR_HEADER,
  ACTING_ORG_HEADER,
  type ActingFor,
  SHARING_REVISION_HEADER,
} from '../../domain/oauth-clients/administration-port.ts';
import { createPlatformCall, type PlatformConnection, type PlatformRequest } from '../platform-call/platform-call.ts';

/** The identity provider, and the builder's internal key there (IDP_INTERNAL_KEY). */
export type IdpConnection = PlatformConnection;

export interface IdpRequest extends Omit<PlatformRequest, 'headers'> {
  readonly by?: ActingFor;
}

/**
 * One call of the identity provider's internal API: the data of its envelope.
 * @throws as {@link createPlatformCall}, of the system `identity-provider`
 */
export type IdpCall = <T extends z.ZodType>(reply: T, request: IdpRequest) => Promise<z.output<T>>;

const IDP = { system: 'identity-provider', title: 'The identity provider', keyVariable: 'IDP_INTERNAL_KEY' };

export function createIdpCall(connection: IdpConnection): IdpCall {
  const call = createPlatformCall(connection, IDP);
  return (reply, { by, ...request }) =>
    call(reply, { ...request, ...(by === undefined ? {} : { headers: headersOf(by) }) });
}

function headersOf({ actor, org, sharingRevision }: ActingFor): Record<string, string> {
  return {
    [ACTING_FOR_HEADER]: actor,
    ...(org === undefined ? {} : { [ACTING_ORG_HEADER]: org }),
    ...(sharingRevision === undefined ? {} : { [SHARING_REVISION_HEADER]: `${sharingRevision}` }),
  };
}
