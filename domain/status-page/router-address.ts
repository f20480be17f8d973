/**
 * What the uptime monitor sees visitors of the status page come from whom the platform's own router leads to it: a loopback
 * address of its own, whose word of the visitor's address the monitor takes, so that visitors share no limit by address.
 * Every address of 127.0.0.0/8 is this machine's on Linux; elsewhere, and for a monitor on another machine, TRUSTED_PROXIES
 * names the router.
 */
export const ROUTER_ADDRESS = '127.0.0.3';
