/** Says of a host whether the platform itself gives addresses there. @param domain PLATFORM_DOMAIN */
export function platformHosts(domain: string): (host: string) => boolean {
  return (host) => host === domain || host.endsWith(`.${domain}`);
}
