import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RequestMeter } from '../../domain/request-meter.ts';

/** What is no method of any route is one method: a client can name any. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10];

/** The meters of all services in this process. Labels have the values of tables alone: no path of a client makes a series. */
export function createRequestMeters(registry: Registry): (service: string) => RequestMeter {
  const registers = [registry];
  const total = new Counter({
    ...{ name: 'fairlead_http_requests_total', registers },
    help: 'Requests that ended, by route and class of status.',
    labelNames: ['service', 'method', 'route', 'status'] as const,
  });
  const duration = new Histogram({
    ...{ name: 'fairlead_http_request_duration_seconds', registers, buckets: SECONDS },
    help: 'From the headers of a request to the end of its reply.',
    labelNames: ['service', 'method', 'route'] as const,
  });
  const inFlight = new Gauge({
    ...{ name: 'fairlead_http_requests_in_flight', registers },
    help: 'Requests that have begun and not ended.',
    labelNames: ['service'] as const,
  });
  return (service) => {
    const open = inFlight.labels(service);
    open.set(0);
    return {
      started: () => open.inc(),
      ended({ method: given, route: path, status, seconds }) {
        open.dec();
        const method = METHODS.has(given) ? given : 'other';
        const route = path ?? 'other';
        total.labels(service, method, route, statusClass(status)).inc();
        duration.labels(service, method, route).observe(seconds);
      },
    };
  };
}

const statusClass = (status: number | null): string => (status === null ? 'aborted' : `${Math.floor(status / 100)}xx`);
