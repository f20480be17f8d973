import { FairleadError } from '../errors.ts';
import { MAX_LIVE_SECRETS } from './client.ts';

export function clientExists(clientId: string): FairleadError {
  return new FairleadError('CLIENT_EXISTS', `A client with the id ${clientId} exists already`);
}

/** An addition of an org that shares the client's service, looked up before an org was taken out. */
export function sharingChanged(clientId: string): FairleadError {
  const message = `Who shares the service of ${clientId} was changed at this moment: nothing was added; do it again`;
  return new FairleadError('CONFLICT', message, { retryable: true });
}

export function secretsFull(clientId: string): FairleadError {
  const message = `Client ${clientId} has ${MAX_LIVE_SECRETS} secrets already; remove one that is no longer used first`;
  return new FairleadError('CLIENT_SECRETS_FULL', message);
}
