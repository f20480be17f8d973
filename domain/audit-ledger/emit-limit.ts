/** Emits of a caller are limited in fixed windows of 60 s (spec 3, "Limits"); they begin with the minutes of UTC. */
export const EMIT_WINDOW_SECONDS = 60;

export interface EmitWindow {
  /**
   * Emits counted in the window, those just counted included, and perhaps some that were counted after them. More than
   * the limit for an emit that does not fit under it, and for no other.
   */
  readonly used: number;
  readonly endsAt: Date;
}

/** Counts emits of a caller over all processes. */
export interface EmitCounter {
  /**
   * Counts emits in the current window: exactly as many as the limit allows fit under it, whichever process counts. Many at
   * once that do not fit are not counted at all.
   * @throws UNAVAILABLE
   */
  count(caller: { readonly orgSlug: string; readonly sub: string }, amount: number): Promise<EmitWindow>;
}

/** The window that a moment is in. */
export function windowOf(now: Date): { readonly endsAt: Date } {
  const windowMs = EMIT_WINDOW_SECONDS * 1000;
  return { endsAt: new Date((Math.floor(now.getTime() / windowMs) + 1) * windowMs) };
}

/**
 * The RateLimit header fields of draft-ietf-httpapi-ratelimit-headers-07, and the seconds until the window ends.
 * @param limit emits a window
 */
export function rateLimitFields({ used, endsAt }: EmitWindow, limit: number, now: Date) {
  const reset = Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000));
  const remaining = Math.max(0, limit - used);
  return {
    resetSeconds: reset,
    headers: {
      RateLimit: `limit=${limit}, remaining=${remaining}, reset=${reset}`,
      'RateLimit-Policy': `${limit};w=${EMIT_WINDOW_SECONDS}`,
    },
  };
}
