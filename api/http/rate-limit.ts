import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
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

export interface NamedLimits {
  /** Requests of one name in a minute. */
  readonly perMinute: number;
  /** How often in a minute one address may have looked up who it is; who proved it lately needs no look-up. */
  readonly lookUpsPerMinute: number;
  /** Requests of one name in a minute that cost much. */
  readonly costly: { readonly perMinute: number; is(request: Request): boolean };
  /** One way to write what a request shows of who it is from. */
  credentialOf(request: Request): string;
  /** Null for who proves nothing. */
  nameOf(request: Request): Promise<string | null>;
}

/** How long who proved to be somebody is known by the same credential, for this alone: the route looks it up again. */
const KNOWN_MS = 10 * 60_000;
const MAX_KNOWN = 2_000;

/**
 * Counts who proves to be somebody under their own name, so that others at their address use nothing up of theirs; and
 * whoever proves nothing by address, with all other requests of that address.
 */
export function createNamedRateLimit(limits: NamedLimits, byAddress: RequestHandler): RequestHandler {
  const names = new WeakMap<Request, string>();
  const nameKey = (request: Request) => names.get(request) ?? '';
  const byName = createRateLimit(limits.perMinute, nameKey);
  const byCost = createRateLimit(limits.costly.perMinute, nameKey);
  const lookUps = createRateLimit(limits.lookUpsPerMinute);
  const known = new LRUCache<string, string>({ max: MAX_KNOWN, ttl: KNOWN_MS });

  const asNamed = (name: string, request: Request, response: Response, next: NextFunction): unknown => {
    names.set(request, name);
    if (!limits.costly.is(request)) return byName(request, response, next);
    return byName(request, response, (error) => (error ? next(error) : byCost(request, response, next)));
  };

  const lookUp = async (request: Request, response: Response, next: NextFunction): Promise<unknown> => {
    const name = await limits.nameOf(request);
    if (name === null) return byAddress(request, response, next);
    known.set(limits.credentialOf(request), name);
    return asNamed(name, request, response, next);
  };

  return (request, response, next) => {
    const name = known.get(limits.credentialOf(request));
    if (name !== undefined) return asNamed(name, request, response, next);
    return lookUps(request, response, (error) => {
      if (error) next(error);
      else lookUp(request, response, next).catch(next);
    });
  };
}

function addressKey({ ip = '' }: Request): string {
  return networkOf(ip);
}

/** What counts as one address: of IPv6, a network of 56 bits. */
export function networkOf(ip: string): string {
  return ip.includes(':') ? ipKeyGenerator(ip) : ip;
}
