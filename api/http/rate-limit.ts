import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { FairleadError } from '../../domain/errors.ts';

/** Requests of one address (IPv6: one network of 56 bits) in one minute, with draft-7 RateLimit headers. */
export function createRateLimit(requestsPerMinute: number): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: requestsPerMinute,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    // It looks for mistakes of its set-up in every request; who is believed is decided by `trust proxy`, and tested.
    validate: false,
    keyGenerator: ({ ip = '' }) => (ip.includes(':') ? ipKeyGenerator(ip) : ip),
    handler: (_request, _response, next) => {
      next(new FairleadError('RATE_LIMITED', 'Too many requests: wait for the time the RateLimit header names'));
    },
  });
}
