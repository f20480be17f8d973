import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { findPort, isLikelyForUsers, type ListeningSocket } from '../../domain/deploys/listening.ts';
import type { Release } from '../../domain/deploys/release.ts';
import { createQuietCheck } from './quiet.ts';

/** Whether another port than that of the release may be used, where the service is found to listen there. */
export type PortChoice = 'free' | 'fixed';

/** Why a service cannot be reached, and what its author does about it. */
export interface Unreachable {
  readonly why: string;
  readonly remedy: string;
}

/**
 * Tells of a workload that listens where nobody asks it. What listens on the loopback at its own port stays so, and is
 * told at once; of other ports it is known only once nothing has changed for a while, because a service may open one for
 * its metrics first. Where the author declares a port, the service is waited for at that port.
 * @returns a function of its sockets and last lines, called again and again; it returns the port to use, why nothing can
 *   be used, or null
 */
export function createPortCheck(
  now: () => number,
  { port, portRule }: Pick<Release, 'port' | 'portRule'>,
  choice: PortChoice,
  onLine: EffectContext['onLine'],
): (sockets: readonly ListeningSocket[], lines: readonly string[], isLate: boolean) => Unreachable | number | null {
  const isQuiet = createQuietCheck(now);
  let told = '';
  const tell = (text: string): void => {
    if (told !== text) onLine(text, 'warn');
    told = text;
  };
  return (sockets, lines, isLate) => {
    const isSettled = isQuiet(JSON.stringify([sockets, lines])) || isLate;
    const finding = findPort(sockets, port);
    if (finding?.kind === 'loopback' && finding.port === port) return onLoopback(finding, port);
    if (finding === null || !isSettled) return null;
    if (finding.kind === 'loopback') return onLoopback(finding, port);
    if (portRule !== 'declared' && choice === 'free') {
      // The one for its users may follow: a connection to a database may take longer than it was quiet.
      if (isLate || isLikelyForUsers(finding.port)) return finding.port;
      tell(`Not ready: the service listens on port ${finding.port} alone, which usually is for metrics`);
      return null;
    }
    const unreachable = elsewhere(finding.port, { port, portRule });
    if (isLate) return unreachable;
    tell(`Not ready: ${unreachable.why}. ${unreachable.remedy}`);
    return null;
  };
}

function onLoopback({ host, port }: ListeningSocket, wanted: number): Unreachable {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return {
    why: `the service listens on ${address} only, where nothing outside its container reaches it`,
    remedy: `Listen on 0.0.0.0 and on the port in the variable PORT (${wanted}).`,
  };
}

function elsewhere(found: number, { port, portRule }: Pick<Release, 'port' | 'portRule'>): Unreachable {
  const wanted = portRule === 'declared' ? `${port}, which catalog-info.yaml declares` : `${port}, which PORT holds`;
  return {
    why: `the service listens on port ${found}, not on ${wanted}`,
    remedy: `Listen on the port in the variable PORT, or declare platform.io/port: "${found}" in catalog-info.yaml.`,
  };
}
