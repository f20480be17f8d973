import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { FairleadError } from '../../domain/errors.ts';

/** Requests of one address (IPv6: one network of 56 bits) in one minute, with draft-7 RateLimit headers. */
export function createRateLimit(
  requestsPerMinute: number,
  keyOf: (request: Request) => string = addressKey,
): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: requestsPerMinute,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    // It looks for mistakes of its set-up in every request; who is believed is decided by `trust proxy`, and tested.
    validate: false,
    keyGenerator: keyOf,
    handler: (_request, _response, next) => {
      next(new FairleadError('RATE_LIMITED', 'Too many requests: wait for the time the RateLimit header names'));
    },
  });
}

/**
 * Counts who proves to be somebody under their own name, so that others at their address use nothing up of theirs; and
 * whoever proves nothing by address, with all other requests of that address.
 * @param nameOf null for who proves nothing
 */
export function createNamedRateLimit(
  requestsPerMinute: number,
  nameOf: (request: Request) => Promise<string | null>,
  byAddress: RequestHandler,
): RequestHandler {
  const names = new WeakMap<Request, string>();
  const byName = createRateLimit(requestsPerMinute, (request) => names.get(request) ?? '');
  return async (request, response, next) => {
    const name = await nameOf(request);
    if (name === null) return byAddress(request, response, next);
    names.set(request, name);
    return byName(request, response, next);
  };
}

function addressKey({ ip = '' }: Request): string {
  return ip.includes(':') ? ipKeyGenerator(ip) : ip;
}
