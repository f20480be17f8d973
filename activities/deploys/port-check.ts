import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import {
  findPort,
  isLikelyForUsers,
  type Listener,
  type ListeningSocket,
  type Unreachable,
  unreachableOnLoopback,
} from '../../domain/deploys/listening.ts';
import type { Release } from '../../domain/deploys/release.ts';
import { createQuietCheck } from './quiet.ts';

/** Whether another port than that of the release may be used, where the service is found to listen there. */
export type PortChoice = 'free' | 'fixed';

/**
 * Tells of a workload that listens where nobody asks it. That is known only once nothing has changed for a while: a service may open a port
 * for its metrics first, and one on the loopback may have a server in front of it that opens later. Where the author declares a port, the
 * service is waited for at that port. A port on the loopback that nobody named is used only where it is the only one: what else listens there
 * is not meant for others.
 * @returns a function of its sockets and last lines, called again and again; it returns where to ask the service, why nowhere, or null
 */
export function createPortCheck(
  now: () => number,
  release: Pick<Release, 'port' | 'portRule' | 'onLoopback'>,
  choice: PortChoice,
  onLine: EffectContext['onLine'],
): (sockets: readonly ListeningSocket[], lines: readonly string[], isLate: boolean) => Unreachable | Listener | null {
  const { port, portRule } = release;
  const mayMove = portRule !== 'declared' && choice === 'free';
  const isQuiet = createQuietCheck(now);
  let told = '';
  const tell = (text: string): void => {
    if (told !== text) onLine(text, 'warn');
    told = text;
  };
  const atOtherPort = (found: number, isLate: boolean): Unreachable | Listener | null => {
    if (mayMove) {
      // The one for its users may follow: a connection to a database may take longer than it was quiet.
      if (isLate || isLikelyForUsers(found)) return { port: found, portRule: 'found', onLoopback: false };
      tell(`Not ready: the service listens on port ${found} alone, which usually is for metrics`);
      return null;
    }
    const unreachable = elsewhere(found, { port, portRule });
    if (isLate) return unreachable;
    tell(`Not ready: ${unreachable.why}. ${unreachable.remedy}`);
    return null;
  };
  return (sockets, lines, isLate) => {
    const isSettled = isQuiet(JSON.stringify([sockets, lines])) || isLate;
    const finding = findPort(sockets, release);
    if (finding === null || !isSettled) return null;
    if (finding.kind === 'other-port') return atOtherPort(finding.port, isLate);
    if (finding.port === port) return { port, portRule, onLoopback: true };
    if (!mayMove || !isOnly(finding.port, sockets)) return unreachableOnLoopback(finding, port);
    return { port: finding.port, portRule: 'found', onLoopback: true };
  };
}

/** Whether it is the only port at which anything listens, and none that usually is a debugger's or of metrics. */
function isOnly(port: number, sockets: readonly ListeningSocket[]): boolean {
  return isLikelyForUsers(port) && sockets.every((socket) => socket.port === port);
}

function elsewhere(found: number, { port, portRule }: Pick<Release, 'port' | 'portRule'>): Unreachable {
  const wanted = portRule === 'declared' ? `${port}, which catalog-info.yaml declares` : `${port}, which PORT holds`;
  return {
    why: `the service listens on port ${found}, not on ${wanted}`,
    remedy: `Listen on the port in the variable PORT, or declare platform.io/port: "${found}" in catalog-info.yaml.`,
  };
}
