import type { PageView } from './layout.ts';

/**
 * Headers of a page: it runs and shows only what is ours, sends its forms only to us (and, where a submission ends in a
 * redirect to a client, there: Chrome holds `form-action` against redirects too), and cannot be framed.
 */
export function pageHeaders(view: Pick<PageView, 'brand' | 'formTargets' | 'scripted'>): Record<string, string> {
  const logo = view.brand.logoUrl === null ? [] : [new URL(view.brand.logoUrl).origin];
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    ...(view.scripted === true ? ["script-src 'self'", "connect-src 'self'"] : []),
    `img-src ${["'self'", ...logo].join(' ')}`,
    `form-action ${["'self'", ...(view.formTargets ?? [])].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}

/** The CSP source that covers a redirect URI: its origin; its scheme for IPv6, which sources cannot be written in. */
export function formTargetOf(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  return hostname.startsWith('[') ? protocol : origin;
}
