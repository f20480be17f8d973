import type { RequestHandler } from 'express';
import type { RequestMeter } from '../../domain/request-meter.ts';

/** Tells a meter of every request, the first of all handlers: also of those that are refused before their route is found. */
export function meterRequests(meter: RequestMeter): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    meter.started();
    response.once('close', () => {
      const { route } = response.locals;
      meter.ended({
        method: request.method,
        route: typeof route === 'string' ? route : null,
        status: response.writableFinished ? response.statusCode : null,
        seconds: (performance.now() - startedAt) / 1_000,
      });
    });
    next();
  };
}
