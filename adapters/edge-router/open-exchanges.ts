import type { EventEmitter } from 'node:events';
import ipaddr from 'ipaddr.js';
import type { EdgeRequest } from './edge-message.ts';

export interface OpenExchanges {
  /**
   * Counts an exchange until its answer, or its connection, has ended.
   * @param until closes with it @param destination where the request goes @returns false where as many are open as may be
   */
  enter(request: EdgeRequest, until: Pick<EventEmitter, 'once'>, destination: URL): boolean;
}

export interface ExchangeLimits {
  /** In all. */
  readonly most: number;
  /** Of one client: an address, or a /64 of IPv6. All clients are seen as one behind a machine in front of this one. */
  readonly mostOfOne: number;
  /** To one destination: one that never answers is to leave room for the others, whoever asks it. */
  readonly mostToOne: number;
}

/**
 * How many requests wait for their answer at once, or how many WebSockets are open, over all connections: one of HTTP/2 brings
 * a hundred requests, and each of them keeps a connection to a service and what both sides have not read yet.
 */
export function createOpenExchanges({ most, mostOfOne, mostToOne }: ExchangeLimits): OpenExchanges {
  const byClient = new Map<string, number>();
  const byDestination = new Map<string, number>();
  let open = 0;
  return {
    enter({ socket }, until, { host }) {
      // Asked once: of a connection that is gone, it is not known any more.
      const client = clientOf(socket.remoteAddress ?? '');
      const isFull =
        open >= most || (byClient.get(client) ?? 0) >= mostOfOne || (byDestination.get(host) ?? 0) >= mostToOne;
      if (isFull) return false;
      open += 1;
      const leaves = [countOne(byClient, client), countOne(byDestination, host)];
      until.once('close', () => {
        open -= 1;
        for (const leave of leaves) leave();
      });
      return true;
    },
  };
}

function countOne(counts: Map<string, number>, key: string): () => void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return () => {
    const left = (counts.get(key) ?? 1) - 1;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };
}

/** Of IPv6, whoever has one address has its /64 (RFC 4291, section 2.5.4). */
function clientOf(remoteAddress: string): string {
  if (!ipaddr.isValid(remoteAddress)) return remoteAddress;
  const address = ipaddr.process(remoteAddress);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
}
