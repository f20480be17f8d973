/**
 * Signals that one run of a workflow takes before it continues as new. A history holds 10,000 at most, after which a server
 * refuses them; a run that reaches this goes on as soon as it may, and takes more meanwhile.
 */
export const MOST_SIGNALS = 500;
