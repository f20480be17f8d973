import { FairleadError } from '../errors.ts';
import { MAX_LIVE_SECRETS } from './client.ts';

export function clientExists(clientId: string): FairleadError {
  return new FairleadError('CLIENT_EXISTS', `A client with the id ${clientId} exists already`);
}

export function secretsFull(clientId: string): FairleadError {
  const message = `Client ${clientId} has ${MAX_LIVE_SECRETS} secrets already; remove one that is no longer used first`;
  return new FairleadError('CLIENT_SECRETS_FULL', message);
}
