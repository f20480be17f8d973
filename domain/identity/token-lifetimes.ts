/** Seconds a token of a service that a person got by exchange lives at most (spec 1, "Limits": own-session token). */
export const EXCHANGED_TOKEN_SECONDS = 24 * 3_600;

/** Seconds a token for an audience outside the installation lives (spec 1, "Limits": model-vendor assertion). */
export const ASSERTION_SECONDS = 5 * 60;

/** No access token lives longer: entries of the denylist are kept this long. */
export const LONGEST_TOKEN_SECONDS = EXCHANGED_TOKEN_SECONDS;

/** Seconds in which a device authorization must be approved (RFC 8628, 3.2). */
export const DEVICE_CODE_SECONDS = 600;

/** Seconds between two polls of a device, until it polls too fast. */
export const DEVICE_POLL_SECONDS = 5;

export function addSeconds(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000);
}

/** NumericDate (RFC 7519, 2), rounded down. */
export function epochSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}
