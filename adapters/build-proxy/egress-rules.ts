import { FairleadError } from '../../domain/errors.ts';
import { isOfThisMachine, isPublic } from '../public-address.ts';

/** What builds reach. */
export interface BuildEgress {
  /**
   * Package registries that the operator named, as `host` (ports 80 and 443) or `host:port`, in lower case and without
   * brackets: reached whatever address they have.
   */
  readonly registries: readonly string[];
  /** `public`: every host of the public internet as well. `registries`: nothing else. */
  readonly reach: 'public' | 'registries';
}

/** One of {@link BuildEgress.registries}, as anybody writes it. */
export function registryEntry(written: string): string {
  return written.toLowerCase().replace(/[[\]]/g, '');
}

export interface Destination {
  /** A name, or an address without brackets, in lower case. */
  readonly host: string;
  readonly port: number;
}

const PORTS: ReadonlySet<number> = new Set([80, 443]);

/**
 * What addresses a destination may have to be connected to.
 * @throws FORBIDDEN with the remedy for one that is closed whatever its address
 */
export function addressRule(
  { host, port }: Destination,
  { registries, reach }: BuildEgress,
): (address: string) => boolean {
  const isNamed = registries.includes(`${host}:${port}`) || (PORTS.has(port) && registries.includes(host));
  if (isNamed) return () => true;
  const remedy = 'if it is a package registry, the operator can name it in BUILD_REGISTRIES';
  if (!PORTS.has(port))
    throw closed(`Builds reach ports 80 and 443, not ${host} at port ${port}; ${remedy} as ${host}:${port}`);
  if (reach === 'registries') throw closed(`Builds reach package registries alone, and ${host} is none; ${remedy}`);
  return (address) => isPublic(address) && !isOfThisMachine(address);
}

/** The refusal of a destination for the address it has. */
export function closedAddress({ host }: Destination): FairleadError {
  return closed(
    `Builds do not reach ${host}: its address is of this machine, of a private network or special; if it is a package registry, the operator can name it in BUILD_REGISTRIES`,
  );
}

const closed = (text: string): FairleadError => new FairleadError('FORBIDDEN', text);
