import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { FairleadError } from '../../domain/errors.ts';

/** Requests of one address in one minute, with draft-7 RateLimit headers. */
export function createRateLimit(requestsPerMinute: number): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: requestsPerMinute,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    // It would print a warning for every stranger who sends such a header; who is believed is decided by `trust proxy`.
    validate: { forwardedHeader: false, xForwardedForHeader: false },
    handler: (_request, _response, next) => {
      next(new FairleadError('RATE_LIMITED', 'Too many requests: wait for the time the RateLimit header names'));
    },
  });
}
